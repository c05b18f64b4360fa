import Beacons
import Core

/// One device in a scanner's message.
struct ScannedDevice: Equatable {
  /// The scanner's name for it.
  var receiver: String?
  var address: DeviceAddress?
  /// The scanner's own name for the device.
  var id: String?
  /// dBm; nil if the scanner did not know.
  var rssi: Int8?
  /// AD structures; empty if none is known.
  var payload: [UInt8] = []
  /// When the scanner received it, in its own format.
  var time: String?
  /// Whether a field of it could not be read.
  var isUnreadable = false

  /// Whether its payload has data of a maker or a service, in which readings are.
  var hasData: Bool {
    var place = 0
    while place + 1 < payload.count, payload[place] > 0 {
      if [0xFF, 0x16, 0x20, 0x21].contains(payload[place + 1]) { return true }
      place += Int(payload[place]) + 1
    }
    return false
  }
}

/// A device that a scanner knows by a name of its own, and whose payload it did not send.
package struct NamedDevice: Sendable {
  package var id: String
  package var address: DeviceAddress?
  package var receiver: ReceiverIndex
  package var rssi: Int8?
  package var time: MonotonicTime
  package var wallTime: WallTime
}

/// Parses numbers and texts of scanners, which may be hostile.
enum ScannedValue {
  /// A name for a receiver: 1 to 64 octets, all visible.
  static func isName(_ text: String) -> Bool {
    (1...64).contains(text.utf8.count) && text.unicodeScalars.allSatisfy(\.isPrintable)
      && text.first?.isWhitespace == false && text.last?.isWhitespace == false
  }

  /// Signal strength in dBm; nil for 127, which means that the radio received the device, with unknown strength.
  ///
  /// Refuses values that no radio reports. One is 0, which Tasmota sends for a device that it lost. Another is −127, which
  /// Bleak and programs built on it send for a device of which BlueZ has no signal any more.
  ///
  /// Source: https://github.com/arendst/Tasmota/issues/14147, https://bleak.readthedocs.io/en/latest/api/scanner.html
  static func signal(_ number: Double) throws(ScannerRefusal) -> Int8? {
    let number = number.rounded()
    if number == 127 { return nil }
    if number == 0 || number == -127 { throw .absent }
    guard (-127...20).contains(number) else { throw .signal }
    return Int8(number)
  }

  /// An address with or without colons. If the scanner does not send its kind, it is guessed: resolvable and static addresses
  /// begin with the bits 01 and 11.
  static func address(_ text: String) -> DeviceAddress? {
    let digits = text.utf8.filter { $0 != UInt8(ascii: ":") && $0 != UInt8(ascii: "-") }
    guard digits.count == 12, text.utf8.count <= 17 else { return nil }
    var bits: UInt64 = 0
    for digit in digits {
      guard let value = hexadecimalDigit(digit) else { return nil }
      bits = bits << 4 | UInt64(value)
    }
    // These mean an unknown address.
    if bits == 0 || bits == 0xFFFF_FFFF_FFFF { return nil }
    let isRandom = bits >> 46 == 0b01 || bits >> 46 == 0b11
    return DeviceAddress(bits: bits, kind: isRandom ? .random : .public)
  }

  /// Octets of hexadecimal digits, with or without `0x`; at most the length of an advertisement.
  static func octets(_ text: String) throws(ScannerRefusal) -> [UInt8] {
    let digits = text.hasPrefix("0x") || text.hasPrefix("0X") ? text.dropFirst(2) : text[...]
    guard digits.utf8.count <= 2 * FragmentedAdvertisements.maximumLength,
      let octets = Core.octets(hexadecimal: digits)
    else { throw .payload }
    return octets
  }

  /// Octets of a list of numbers.
  static func octets(_ values: [JSONTree]) throws(ScannerRefusal) -> [UInt8] {
    guard values.count <= FragmentedAdvertisements.maximumLength else { throw .payload }
    var octets: [UInt8] = []
    for value in values {
      guard case .number(let number) = value, let octet = UInt8(exactly: number) else { throw .payload }
      octets.append(octet)
    }
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
