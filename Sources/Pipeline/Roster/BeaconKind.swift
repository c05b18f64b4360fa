import Beacons
import Messages

/// What kind of beacon it is, judged by the frames it sends. If it sends several kinds, the last in this order decides: a
/// RuuviTag may be an iBeacon too.
package enum BeaconKind: UInt8, StateCoded, Sendable, Comparable, CaseIterable {
  case unknown, eddystone, altBeacon, iBeacon, bthome, ruuviTag, ruuviAir

  init(_ frame: Frame) {
    self =
      switch frame {
      case .iBeacon: .iBeacon
      case .altBeacon: .altBeacon
      case .eddystoneUID, .eddystoneURL, .eddystoneTLM, .eddystoneEncryptedTLM, .eddystoneEID: .eddystone
      case .bthome: .bthome
      case .sensor(let sensor) where sensor.format == Ruuvi3.self || sensor.format == Ruuvi5.self: .ruuviTag
      case .sensor(let sensor) where sensor.format == Ruuvi6.self || sensor.format == RuuviE1.self: .ruuviAir
      case .sensor, .exposureNotification, .noise: .unknown
      }
  }

  /// Of all kinds.
  package static let makes = Set(allCases.compactMap(\.make))

  package static func < (a: Self, b: Self) -> Bool { a.rawValue < b.rawValue }

  /// nil: the configuration is more specific.
  var make: DeviceMake? {
    switch self {
    case .unknown: nil
    case .eddystone: DeviceMake(model: "Eddystone beacon")
    case .altBeacon: DeviceMake(model: "AltBeacon")
    case .iBeacon: DeviceMake(model: "iBeacon")
    case .bthome: DeviceMake(model: "BTHome device")
    case .ruuviTag: DeviceMake(manufacturer: "Ruuvi Innovations", model: "RuuviTag")
    case .ruuviAir: DeviceMake(manufacturer: "Ruuvi Innovations", model: "Ruuvi Air")
    }
  }
}

/// The kind of each beacon, as far as it was heard.
struct BeaconKinds: Sendable {
  /// By `BeaconIndex`.
  private var kinds: [BeaconKind] = []
  /// Beacons that turned out to be more than was known.
  private var news: [BeaconIndex] = []

  func kind(of beacon: BeaconIndex) -> BeaconKind {
    kinds.indices.contains(Int(beacon.rawValue)) ? kinds[Int(beacon.rawValue)] : .unknown
  }

  mutating func note(_ kind: BeaconKind, of beacon: BeaconIndex) {
    let index = Int(beacon.rawValue)
    guard index >= 0, index >= kinds.count || kind > kinds[index] else { return }
    while kinds.count <= index { kinds.append(.unknown) }
    guard kind > kinds[index] else { return }
    kinds[index] = kind
    news.append(beacon)
  }

  /// Forgets a beacon whose index is reused.
  mutating func retire(_ beacon: BeaconIndex) {
    if kinds.indices.contains(Int(beacon.rawValue)) { kinds[Int(beacon.rawValue)] = .unknown }
  }

  var hasNews: Bool { !news.isEmpty }

  mutating func takeNews() -> [BeaconIndex] {
    defer { news.removeAll() }
    return news
  }
}

extension BeaconKinds: StateFields {
  mutating func fields(_ coder: inout StateCoder) throws(StateError) {
    try coder("kinds", &kinds)
    try coder("news", &news)
  }
}
