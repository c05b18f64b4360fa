import Beacons
import Configuration
import Contract
import Glibc
import Proximity

/// The published place of each beacon: `beacon/<beacon>/zone`, and `beacon/<beacon>/place` if zones lie in places of
/// Home Assistant.
struct Whereabouts: Sendable {
  /// Zone indices, or one of the negative markers.
  struct Told: StateElement {
    fileprivate var zone = Whereabouts.untold
    /// The zone whose place was published.
    fileprivate var placed = Whereabouts.untold

    mutating func fields(_ coder: inout StateCoder) throws(StateError) {
      try coder("zone", &zone)
      try coder("placed", &placed)
      // A zone that has no index any more is published anew.
      guard let heirs = coder.heirs else { return }
      if zone >= 0 { zone = heirs[.zone][zone] ?? Whereabouts.untold }
      if placed >= 0 { placed = heirs[.zone][placed] ?? Whereabouts.untold }
    }
  }

  fileprivate static let nowhere = -1 as Int32
  fileprivate static let untold = -2 as Int32
  /// In a room, but in no zone.
  fileprivate static let inRoom = -3 as Int32

  private let nearest: NearestZone
  /// By `ZoneIndex`.
  private let zones: [String]
  /// By `ZoneIndex`: the zone's place in Home Assistant; nil: none. Empty if no places are configured.
  private let places: [String?]
  /// By `BeaconIndex`.
  private var told: [Told] = []

  init(_ configuration: Configuration) {
    nearest = NearestZone(configuration.zones)
    zones = configuration.zones.map(\.name)
    let home = configuration.homeAssistant
    guard home.hasPlaces, let pairs = home.places else {
      places = []
      return
    }
    places = zones.map { zone in pairs.first { $0.zone == zone }?.spoken }
  }

  /// The messages that changed since the last call.
  ///
  /// - Parameters:
  ///   - inside: the zones that the beacon is in, ascending.
  ///   - isInRoom: whether it is in a room.
  ///   - distance: a zone's estimate of the distance.
  mutating func news(
    of beacon: BeaconIndex, called name: String, in inside: [ZoneIndex], isInRoom: Bool,
    distance: (ZoneIndex) -> Double?
  ) -> [WhereaboutsMessage] {
    let index = Int(beacon.rawValue)
    while told.count <= index { told.append(Told()) }
    let (last, now) = (told[index], find(told[index], inside, isInRoom, distance))
    told[index] = now
    var news: [WhereaboutsMessage] = []
    if now.zone != last.zone { news.append(zone(now, of: name)) }
    // Two zones may lie in one place, so the zone may change without the place.
    if last.placed == Self.untold || place(now) != place(last), let place = placeMessage(now, of: name) {
      news.append(place)
    }
    return news
  }

  /// All whereabouts of a beacon, for a broker that may have lost them. The parameters are as for `news`.
  func all(
    of beacon: BeaconIndex, called name: String, in inside: [ZoneIndex], isInRoom: Bool,
    distance: (ZoneIndex) -> Double?
  ) -> [WhereaboutsMessage] {
    let index = Int(beacon.rawValue)
    var now = told.indices.contains(index) ? told[index] : Told()
    if now.zone == Self.untold { now = find(now, inside, isInRoom, distance) }
    return [zone(now, of: name)] + [placeMessage(now, of: name)].compactMap(\.self)
  }

  func told(of beacon: BeaconIndex) -> Told {
    told.indices.contains(Int(beacon.rawValue)) ? told[Int(beacon.rawValue)] : Told()
  }

  /// Adopts the place that an earlier run or configuration published. If two zones are equally near, the
  /// beacon stays in that one.
  mutating func restore(_ earlier: Told, of beacon: BeaconIndex, isInRoom: Bool) {
    let index = Int(beacon.rawValue)
    while told.count <= index { told.append(Told()) }
    told[index] = earlier
    if earlier.zone == Self.inRoom, !isInRoom { told[index].zone = Self.untold }
    // The earlier configuration may have had no places.
    if places.isEmpty || earlier.placed < 0 { told[index].placed = Self.untold }
  }

  /// Forgets a beacon. Its index will be reused.
  mutating func retire(_ beacon: BeaconIndex) {
    if told.indices.contains(Int(beacon.rawValue)) { told[Int(beacon.rawValue)] = Told() }
  }

  private func find(
    _ last: Told, _ inside: [ZoneIndex], _ isInRoom: Bool, _ distance: (ZoneIndex) -> Double?
  ) -> Told {
    func choose(_ candidates: [ZoneIndex], _ last: Int32) -> Int32 {
      nearest.choose(among: candidates, told: ZoneIndex(rawValue: last), distance: distance)?.rawValue
        ?? Self.nowhere
    }
    var now = Told(zone: choose(inside, last.zone), placed: Self.nowhere)
    if now.zone == Self.nowhere, isInRoom { now.zone = Self.inRoom }
    if !places.isEmpty {
      now.placed = choose(inside.filter { places[Int($0.rawValue)] != nil }, last.placed)
    }
    return now
  }

  private func zone(_ now: Told, of beacon: String) -> WhereaboutsMessage {
    let name = now.zone >= 0 ? zones[Int(now.zone)] : now.zone == Self.inRoom ? WhereaboutsMessage.home : nil
    return WhereaboutsMessage(beacon: beacon, kind: .zone, name: name)
  }

  private func place(_ told: Told) -> String? { told.placed < 0 ? nil : places[Int(told.placed)] }

  private func placeMessage(_ now: Told, of beacon: String) -> WhereaboutsMessage? {
    places.isEmpty ? nil : WhereaboutsMessage(beacon: beacon, kind: .place, name: place(now))
  }
}

extension Whereabouts: StateFields {
  mutating func fields(_ coder: inout StateCoder) throws(StateError) {
    try coder("told", &told, atMost: coder.bounds.beacons)
    try coder.check(
      told.allSatisfy {
        $0.zone >= Self.inRoom && $0.placed >= Self.untold && Int(max($0.zone, $0.placed)) < zones.count
          && ($0.placed < 0 || !places.isEmpty)
      })
  }
}

/// Selects which of a beacon's zones is published as its place.
struct NearestZone: Sendable {
  /// The published zone stays until the distance of another is below this share of its own. Smaller differences are noise.
  static let decisively = 0.8

  /// By `ZoneIndex`: the zone's radius in metres; its receivers, nil: all; its rooms, nil: it has none.
  private let zones: [(reach: Double, receivers: Set<String>?, rooms: Set<String>?)]

  init(_ zones: [ZoneSettings]) {
    self.zones = zones.map { ($0.enter.threshold.reach, $0.receivers.map(Set.init), $0.rooms.map(Set.init)) }
  }

  /// - Parameters:
  ///   - candidates: the zones that the beacon is in, ascending.
  ///   - told: the zone published last.
  ///   - distance: a zone's estimate of the distance; nil if its receivers do not hear the beacon.
  func choose(
    among candidates: [ZoneIndex], told: ZoneIndex?, distance: (ZoneIndex) -> Double?
  ) -> ZoneIndex? {
    guard candidates.count > 1 else { return candidates.first }
    // A part, such as the kitchen, takes precedence over the whole, such as the house.
    let narrow = candidates.filter { zone in !candidates.contains { isPart($0, of: zone) } }
    let distances = narrow.map { (zone: $0, metres: distance($0) ?? .infinity) }
    guard
      let nearest = distances.min(by: {
        ($0.metres, zones[index($0.zone)].reach, $0.zone) < ($1.metres, zones[index($1.zone)].reach, $1.zone)
      })
    else { return nil }
    guard let last = distances.first(where: { $0.zone == told }) else { return nearest.zone }
    // At equal distance the same receiver hears both. The smaller circle is then more precise.
    let isInner =
      nearest.metres == last.metres && zones[index(nearest.zone)].reach < zones[index(last.zone)].reach
    return isInner || nearest.metres < last.metres * Self.decisively ? nearest.zone : last.zone
  }

  /// Whether a zone's receivers or rooms are a proper subset of another's. Rooms are also a part of a zone with all
  /// receivers.
  private func isPart(_ zone: ZoneIndex, of other: ZoneIndex) -> Bool {
    if let rooms = zones[index(zone)].rooms {
      if let others = zones[index(other)].rooms { return rooms.isStrictSubset(of: others) }
      return zones[index(other)].receivers == nil
    }
    guard let receivers = zones[index(zone)].receivers, zones[index(other)].rooms == nil else { return false }
    return zones[index(other)].receivers.map(receivers.isStrictSubset) ?? true
  }

  private func index(_ zone: ZoneIndex) -> Int { Int(zone.rawValue) }
}

extension Threshold {
  /// In metres. For a signal threshold, the distance at which a typical beacon has that signal outdoors.
  fileprivate var reach: Double {
    switch self {
    case .distance(let metres): metres
    case .signal(let level):
      pow(10, (Calibration.defaultMeasuredPower - level) / (10 * Calibration.defaultExponent))
    }
  }
}
