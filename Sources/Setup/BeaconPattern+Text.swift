import Beacons
import Messages

extension BeaconPattern {
  /// As an entry of `beacons:` has it: `ibeacon: { uuid: …, major: 1, minor: 2 }`.
  public var yaml: String {
    switch self {
    case .iBeacon(let uuid, let major, let minor):
      let numbers = [("major", major), ("minor", minor)].compactMap { key, number in
        number.map { ", \(key): \($0)" }
      }
      return "ibeacon: { uuid: \(uuidText(uuid))\(numbers.joined()) }"
    case .altBeacon(let prefix):
      return "altbeacon: { id: \(yamlScalar(Self.digits(prefix))) }"
    case .eddystoneUID(let namespace, let instance):
      let rest = instance.map { ", instance: \(yamlScalar(hexadecimal(UInt128($0), octets: 6)))" } ?? ""
      return "eddystone: { namespace: \(yamlScalar(hexadecimal(namespace, octets: 10)))\(rest) }"
    case .eddystoneURL(let url): return "eddystone: { url: \(yamlScalar(url)) }"
    case .address(let bits): return "address: \"\(DeviceAddress(bits: bits, kind: .public))\""
    // The key's name, which the pattern does not have.
    case .resolvingKey: return "irk: "
    }
  }

  /// As people type it, and `init(identity:)` reads it: `F29DC74A-…:1:2`, `C1:00:00:00:00:01`.
  public var identity: String {
    switch self {
    case .iBeacon(let uuid, let major, let minor):
      ([uuidText(uuid)] + [major, minor].compactMap { $0.map { "\($0)" } }).joined(separator: ":")
    case .altBeacon(let prefix): Self.digits(prefix)
    case .eddystoneUID(let namespace, let instance):
      ([hexadecimal(namespace, octets: 10)] + (instance.map { [hexadecimal(UInt128($0), octets: 6)] } ?? []))
        .joined(separator: ":")
    case .eddystoneURL(let url): url
    case .address(let bits): "\(DeviceAddress(bits: bits, kind: .public))"
    case .resolvingKey: ""
    }
  }

  /// Reads an address, an iBeacon's `UUID:MAJOR:MINOR` or the beginning of it, Eddystone's `NAMESPACE:INSTANCE` or the
  /// namespace alone, an AltBeacon's id of 36 or 40 digits, or an Eddystone URL; nil for anything else.
  public init?(identity text: String) {
    if text.hasPrefix("http://") || text.hasPrefix("https://") {
      self = .eddystoneURL(text)
      return
    }
    if let address = DeviceAddress(text, kind: .public) {
      self = .address(address.bits)
      return
    }
    let parts = text.split(separator: ":", omittingEmptySubsequences: false).map(String.init)
    guard let digits = Self.octets(parts[0]) else { return nil }
    switch (digits.count, parts.count) {
    case (16, 1...3):
      let numbers = parts.dropFirst().map { UInt16($0) }
      guard !numbers.contains(nil) else { return nil }
      self = .iBeacon(
        uuid: Self.number(digits), major: numbers.first ?? nil, minor: numbers.count > 1 ? numbers[1] : nil)
    case (10, 1): self = .eddystoneUID(namespace: Self.number(digits))
    case (10, 2):
      guard let instance = Self.octets(parts[1]), instance.count == 6 else { return nil }
      self = .eddystoneUID(
        namespace: Self.number(digits), instance: UInt64(truncatingIfNeeded: Self.number(instance)))
    case (18, 1), (20, 1): self = .altBeacon(idPrefix: digits)
    default: return nil
    }
  }

  private static func digits(_ octets: [UInt8]) -> String {
    octets.map { hexadecimal(UInt128($0), octets: 1) }.joined()
  }

  private static func octets(_ text: String) -> [UInt8]? {
    let digits = text.utf8.filter { $0 != UInt8(ascii: "-") }.map(hexadecimalDigit)
    guard !digits.isEmpty, digits.count.isMultiple(of: 2), !digits.contains(nil) else { return nil }
    let values = digits.compactMap { $0 }
    return stride(from: 0, to: values.count, by: 2).map { values[$0] << 4 | values[$0 + 1] }
  }

  private static func number(_ octets: [UInt8]) -> UInt128 { octets.reduce(0) { $0 << 8 | UInt128($1) } }
}
