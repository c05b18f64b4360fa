import Beacons
import Scanners

extension Configuration {
  /// The scanners, with the beacons' keys in place of their names.
  public var resolvedScanners: [Scanner] {
    guard !scanners.isEmpty else { return [] }
    let keys = Dictionary(
      beacons.compactMap { beacon in
        BeaconEntry(name: beacon.name, pattern: beacon.pattern).key.map { (beacon.name, $0) }
      }, uniquingKeysWith: { first, _ in first })
    let resolving = resolvingIdentities(keys)
    return scanners.map { scanner in
      var scanner = scanner
      scanner.servesRooms = !rooms.isEmpty
      scanner.identities = scanner.identities.compactMapValues { keys[$0] }
        .merging(resolving) { written, _ in written }
      return scanner
    }
  }

  /// What to do on a machine without Bluetooth if scanners hear.
  public static let radioOffHint =
    "if this machine has no Bluetooth and only scanners are to hear, add radio: { duty: off } to the configuration"

  /// How late an observation of theirs may come and still count for rooms.
  public var scannersLateness: TimeSpan {
    scanners.map(\.interval).max().map { $0 + Scanner.slack } ?? .zero
  }

  /// ESPresense calls a device whose identity resolving key it has `irk:` and the key. A beacon with that key is the same, so that
  /// nobody must write the key into the configuration. It shows the octets in either order.
  private func resolvingIdentities(_ keys: [String: String]) -> [String: String] {
    var identities: [String: String] = [:]
    for beacon in beacons {
      guard let secret = beacon.identityKey.flatMap({ self.keys[$0] })?.revealed, let key = keys[beacon.name]
      else {
        continue
      }
      identities["irk:" + hexadecimal(secret)] = key
      identities["irk:" + hexadecimal(Array(secret.reversed()))] = key
    }
    return identities
  }
}
