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

/// Other makers' scanners: a message describes one device, or an array of devices.
extension ScannerIntake {
  mutating func takeDevices(
    _ message: Message, _ fields: [TopicPattern.Field: String], into hearing: inout Hearing
  ) {
    let scanner = scanners[message.scanner]
    var causes: [(cause: ScannerRefusal, field: UnreadableField?)] = []
    let (devices, others) = scanner.mapping.read(message.payload, topic: fields) { causes.append(($0, $1)) }
    figures[message.scanner].withoutSignal += UInt64(others)
    for device in devices {
      do throws(ScannerRefusal) { try take(device, message, scanner, into: &hearing) } catch {
        // Its field was refused already.
        if error != .identity || !device.isUnreadable { causes.append((error, nil)) }
      }
    }
    for (cause, field) in causes { refuse(cause, message.scanner, for: field, into: &hearing) }
    if scanner.kind == .theengs, !hasToldDecoded, !devices.allSatisfy(\.hasData) {
      tellDecoded(message, scanner, into: &hearing)
    }
  }

  /// Logs that the sender decodes sensors itself and leaves out the advertisement. Otherwise nobody would
  /// know why there are no readings.
  private mutating func tellDecoded(_ message: Message, _ scanner: Scanner, into hearing: inout Hearing) {
    guard case .text(let model)? = (try? JSONTree(message.payload))?["model_id"] else { return }
    hasToldDecoded = true
    hearing.notices.append(
      "the senders on \(scanner.topic.filter) read sensors themselves, the first a \(model.printable), and leave out the advertisement, so no reading of it is known here. For readings, switch on pubadvdata there (Theengs Gateway: --publish_advdata 1)"
    )
  }

  private mutating func take(
    _ device: ScannedDevice, _ message: Message, _ scanner: Scanner, into hearing: inout Hearing
  ) throws(ScannerRefusal) {
    let key = device.id.flatMap { scanner.identities[$0] ?? scanner.identities[$0.lowercased()] }
    let name =
      key == nil && device.payload.isEmpty ? device.id.flatMap { SpokenIdentity.isName($0) ? $0 : nil } : nil
    guard key != nil || device.address != nil || !device.payload.isEmpty || name != nil else {
      throw .identity
    }
    guard let place = (device.receiver ?? scanner.receiver).map(scanner.name(of:)) else { throw .receiver }
    let receiver = try receivers.index(
      of: place, limit: Self.receiverLimit, at: message.arrival, into: &hearing.renamings)
    receivers.heard(
      receiver, scanner: message.scanner, at: message.arrival, message.wallTime, into: &hearing.changes)
    if let time = device.time, repeats.isRepeated(Self.sender(receiver, device), at: time) { throw .repeated }
    figures[message.scanner].observations += 1
    noteSpeech(of: receiver, about: Self.hash(device), at: message.arrival, into: &hearing)
    if let name {
      hearing.named.append(
        NamedDevice(
          id: name, address: device.address, receiver: receiver, rssi: device.rssi, time: message.arrival,
          wallTime: message.wallTime))
      if device.address == nil { return }
    }
    if let key {
      hearing.observations.append(
        Observation(
          key: key, receiver: receiver, rssi: device.rssi, time: message.arrival, wallTime: message.wallTime))
    } else {
      hearing.batch.append(
        Advertisement(
          receiver: receiver, address: device.address ?? DeviceAddress(bits: 0, kind: .random),
          rssi: device.rssi, time: message.arrival, wallTime: message.wallTime),
        payload: device.payload.span)
    }
  }

  /// A hash of the device's address, or else of its id or payload.
  private static func hash(_ device: ScannedDevice) -> UInt64 {
    if let address = device.address { return (address.bits &* 0x9E37_79B9_7F4A_7C15) >> 40 }
    let id = Array((device.id ?? "").utf8)
    var hash = FNV1a()
    hash.combine(id.isEmpty ? device.payload.span : id.span)
    return UInt64(truncatingIfNeeded: hash.value >> 64)
  }

  /// The key under which repetitions are recognised.
  private static func sender(_ receiver: ReceiverIndex, _ device: ScannedDevice) -> String {
    "\(receiver.rawValue) \(device.address.map { "\($0.kind.rawValue) \($0.bits)" } ?? "") \(device.id ?? "")"
  }
}

/// Parses the ids that ESPresense makes from a beacon's own id.
///
///     iBeacon:f29dc74a-dbbd-12de-318a-c8b046dd4425-1-2
///     abeacon:2f234454-cf6d-4a0f-adf2-f4911ba9ffa6-1-2
///     eddy:edd1ebeac04e5defa017-0bdb87539b67
///     known:c10000000001                                 an address
///
/// Source: https://espresense.com/beacons
package enum SpokenIdentity {
  /// Whether scanners give this id to all devices of a make, so that it identifies no single device.
  ///
  /// Source: ESPresense, BleFingerprint.cpp; https://github.com/ESPresense/ESPresense/issues/24
  package static func isOfMake(_ id: String) -> Bool {
    let id = id.lowercased()
    return [
      "apple:", "msft:", "samsung:", "google:", "md:", "sd:", "exp:", "name:", "device:", "rand:",
    ].contains { id.hasPrefix($0) }
  }

  /// RSSI at 1 m in dBm, unless stated otherwise.
  private static let usualPower: Int8 = -59

  /// The payload that such a beacon sends; nil if it is no such id.
  static func payload(_ text: String, measuredPower: Int8?) -> [UInt8]? {
    let power = measuredPower ?? usualPower
    guard text.utf8.count <= 100, let colon = text.firstIndex(of: ":") else { return nil }
    let rest = text[text.index(after: colon)...]
    switch text[..<colon].lowercased() {
    case "ibeacon":
      return numbers(rest).map {
        IBeacon(uuid: $0.uuid, major: $0.major, minor: $0.minor, measuredPower: power).advertisingData
      }
    // ESPresense's firmware writes `altbeacon`.
    case "abeacon", "altbeacon":
      guard let (uuid, major, minor) = numbers(rest) else { return nil }
      // Company 0x0118 (Radius Networks); the last two octets are the reference RSSI and one for the manufacturer.
      let id = octets(uuid, 16) + octets(UInt128(major), 2) + octets(UInt128(minor), 2)
      return [0x1B, ADType.manufacturerData, 0x18, 0x01, 0xBE, 0xAC] + id + [UInt8(bitPattern: power), 0]
    case "eddy":
      let parts = rest.split(separator: "-")
      guard parts.count == 2, parts[1].utf8.count == 12,
        var namespace = Core.octets(hexadecimal: parts[0]),
        let instance = Core.octets(hexadecimal: parts[1])
      else { return nil }
      // ESPresense's firmware writes the namespace's fifth octet twice.
      if namespace.count == 11, namespace[4] == namespace[5] { namespace.remove(at: 5) }
      guard namespace.count == 10 else { return nil }
      // The Tx power of Eddystone is that at 0 m, 41 dB more than at 1 m.
      let atZero = UInt8(bitPattern: Int8(clamping: Int(power) + 41))
      return [0x17, ADType.serviceData16, 0xAA, 0xFE, 0x00, atZero] + namespace + instance + [0, 0]
    default: return nil
    }
  }

  /// The address in `known:c10000000001`, or after another prefix.
  static func address(_ text: String) -> DeviceAddress? {
    guard text.utf8.count <= 40, let colon = text.firstIndex(of: ":") else { return nil }
    return ScannedValue.address(String(text[text.index(after: colon)...]))
  }

  /// Whether an id is a scanner's own name for a device: neither a mere address nor an identity resolving key, which is a secret.
  static func isName(_ id: String) -> Bool {
    ScannedValue.isName(id) && ScannedValue.address(id) == nil && !id.lowercased().hasPrefix("irk:")
  }

  /// `uuid-major-minor`.
  private static func numbers(_ text: Substring) -> (uuid: UInt128, major: UInt16, minor: UInt16)? {
    let parts = text.split(separator: "-", omittingEmptySubsequences: false)
    guard parts.count >= 3, let minor = UInt16(parts[parts.count - 1]),
      let major = UInt16(parts[parts.count - 2]),
      let uuid = ScannedValue.uuid(parts.dropLast(2).joined(separator: "-"))
    else { return nil }
    return (uuid, major, minor)
  }

  private static func octets(_ value: UInt128, _ count: Int) -> [UInt8] {
    (0..<count).reversed().map { UInt8(truncatingIfNeeded: value >> UInt128(8 * $0)) }
  }
}
