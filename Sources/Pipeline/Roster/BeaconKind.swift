import Beacons
import Contract

/// A beacon's kind, derived from its frames. If it sends several kinds, the one with the highest rank counts: a
/// RuuviTag may also send iBeacon.
package enum BeaconKind: Sendable {
  case unknown, eddystone, altBeacon, iBeacon, bthome
  /// A device with a sensor format of its own.
  case sensor(SensorFrame)

  init(_ frame: Frame) {
    self =
      switch frame {
      case .iBeacon: .iBeacon
      case .altBeacon: .altBeacon
      case .eddystoneUID, .eddystoneURL, .eddystoneTLM, .eddystoneEncryptedTLM, .eddystoneEID: .eddystone
      case .bthome: .bthome
      case .sensor(let sensor): .sensor(sensor)
      case .exposureNotification, .noise: .unknown
      }
  }

  static let all: [BeaconKind] = {
    let sensors: [SensorFormat] = FormatRegistry.sensors.all + FormatRegistry.sensorsBySender
    return [.unknown, .eddystone, .altBeacon, .iBeacon, .bthome] + sensors.map { .sensor(SensorFrame($0)) }
  }()

  /// The makes of all kinds.
  package static let makes = Set(all.compactMap(\.make))

  /// The kind with the highest rank counts.
  var rank: Int {
    switch self {
    case .unknown: 0
    case .eddystone: 1
    case .altBeacon: 2
    case .iBeacon: 3
    case .bthome: 4
    case .sensor: 5
    }
  }

  /// The model's name, the same in every version; empty: unknown.
  var model: String { make?.model ?? "" }

  /// nil: the configuration is more specific.
  var make: DeviceMake? {
    switch self {
    case .unknown: nil
    case .eddystone: DeviceMake(model: "Eddystone beacon")
    case .altBeacon: DeviceMake(model: "AltBeacon")
    case .iBeacon: DeviceMake(model: "iBeacon")
    case .bthome: DeviceMake(model: "BTHome device")
    case .sensor(let sensor): DeviceMake(manufacturer: sensor.format.maker, model: sensor.format.model)
    }
  }
}

/// The kind of each beacon, as far as its frames reveal it.
struct BeaconKinds: Sendable {
  /// By `BeaconIndex`.
  private var kinds: [BeaconKind] = []
  /// Beacons whose kind became more specific.
  private var news: [BeaconIndex] = []

  func kind(of beacon: BeaconIndex) -> BeaconKind {
    kinds.indices.contains(Int(beacon.rawValue)) ? kinds[Int(beacon.rawValue)] : .unknown
  }

  mutating func note(_ kind: BeaconKind, of beacon: BeaconIndex) {
    let index = Int(beacon.rawValue)
    guard index >= 0, index >= kinds.count || kind.rank > kinds[index].rank else { return }
    while kinds.count <= index { kinds.append(.unknown) }
    guard kind.rank > kinds[index].rank else { return }
    kinds[index] = kind
    news.append(beacon)
  }

  /// Restores a kind from the model's name; see `model`.
  mutating func restore(_ model: String, of beacon: BeaconIndex) {
    guard let kind = BeaconKind.all.first(where: { $0.model == model }), kind.rank > 0 else { return }
    while kinds.count <= Int(beacon.rawValue) { kinds.append(.unknown) }
    kinds[Int(beacon.rawValue)] = kind
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

/// Stored by model name, because versions differ in the models they know.
extension BeaconKinds: StateFields {
  mutating func fields(_ coder: inout StateCoder) throws(StateError) {
    var models = BeaconKind.all.map(\.model)
    let places = Dictionary(zip(models, models.indices)) { first, _ in first }
    var numbers = kinds.map { UInt16(places[$0.model] ?? 0) }
    try coder("models", &models)
    try coder("kinds", &numbers)
    try coder("news", &news)
    guard coder.isReading else { return }
    try coder.check(numbers.allSatisfy { $0 < models.count })
    let known = Dictionary(BeaconKind.all.map { ($0.model, $0) }) { first, _ in first }
    kinds = numbers.map { known[models[Int($0)]] ?? .unknown }
  }
}
