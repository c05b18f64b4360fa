import Beacons

/// What a scanner's message says of one device.
struct ScannedDevice: Equatable {
  /// As the scanner calls it.
  var receiver: String?
  var address: DeviceAddress?
  /// The scanner's own name for the device.
  var id: String?
  /// dBm; nil if the scanner did not know.
  var rssi: Int8?
  /// AD structures; empty if none is known.
  var payload: [UInt8] = []
  /// When the scanner heard it, in its own words.
  var time: String?
}

/// Reads numbers and texts of scanners, which are hostile.
enum ScannedValue {
  /// A name for a receiver: 1 to 64 octets, all visible.
  static func isName(_ text: String) -> Bool {
    (1...64).contains(text.utf8.count) && text.unicodeScalars.allSatisfy(\.isPrintable)
      && text.first?.isWhitespace == false && text.last?.isWhitespace == false
  }

  /// Signal strength in dBm; nil for 127, which says that the radio heard the device, and does not know how strongly.
  ///
  /// Refuses what no radio reports. That is 0 as well, which Tasmota says of a device that it lost; and −127, which Bleak says of
  /// one of which BlueZ has no signal any more, for the programs that are built on it.
  ///
  /// Source: https://github.com/arendst/Tasmota/issues/14147, https://bleak.readthedocs.io/en/latest/api/scanner.html
  static func signal(_ number: Double) throws(ScannerRefusal) -> Int8? {
    let number = number.rounded()
    if number == 127 { return nil }
    if number == 0 || number == -127 { throw .absent }
    guard (-127...20).contains(number) else { throw .signal }
    return Int8(number)
  }

  /// RSSI at 1 m in dBm; nil if it is none. The same numbers as of a signal mean that nobody knows it.
  static func measuredPower(_ number: Double?) -> Int8? {
    number.flatMap { try? signal($0) }
  }

  /// An address with or without colons. Its kind is a guess if the scanner does not say it: resolvable and static ones begin with
  /// the bits 01 and 11.
  static func address(_ text: String) -> DeviceAddress? {
    let digits = text.utf8.filter { $0 != UInt8(ascii: ":") && $0 != UInt8(ascii: "-") }
    guard digits.count == 12, text.utf8.count <= 17 else { return nil }
    var bits: UInt64 = 0
    for digit in digits {
      guard let value = hexadecimalDigit(digit) else { return nil }
      bits = bits << 4 | UInt64(value)
    }
    // They stand for an address that is not known.
    if bits == 0 || bits == 0xFFFF_FFFF_FFFF { return nil }
    let isRandom = bits >> 46 == 0b01 || bits >> 46 == 0b11
    return DeviceAddress(bits: bits, kind: isRandom ? .random : .public)
  }

  /// Octets of hexadecimal digits, with or without `0x`; at most as many as an advertisement has.
  static func octets(_ text: String) throws(ScannerRefusal) -> [UInt8] {
    let digits = text.hasPrefix("0x") || text.hasPrefix("0X") ? text.dropFirst(2) : text[...]
    guard digits.utf8.count <= 2 * FragmentedAdvertisements.maximumLength,
      let octets = Beacons.octets(hexadecimal: digits)
    else { throw .payload }
    return octets
  }

  /// A 16-bit UUID: `fcd2`, `0xfcd2`, or in the long form of the Bluetooth base UUID.
  static func shortUUID(_ text: String) -> UInt16? {
    let text = text.lowercased()
    let base = "-0000-1000-8000-00805f9b34fb"
    if text.utf8.count == 36, text.hasSuffix(base), text.hasPrefix("0000") {
      return UInt16(text.dropFirst(4).prefix(4), radix: 16)
    }
    let digits = text.hasPrefix("0x") ? text.dropFirst(2) : text[...]
    return digits.utf8.count == 4 ? UInt16(digits, radix: 16) : nil
  }

  /// 128 bits of 32 digits, with or without hyphens.
  static func uuid(_ text: some StringProtocol) -> UInt128? {
    guard text.utf8.count <= 36 else { return nil }
    let digits = text.utf8.filter { $0 != UInt8(ascii: "-") }
    guard digits.count == 32 else { return nil }
    var value: UInt128 = 0
    for digit in digits {
      guard let nibble = hexadecimalDigit(digit) else { return nil }
      value = value << 4 | UInt128(nibble)
    }
    return value
  }
}
