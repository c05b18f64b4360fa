import Settings
import Glibc
import Proximity

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
