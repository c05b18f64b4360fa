import Pipeline
import Captures
import Beacons
import Settings
import Messages
import Proximity
import Radio
import RangingPolicy

/// Every approach in a recording, with the same pipeline as `Replay`. Its memory does not grow with the recording: it holds
/// only present stays, at most `limit`.
public struct ApproachFinder: ~Copyable {
  private struct Stay {
    var approach: RecordedApproach
    var beacon: BeaconIndex
    var begin: MonotonicTime
    /// When silence becomes a loss; nil: the receivers are blind.
    var lossDue: MonotonicTime?
  }

  /// The largest number of stays at a time.
  public static let limit = 1000

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
  public private(set) var passedOver = 0

  public init(
    _ configuration: Configuration, captures: [String], beacons: Set<String>?
  ) throws(CaptureError) {
    recording = try Recording(paths: captures)
    var configuration = configuration
    configuration.phones = []
    pipeline = Pipeline(configuration)
    self.configuration = configuration
    wanted = beacons
  }

  public var counts: Pipeline.Counts { pipeline.counts }
  public var progress: (offset: Int64, length: Int64?) { recording.progress }
  public var malformedEvents: Int64 { recording.malformedEvents }

  /// Processes the next batch; false at the end. `found` is emptied, then gets the approaches that ended, in order of their
  /// end. Throws after everything before a fault of the capture was processed; `finish` then returns the rest.
  public mutating func next(into found: inout [RecordedApproach]) throws(CaptureError) -> Bool {
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
      pipeline.setBlind(change.receiver, change.health.isBlind, at: change.time, into: &output)
      noteTriggers()
      endStays(before: change.time, into: &found)
      for beacon in stays.keys { watch(beacon) }
    case .end: return false
    }
    return true
  }

  /// The stays that the end of the recording cuts off, in order of their beginning.
  public mutating func finish(into found: inout [RecordedApproach]) {
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
