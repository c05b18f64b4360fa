import JSON
import Beacons
import Messages
import RangingPolicy

/// One stay of a beacon within range, from its first sighting to its loss, as a phone that carries it experiences it.
///
/// Times count from the first sighting, in milliseconds. The path is thinned, so that a long stay needs no more memory than a
/// short one: the nearest distance of each 100 ms is kept, and that span is doubled each time there are 2048 entries.
public struct RecordedApproach: Sendable {
  /// The name of its most specific entry.
  public let beacon: String
  /// All its names.
  public let names: Set<String>
  public let start: WallTime
  /// The recording ended before the beacon was lost.
  public internal(set) var isCut = false
  /// When it was lost, or the recording ended.
  public internal(set) var end: Milliseconds = 0

  private var path: [(time: Milliseconds, distance: Micrometres)] = []
  private var spacing: Milliseconds = 100
  private var triggers: [(zone: String, time: Milliseconds)] = []
  /// The zones with a near rule that watch it, with the distance beyond which it re-arms.
  private let zones: [(name: String, rearm: Micrometres)]

  static let pathLimit = 2048
  static let triggerLimit = 1024

  init(beacon: String, names: [String], start: WallTime, zones: [(name: String, rearm: Micrometres)]) {
    self.beacon = beacon
    self.names = Set(names)
    self.start = start
    self.zones = zones
  }

  /// `metres`: the gateway's estimate.
  mutating func move(to metres: Double, at time: Milliseconds) {
    let distance = Micrometres(min(max(metres.isNaN ? 0 : metres, 0), 50) * 1e6)
    if let last = path.last, time < last.time + spacing {
      path[path.count - 1].distance = min(last.distance, distance)
      return
    }
    if path.count >= Self.pathLimit { thin() }
    path.append((time, distance))
  }

  private mutating func thin() {
    spacing *= 2
    path = stride(from: 0, to: path.count, by: 2).map { index in
      let next = index + 1 < path.count ? path[index + 1].distance : path[index].distance
      return (path[index].time, min(path[index].distance, next))
    }
  }

  mutating func trigger(zone: String, at time: Milliseconds) {
    if triggers.count < Self.triggerLimit { triggers.append((zone, max(0, time))) }
  }

  /// The decisions of the gateway's zones: one approach for each zone with a near rule that watches the beacon, since triggers
  /// of two may wait at once. `only`: these zones; nil: all. `rearm`: used instead of the zone's.
  public func decided(only: Set<String>? = nil, rearm: [String: Micrometres] = [:]) -> [Approach] {
    let zones = zones.filter { only?.contains($0.name) ?? true }
    guard !zones.isEmpty else {
      let near = NearDistances(near: nil, rearm: .max)
      return [Approach(name: "\(beacon), \(time)", near: near, timeline: timeline(triggers: []))]
    }
    return zones.map { zone in
      let near = NearDistances(near: nil, rearm: rearm[zone.name] ?? zone.rearm)
      let times = triggers.filter { $0.zone == zone.name }.map(\.time)
      return Approach(
        name: "\(beacon) at \(zone.name), \(time)", near: near, timeline: timeline(triggers: times))
    }
  }

  /// The same with another near distance.
  public func measured(near: NearDistances) -> Approach {
    Approach(name: "\(beacon), \(time)", near: near, timeline: timeline(triggers: []))
  }

  private var time: String { start.rfc3339 + (isCut ? ", cut off" : "") }

  private func timeline(triggers: [Milliseconds]) -> Timeline {
    var events = path.map {
      Timeline.Entry(time: $0.time, event: .motion(Motion(start: $0.time, distance: $0.distance)))
    }
    events += triggers.map { Timeline.Entry(time: $0, event: .near) }
    if !isCut { events.append(Timeline.Entry(time: end, event: .motion(nil))) }
    var timeline = Timeline(events: events, end: end, start: .background)
    timeline.isCut = isCut
    return timeline
  }
}
