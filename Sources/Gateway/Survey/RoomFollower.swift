import Beacons
import Captures
import Configuration
import Contract
import Core
import Pipeline
import Proximity

/// Follows one beacon through the rooms of a recording, and compares that with a file of marks.
package struct RoomFollower: Sendable {
  /// Its name in transitions; nil: none was requested, and none was heard yet.
  package private(set) var beacon: String?
  /// Some other beacons that were heard while none was requested.
  package private(set) var others: [String] = []
  package let plan: RoomPlan
  package let names: RoomCalibrator.Names
  package private(set) var journey: RoomJourney
  /// When the recording begins; nil: it is empty.
  package private(set) var start: WallTime?
  /// Whether the beacon was heard by a receiver of the rooms.
  package var hasHeard: Bool { !journey.levels.isEmpty }

  private static let otherLimit = 10

  private let isWanted: Bool
  private let marks: RecordingMarks?
  private let hearers: Set<ReceiverIndex>
  private var index: BeaconIndex?
  /// The roster's revision when a beacon was last looked up.
  private var revision: UInt64?
  private var passedOver: Set<BeaconIndex> = []

  /// The configuration has no rooms.
  package struct NoRooms: Error {}

  /// - Parameters:
  ///   - beacon: its name in transitions; nil: the first that is heard.
  ///   - marks: where it was; each of their rooms must be configured.
  package init(_ configuration: Configuration, beacon: String?, marks: RecordingMarks? = nil) throws(NoRooms)
  {
    // A receiver keeps its index in a pipeline, whatever comes later.
    var table = Pipeline(configuration).receivers
    guard let (plan, names) = configuration.roomPlan(receivers: &table) else { throw NoRooms() }
    self.beacon = beacon
    isWanted = beacon != nil
    self.plan = plan
    self.names = names
    self.marks = marks
    hearers = Set(plan.hearers.map(\.receiver))
    journey = RoomJourney(rooms: plan.rooms.count)
  }

  /// Processes an advertisement, after everything that happens before it.
  mutating func observe(
    _ advertisement: Advertisement, payload: Span<UInt8>, in pipeline: inout Pipeline,
    into output: inout Pipeline.Output
  ) {
    advance(to: advertisement.time, advertisement.wallTime, in: &pipeline, into: &output)
    hear(pipeline.observe(advertisement, payload: payload, into: &output), pipeline.roster)
  }

  /// The same for a sighting that is identified by the beacon's key.
  mutating func observe(
    _ observation: Observation, in pipeline: inout Pipeline, into output: inout Pipeline.Output
  ) {
    advance(to: observation.time, observation.wallTime, in: &pipeline, into: &output)
    hear(pipeline.observe(observation, into: &output), pipeline.roster)
  }

  private mutating func hear(_ sighting: Sighting?, _ roster: Roster) {
    guard let sighting, hearers.contains(sighting.receiver), isFollowed(sighting.beacon, roster),
      let level = sighting.rssi
    else { return }
    journey.hear(level, by: sighting.receiver, at: sighting.time)
  }

  /// Processes that time has passed.
  mutating func advance(
    to time: MonotonicTime, _ wallTime: WallTime, in pipeline: inout Pipeline,
    into output: inout Pipeline.Output
  ) {
    begin(at: wallTime)
    follow(&pipeline, to: time, into: &output)
  }

  /// Records the reported room at each moment up to a time.
  private mutating func follow(
    _ pipeline: inout Pipeline, to time: MonotonicTime, into output: inout Pipeline.Output
  ) {
    while let moment = journey.nextMoment(upTo: time) {
      while let due = pipeline.roomDeadline, due <= moment { pipeline.advance(to: due, into: &output) }
      journey.note(index.flatMap { pipeline.roomEstimate(of: $0) }, at: moment)
    }
  }

  /// Processes decisions.
  mutating func note(_ output: Pipeline.Output) {
    for case .transition(let message) in output.items where message.beacon == beacon {
      if case .room(let transition) = message.decision { journey.note(transition) }
    }
  }

  private mutating func begin(at time: WallTime) {
    guard start == nil else { return }
    start = time
    guard let marks else { return }
    let truth = marks.marks.map { mark in
      let since =
        switch mark.time {
        case .calendar(let marked): marked - time
        case .sinceStart(let span): span
        }
      return MarkedWalk.Mark(
        time: .zero + since,
        room: mark.room.flatMap { names.rooms.firstIndex(of: $0) }.map { RoomIndex(rawValue: Int32($0)) },
        point: mark.point.map { Point(x: $0.x, y: $0.y) })
    }
    journey = RoomJourney(rooms: plan.rooms.count, truth: RoomTruth(truth))
  }

  private mutating func isFollowed(_ beacon: BeaconIndex, _ roster: Roster) -> Bool {
    if revision != roster.revision {
      revision = roster.revision
      passedOver = []
      if let index, roster.name(of: index) != self.beacon { self.index = nil }
    }
    if let index, index == beacon { return true }
    if passedOver.contains(beacon) { return false }
    let name = roster.name(of: beacon)
    guard name == self.beacon ?? name else {
      passedOver.insert(beacon)
      if !isWanted, others.count < Self.otherLimit, !others.contains(name) { others.append(name) }
      return false
    }
    self.beacon = name
    index = beacon
    return true
  }
}
