import Beacons

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
      return "altbeacon: { id: \(yamlScalar(hexadecimal(prefix))) }"
    case .eddystoneUID(let namespace, let instance):
      let rest = instance.map { ", instance: \(yamlScalar(hexadecimal(UInt128($0), octets: 6)))" } ?? ""
      return "eddystone: { namespace: \(yamlScalar(hexadecimal(namespace, octets: 10)))\(rest) }"
    case .eddystoneURL(let url): return "eddystone: { url: \(yamlScalar(url)) }"
    case .address(let bits): return "address: \"\(DeviceAddress(bits: bits, kind: .public))\""
    // The key's name, which the pattern does not have.
    case .resolvingKey: return "irk: "
    }
  }
}
