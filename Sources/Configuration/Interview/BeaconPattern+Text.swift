import Beacons
import Core

extension BeaconPattern {
  /// In the form that people type and `init(identity:)` reads: `F29DC74A-…:1:2`, `C1:00:00:00:00:01`.
  package var identity: String {
    switch self {
    case .iBeacon(let uuid, let major, let minor):
      ([uuidText(uuid)] + [major, minor].compactMap { $0.map { "\($0)" } }).joined(separator: ":")
    case .altBeacon(let prefix): hexadecimal(prefix)
    case .eddystoneUID(let namespace, let instance):
      ([hexadecimal(namespace, octets: 10)] + (instance.map { [hexadecimal(UInt128($0), octets: 6)] } ?? []))
        .joined(separator: ":")
    case .eddystoneURL(let url): url
    case .address(let bits): "\(DeviceAddress(bits: bits, kind: .public))"
    case .resolvingKey: ""
    case .scannerID(let id): id
    case .localName(let name): name
    case .service(let octets): hexadecimal(octets.reversed())
    }
  }

  /// Reads an address, an iBeacon's `UUID:MAJOR:MINOR` or the beginning of it, Eddystone's `NAMESPACE:INSTANCE` or the
  /// namespace alone, an AltBeacon's id of 36 or 40 digits, or an Eddystone URL; nil for anything else.
  package init?(identity text: String) {
    if text.hasPrefix("http://") || text.hasPrefix("https://") {
      self = .eddystoneURL(text)
      return
    }
    if let address = DeviceAddress(text, kind: .public) {
      self = .address(address.bits)
      return
    }
    let parts = text.split(separator: ":", omittingEmptySubsequences: false).map(String.init)
    guard let digits = octets(hexadecimal: parts[0].replacing("-", with: "")) else { return nil }
    switch (digits.count, parts.count) {
    case (16, 1...3):
      let numbers = parts.dropFirst().map { UInt16($0) }
      guard !numbers.contains(nil) else { return nil }
      self = .iBeacon(
        uuid: number(bigEndian: digits), major: numbers.first ?? nil,
        minor: numbers.count > 1 ? numbers[1] : nil)
    case (10, 1): self = .eddystoneUID(namespace: number(bigEndian: digits))
    case (10, 2):
      guard let instance = octets(hexadecimal: parts[1].replacing("-", with: "")), instance.count == 6 else {
        return nil
      }
      self = .eddystoneUID(
        namespace: number(bigEndian: digits),
        instance: UInt64(truncatingIfNeeded: number(bigEndian: instance)))
    case (18, 1), (20, 1): self = .altBeacon(idPrefix: digits)
    default: return nil
    }
  }
}
