import Settings
import Glibc
import Proximity

/// Picks, from the zones that a beacon is in, the one that is published as its place.
struct NearestZone: Sendable {
  /// The published zone stays until another one is nearer by a fifth, because signals fluctuate by more than that.
  static let decisively = 0.8

  /// By `ZoneIndex`: the metres within which one is in the zone; who hears there, nil: every receiver; the rooms that it is
  /// made of, nil: of none.
  private let zones: [(reach: Double, receivers: Set<String>?, rooms: Set<String>?)]

  init(_ zones: [ZoneSettings]) {
    self.zones = zones.map { ($0.enter.threshold.reach, $0.receivers.map(Set.init), $0.rooms.map(Set.init)) }
  }

  /// - Parameters:
  ///   - candidates: the zones that the beacon is in, ascending.
  ///   - told: the last answer.
  ///   - distance: what the zone's receivers make of the beacon; nil where they do not hear it.
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
    // At equal distance the same receiver hears both: the smaller circle is the better answer.
    let isInner =
      nearest.metres == last.metres && zones[index(nearest.zone)].reach < zones[index(last.zone)].reach
    return isInner || nearest.metres < last.metres * Self.decisively ? nearest.zone : last.zone
  }

  /// Whether one zone has some of the receivers or rooms of another, or some rooms of all that can be heard.
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
  /// In metres; for a signal, the distance at which a typical beacon has it outdoors.
  fileprivate var reach: Double {
    switch self {
    case .distance(let metres): metres
    case .signal(let level):
      pow(10, (Calibration.defaultMeasuredPower - level) / (10 * Calibration.defaultExponent))
    }
  }
}
