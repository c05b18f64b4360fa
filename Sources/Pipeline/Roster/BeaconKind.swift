import Beacons
import Messages

/// What kind of beacon it is, judged by the frames it sends. If it sends several kinds, the last of them here decides: a
/// RuuviTag may be an iBeacon too.
package enum BeaconKind: Sendable {
  case unknown, eddystone, altBeacon, iBeacon, bthome
  /// A device that is known by its sensor's format.
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

  /// Of all kinds.
  package static let makes = Set(all.compactMap(\.make))

  /// The one with the higher rank decides.
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

  /// The same in every version; empty: unknown.
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
    guard index >= 0, index >= kinds.count || kind.rank > kinds[index].rank else { return }
    while kinds.count <= index { kinds.append(.unknown) }
    guard kind.rank > kinds[index].rank else { return }
    kinds[index] = kind
    news.append(beacon)
  }

  /// By the model's name; see `model`.
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

/// By the models' names: the version that reads them may know others than the one that wrote them.
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
