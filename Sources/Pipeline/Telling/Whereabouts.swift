import Beacons
import Settings
import Messages
import Proximity

/// Where each beacon was last said to be: `beacon/<beacon>/zone` and, if zones lie in places of Home Assistant,
/// `beacon/<beacon>/place`.
struct Whereabouts: Sendable {
  /// Indices of zones, or one of the numbers below.
  private struct Told: StateElement {
    var zone = Whereabouts.untold
    /// The zone that the place is of.
    var placed = Whereabouts.untold

    mutating func fields(_ coder: inout StateCoder) throws(StateError) {
      try coder("zone", &zone)
      try coder("placed", &placed)
    }
  }

  private static let nowhere = -1 as Int32
  private static let untold = -2 as Int32
  /// In a room, and in no zone.
  private static let inRoom = -3 as Int32

  private let nearest: NearestZone
  /// By `ZoneIndex`.
  private let zones: [String]
  /// By `ZoneIndex`: its place in Home Assistant; nil: none. Empty if no places are configured.
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

  /// What changed since the last call.
  ///
  /// - Parameters:
  ///   - inside: the zones that the beacon is in, ascending.
  ///   - isInRoom: whether it is in a room.
  ///   - distance: what a zone's receivers make of the beacon.
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
    // Two zones may lie in one place.
    if last.placed == Self.untold || place(now) != place(last), let place = placeMessage(now, of: name) {
      news.append(place)
    }
    return news
  }

  /// All whereabouts of a beacon, for a broker that may have lost them. The parameters are the same as for `news`.
  func all(
    of beacon: BeaconIndex, called name: String, in inside: [ZoneIndex], isInRoom: Bool,
    distance: (ZoneIndex) -> Double?
  ) -> [WhereaboutsMessage] {
    let index = Int(beacon.rawValue)
    var now = told.indices.contains(index) ? told[index] : Told()
    if now.zone == Self.untold { now = find(now, inside, isInRoom, distance) }
    return [zone(now, of: name)] + [placeMessage(now, of: name)].compactMap(\.self)
  }

  /// Takes over where a beacon was said to be before the configuration changed: of two zones at equal distance it stays in that
  /// one.
  ///
  /// - Parameter zones: by the other's `ZoneIndex`: the zone of that name here.
  mutating func adopt(
    _ known: BeaconIndex, of other: Whereabouts, as beacon: BeaconIndex, _ zones: [ZoneIndex?]
  ) {
    guard other.told.indices.contains(Int(known.rawValue)) else { return }
    let index = Int(beacon.rawValue)
    while told.count <= index { told.append(Told()) }
    // What a zone has become under another name, or without a place, is told anew.
    func heir(_ zone: Int32) -> Int32 { zone < 0 ? zone : zones[Int(zone)]?.rawValue ?? Self.untold }
    let last = other.told[Int(known.rawValue)]
    told[index] = Told(
      zone: heir(last.zone), placed: places.isEmpty || other.places.isEmpty ? Self.untold : heir(last.placed))
  }

  /// The beacon's index serves another from now on.
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
