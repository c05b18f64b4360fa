import Beacons
import Captures
import Configuration
import Contract
import Core
import Phones
import Pipeline
import Proximity

/// Every approach in a recording, with the same pipeline as `Replay`. Its memory does not grow with the recording: it holds
/// only present stays, at most `limit`.
package struct ApproachFinder: ~Copyable {
  private struct Stay {
    var approach: RecordedApproach
    var beacon: BeaconIndex
    var begin: MonotonicTime
    /// When silence becomes a loss; nil: the receivers are blind.
    var lossDue: MonotonicTime?
  }

  /// The largest number of stays at a time.
  package static let limit = 1000

  private var recording: Recording
  private var pipeline: Pipeline
  private let configuration: Configuration
  /// Names of beacons; nil: all.
  private let wanted: Set<String>?
  private var batch = AdvertisementBatch()
  private var output = Pipeline.Output()
  private var stays: [BeaconIndex: Stay] = [:]
  /// The earliest `lossDue`, or an earlier time.
  private var nextLoss = MonotonicTime.distantFuture
  /// By `BeaconIndex`, of those sighted.
  private var isWanted: [BeaconIndex: Bool] = [:]
  private var revision: UInt64 = 0
  private var time = MonotonicTime.zero
  /// Stays that were skipped because there were too many.
  package private(set) var passedOver = 0

  package init(
    _ configuration: Configuration, captures: [String], beacons: Set<String>?
  ) throws(CaptureError) {
    recording = try Recording(paths: captures)
    var configuration = configuration
    configuration.phones = []
    pipeline = Pipeline(configuration)
    self.configuration = configuration
    wanted = beacons
  }

  package var counts: Pipeline.Counts { pipeline.counts }
  package var progress: (offset: Int64, length: Int64?) { recording.progress }
  package var malformedEvents: Int64 { recording.malformedEvents }

  /// Processes the next batch; false at the end. `found` is emptied, then gets the approaches that ended, in order of their
  /// end. Throws after everything before a fault of the capture was processed; `finish` then returns the rest.
  package mutating func next(into found: inout [RecordedApproach]) throws(CaptureError) -> Bool {
    found.removeAll(keepingCapacity: true)
    switch try recording.next(into: &batch, receiver: { pipeline.receiver($0) }) {
    case .advertisements:
      for index in 0..<batch.count {
        batch.forEach(in: index..<(index + 1)) { advertisement, payload in
          observe(advertisement, payload, into: &found)
        }
      }
    case .observation(let observation):
      output.removeAll()
      take(pipeline.observe(observation, into: &output), at: observation.time, into: &found)
    case .health(let change):
      time = max(time, change.time)
      output.removeAll()
      pipeline.setHealth(change.receiver, change.health, at: change.time, into: &output)
      noteTriggers()
      endStays(before: change.time, into: &found)
      for beacon in stays.keys { watch(beacon) }
    // Approaches are simulated only from sightings; reports of apps do not count.
    case .report: break
    case .end: return false
    }
    return true
  }

  /// The stays that the end of the recording cuts off, in order of their beginning.
  package mutating func finish(into found: inout [RecordedApproach]) {
    found.removeAll(keepingCapacity: true)
    output.removeAll()
    pipeline.advance(to: time, into: &output)
    noteTriggers()
    endStays(before: time, into: &found)
    for stay in stays.values.sorted(by: { ($0.begin, $0.beacon) < ($1.begin, $1.beacon) }) {
      var approach = stay.approach
      approach.isCut = true
      approach.end = (time - stay.begin).milliseconds
      found.append(approach)
    }
    stays.removeAll()
  }

  private mutating func observe(
    _ advertisement: Advertisement, _ payload: Span<UInt8>, into found: inout [RecordedApproach]
  ) {
    output.removeAll()
    let sighting = pipeline.observe(advertisement, payload: payload, into: &output)
    take(sighting, at: advertisement.time, into: &found)
  }

  private mutating func take(
    _ sighting: Sighting?, at heard: MonotonicTime, into found: inout [RecordedApproach]
  ) {
    time = max(time, heard)
    let later = noteTriggers()
    if nextLoss < time { endStays(before: time, into: &found) }
    if let sighting { follow(sighting) }
    for trigger in later { note(trigger) }
  }

  private mutating func follow(_ sighting: Sighting) {
    let beacon = sighting.beacon
    if isWanted[beacon] == nil || pipeline.roster.revision != revision {
      revision = pipeline.roster.revision
      isWanted[beacon] = wanted.map { wanted in isOne(of: wanted, beacon) } ?? true
    }
    guard isWanted[beacon] == true else { return }
    if stays[beacon] == nil {
      guard stays.count < Self.limit else {
        passedOver += 1
        return
      }
      stays[beacon] = Stay(
        approach: RecordedApproach(
          beacon: pipeline.roster.name(of: beacon), names: pipeline.roster.names(of: beacon),
          start: sighting.wallTime, zones: nearZones(of: beacon)),
        beacon: beacon, begin: time)
    }
    if let begin = stays[beacon]?.begin, let estimate = pipeline.engine.estimate(of: beacon) {
      stays[beacon]?.approach.move(to: estimate.estimate.distance, at: (time - begin).milliseconds)
    }
    watch(beacon)
  }

  /// Whether one of the beacon's names, or its region, is wanted.
  private func isOne(of wanted: Set<String>, _ beacon: BeaconIndex) -> Bool {
    pipeline.roster.names(of: beacon).contains { name in
      wanted.contains(name) || name.firstIndex(of: ":").map { wanted.contains(String(name[..<$0])) } ?? false
    }
  }

  private func nearZones(of beacon: BeaconIndex) -> [(name: String, rearm: Micrometres)] {
    pipeline.roster.zones(of: beacon).compactMap { index in
      let zone = configuration.zones[Int(index.rawValue)]
      guard let near = zone.near else { return nil }
      // A signal is not a distance: then the trigger stays until the phone has left.
      guard case .distance(let metres) = near.rearm else { return (zone.name, .max) }
      return (zone.name, Micrometres(min(max(metres, 0), 1_000_000) * 1e6))
    }
  }

  /// Computes when silence would become a loss; never while the receivers are blind.
  private mutating func watch(_ beacon: BeaconIndex) {
    var due: MonotonicTime?
    if !pipeline.sight.isBlind {
      for index in pipeline.roster.zones(of: beacon)
      where configuration.zones[Int(index.rawValue)].near != nil {
        guard let silence = pipeline.engine.silence(of: beacon, in: index) else { continue }
        var loss = silence.loss
        if case .after(let span) = configuration.zones[Int(index.rawValue)].lost {
          loss = silence.since + span
        }
        due = max(due ?? loss, loss)
      }
      due = due ?? pipeline.engine.silence(of: beacon, in: nil)?.loss
    }
    stays[beacon]?.lossDue = due
    if let due { nextLoss = min(nextLoss, due) }
  }

  /// Handles near triggers of present stays; returns those of stays that have not begun yet.
  @discardableResult
  private mutating func noteTriggers() -> [TransitionMessage] {
    var later: [TransitionMessage] = []
    for case .transition(let message) in output.items where message.event == .near {
      let stay = stays[message.beaconIndex]
      if let stay, stay.lossDue.map({ message.time <= $0 }) ?? true {
        note(message)
      } else {
        later.append(message)
      }
    }
    return later
  }

  private mutating func note(_ message: TransitionMessage) {
    guard let stay = stays[message.beaconIndex] else { return }
    let since = (message.time - stay.begin).milliseconds
    stays[message.beaconIndex]?.approach.trigger(zone: message.place, at: since)
  }

  private mutating func endStays(before time: MonotonicTime, into found: inout [RecordedApproach]) {
    var next = MonotonicTime.distantFuture
    var ended: [(due: MonotonicTime, beacon: BeaconIndex)] = []
    for (beacon, stay) in stays {
      guard let due = stay.lossDue else { continue }
      if due < time { ended.append((due, beacon)) } else { next = min(next, due) }
    }
    nextLoss = next
    for (due, beacon) in ended.sorted(by: { $0 < $1 }) {
      guard var stay = stays.removeValue(forKey: beacon) else { continue }
      stay.approach.end = (due - stay.begin).milliseconds
      found.append(stay.approach)
    }
  }
}

extension TimeSpan {
  /// Rounded up.
  fileprivate var milliseconds: Milliseconds {
    let (whole, rest) = nanoseconds.quotientAndRemainder(dividingBy: 1_000_000)
    return rest > 0 ? whole + 1 : whole
  }
}

/// One stay of a beacon within range, from its first sighting to its loss, as a phone that carries it experiences it.
///
/// Times count from the first sighting, in milliseconds. The path is thinned, so that a long stay needs no more memory than a
/// short one: the nearest distance of each 100 ms is kept, and that span is doubled each time there are 2048 entries.
package struct RecordedApproach: Sendable {
  /// The name of its most specific entry.
  package let beacon: String
  /// All its names.
  package let names: Set<String>
  package let start: WallTime
  /// The recording ended before the beacon was lost.
  package internal(set) var isCut = false
  /// When it was lost, or the recording ended.
  package internal(set) var end: Milliseconds = 0

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
  package func decided(only: Set<String>? = nil, rearm: [String: Micrometres] = [:]) -> [Approach] {
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
  package func measured(near: NearDistances) -> Approach {
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
