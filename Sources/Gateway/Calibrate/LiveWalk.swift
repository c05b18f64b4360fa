public import Beacons
public import Captures
public import Machine
public import Settings
import Pipeline
import Proximity
import Radio
import Scanners
import Synchronization

/// A live walk, received through the same receivers as `run`, while somebody marks where the beacon is.
public final class LiveWalk: Sendable {
  public typealias Placed = (mark: RecordingMarks.Mark, time: MonotonicTime)

  /// The present signals, for people who watch.
  public struct Glimpse: Sendable {
    /// A receiver, the latest level in dBm, and when that was.
    public var receivers: [(name: String, level: Int8, time: MonotonicTime)]
    /// Beacons, the most often heard first, with how often.
    public var beacons: [(name: String, count: Int)]
    /// When any of them was heard.
    public var latest: MonotonicTime?
    /// By room, for how long the beacon was heard, as the calibration counts it.
    public var seconds: [Double]

    package init(
      receivers: [(name: String, level: Int8, time: MonotonicTime)], beacons: [(name: String, count: Int)],
      latest: MonotonicTime?, seconds: [Double]
    ) {
      self.receivers = receivers
      self.beacons = beacons
      self.latest = latest
      self.seconds = seconds
    }
  }

  fileprivate struct State: ~Copyable {
    var walk: HeardWalk
    var local = ReceiverMap()
    var remote = ReceiverMap()
    var levels: [ReceiverIndex: (level: Int8, time: MonotonicTime)] = [:]
    var latest: MonotonicTime?
    var marks: [Placed] = []
    var heardTime: HeardTime
    var tape: WalkTape?
  }

  private let rooms: [String]
  private let state: Mutex<State>

  /// - Parameters:
  ///   - beacon: its name; nil: any beacon.
  ///   - record: the path of a recording and its marks, without the endings `.jsonl` and `.csv`; nil: nothing is recorded.
  ///     Existing files are not replaced: throws `EEXIST`.
  public init(_ configuration: Configuration, beacon: String?, record: String?) throws(SystemError) {
    var tape: WalkTape?
    if let record { tape = try WalkTape(prefix: record, patience: configuration.scannersLateness) }
    rooms = configuration.rooms.map(\.name)
    state = Mutex(
      State(
        walk: HeardWalk(configuration, beacon: beacon),
        heardTime: HeardTime(rooms: configuration.rooms.count),
        tape: tape))
  }

  public var glimpse: Glimpse {
    state.withLock { state in
      Glimpse(
        receivers: state.levels.map {
          (state.walk.receivers.name(of: $0.key), $0.value.level, $0.value.time)
        }.sorted { ($1.level, $0.name) < ($0.level, $1.name) },
        beacons: state.walk.heard.map { ($0.name, $0.count) }, latest: state.latest,
        seconds: state.heardTime.seconds)
    }
  }

  /// The beacon's room from now on; nil: unknown.
  ///
  /// - Parameter point: where in it the beacon is now; nil: somewhere.
  public func mark(
    _ room: String?, _ point: (x: Double, y: Double)?, at time: MonotonicTime, wallTime: WallTime
  ) {
    state.withLock { state in
      let mark = RecordingMarks.Mark(
        time: .calendar(wallTime), room: room, point: point, line: state.marks.count + 2)
      state.marks.append((mark, time))
      state.heardTime.mark(room.flatMap { rooms.firstIndex(of: $0) }, at: time)
      state.tape?.append(mark, at: wallTime)
    }
  }

  /// All sightings and marks until now.
  public func take() -> (walk: HeardWalk, marks: [Placed]) { state.withLock { ($0.walk, $0.marks) } }

  /// Completes the recording. Returns the error that ended it early; nil: none.
  public func finishRecording() -> SystemError? {
    state.withLock { state in
      state.tape?.write(isEnd: true)
      return state.tape?.fault
    }
  }

  func hear(_ batch: borrowing AdvertisementBatch, _ table: ReceiverTable, isRemote: Bool) {
    state.withLock { state in
      let map = state.learn(table, isRemote: isRemote)
      batch.forEach { advertisement, payload in
        var advertisement = copy advertisement
        guard let receiver = map[advertisement.receiver] else { return }
        advertisement.receiver = receiver
        guard let sighting = state.walk.observe(advertisement, payload: payload) else { return }
        state.note(sighting)
        state.tape?.append(advertisement, payload: payload, receivers: state.walk.receivers)
      }
      state.tape?.write()
    }
  }

  /// The same for sightings that are identified by the beacon's key.
  func hear(_ observations: [Observation], _ table: ReceiverTable, isRemote: Bool) {
    state.withLock { state in
      let map = state.learn(table, isRemote: isRemote)
      for observation in observations {
        var observation = observation
        guard let receiver = map[observation.receiver] else { continue }
        observation.receiver = receiver
        guard let sighting = state.walk.observe(observation) else { continue }
        state.note(sighting)
        state.tape?.append(observation, receivers: state.walk.receivers)
      }
      state.tape?.write()
    }
  }

  func hear(_ hearing: Hearing, _ table: ReceiverTable) {
    hear(hearing.batch, table, isRemote: true)
    if !hearing.observations.isEmpty { hear(hearing.observations, table, isRemote: true) }
  }
}

extension LiveWalk.State {
  fileprivate mutating func learn(_ table: ReceiverTable, isRemote: Bool) -> ReceiverMap {
    if isRemote {
      remote.learn(table) { walk.receiver($0) }
      return remote
    }
    local.learn(table) { walk.receiver($0) }
    return local
  }

  fileprivate mutating func note(_ sighting: Sighting) {
    guard let level = sighting.rssi else { return }
    levels[sighting.receiver] = (level, sighting.time)
    latest = max(latest ?? sighting.time, sighting.time)
    heardTime.hear(at: sighting.time)
  }
}
