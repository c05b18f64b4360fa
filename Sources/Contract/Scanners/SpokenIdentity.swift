import Beacons
import Core

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
