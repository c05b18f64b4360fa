import Beacons
import Configuration
import Core
import Glibc
import Pipeline
import Proximity
import Synchronization
import Web

/// Calibrates from the page: keeps one walk at a time, computes the calibration on a thread of low priority, and saves it.
/// Everything is bounded, and an abandoned walk ends.
final class CalibrationDesk: Sendable {
  /// The state of the computation.
  enum Fit: Sendable {
    /// The part that is done, 0 to 1.
    case running(part: Double)
    case failed(String)
    case done(CalibrationResult)
  }

  /// The last save, so that it can be undone.
  struct Kept: Sendable {
    var store: CalibrationStore
    var hadEarlier: Bool
    /// The revision of the configuration, if a line for the calibration was added.
    var revision: String?
    /// The line that the user must add to the configuration.
    var missing: String?
  }

  struct State: Sendable {
    var walk: CalibrationWalk?
    var fit: Fit?
    var kept: Kept?
    /// Counts computations; the result of an earlier turn is ignored.
    var turn = 0
    /// When a client last asked.
    var used = MonotonicTime.zero
  }

  /// How long an abandoned walk is kept.
  private static let patience = TimeSpan.seconds(3600)
  /// How long a computation may take. Its progress callback is called about ten times.
  private static let longest = TimeSpan.seconds(300)
  /// How often the history is read while no page is open. It holds 98,304 sightings or more, so below 4,000 a second none is
  /// missed. A callback instead would cost time in every batch.
  private static let beat = Duration.seconds(20)
  /// Added to the thread's nice value.
  private static let nice: Int32 = 10

  let stage: any Stage
  private let state = Mutex(State())

  init(_ stage: any Stage) { self.stage = stage }

  /// The present state, with everything received until now.
  var current: (state: State, configuration: Configuration, now: Moment) {
    let (configuration, now) = listen()
    return state.withLock { state in
      state.used = LiveClock.now
      return (state, configuration, now)
    }
  }

  // MARK: The walk

  /// Begins a walk with a beacon. Returns a reason if it cannot.
  func begin(_ beacon: String) -> String? {
    let found = stage.look { pipeline, _, now -> ([RoomSettings], Moment, UInt64)? in
      guard pipeline.beacon(named: beacon) != nil, let memory = pipeline.hindsight else { return nil }
      return (pipeline.configuration.rooms, now, memory.history.end)
    }
    guard let (rooms, now, place) = found else { return "No beacon of this name was heard yet." }
    let isFirst = state.withLock { state in
      guard state.walk == nil else { return false }
      state.walk = CalibrationWalk(beacon, in: rooms, at: now, since: place)
      (state.fit, state.used) = (nil, LiveClock.now)
      return true
    }
    guard isFirst else { return "A calibration is running already." }
    Task { [weak self] in
      while let self, self.isListening() {
        try? await Task.sleep(for: Self.beat)
        self.listen()
      }
    }
    return nil
  }

  func end() {
    state.withLock { state in
      (state.walk, state.fit) = (nil, nil)
      state.turn += 1
    }
  }

  /// Changes the marks; the calibration must be computed again.
  func mark<Refusal: Error>(_ change: (inout MarkBook, Configuration, Moment) throws(Refusal) -> Void)
    throws(Refusal)
    -> Bool
  {
    let (configuration, now) = listen()
    return try state.withLock { state throws(Refusal) in
      guard state.walk != nil else { return false }
      try change(&state.walk!.marks, configuration, now)
      return true
    }
  }

  @discardableResult
  private func listen() -> (Configuration, Moment) {
    let name = state.withLock { $0.walk?.beacon }
    // The snapshot is read while decisions continue.
    let (memory, index, configuration, now) = stage.look { pipeline, _, now in
      (
        name == nil ? nil : pipeline.hindsight, name.flatMap { pipeline.beacon(named: $0) },
        pipeline.configuration, now
      )
    }
    if let memory {
      state.withLock { state in
        state.walk?.take(memory, index)
        guard state.walk?.follow(configuration.rooms) == true else { return }
        // It was computed for the former ones.
        state.fit = nil
        state.turn += 1
      }
    }
    return (configuration, now)
  }

  private func isListening() -> Bool {
    state.withLock { state in
      if LiveClock.now - state.used > Self.patience { state.walk = nil }
      return state.walk != nil
    }
  }

  // MARK: The calibration

  /// Begins the computation. Returns a reason if it cannot.
  func fit() -> String? {
    let (_, configuration, _) = current
    let begun = state.withLock { state -> (WalkWithMarks, Int)? in
      guard let walk = state.walk, !walk.marks.marks.isEmpty else { return nil }
      if case .running? = state.fit { return nil }
      state.turn += 1
      state.fit = .running(part: 0)
      return (walk.marked, state.turn)
    }
    guard let (walk, turn) = begun else { return "There is nothing to learn from: mark where you are." }
    do throws(SystemError) {
      try Thread.start { [weak self] in
        // Fails if the service has no permission for it.
        _ = setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, Self.nice)
        self?.fit(walk, configuration, turn)
      }
    } catch {
      state.withLock { $0.fit = .failed("\(error)") }
    }
    return nil
  }

  private func fit(_ walk: WalkWithMarks, _ configuration: Configuration, _ turn: Int) {
    let start = LiveClock.now
    let outcome: Fit
    do throws(UselessWalk) {
      let result = try Calibrating(walk, configuration, replacing: configuration.presentCalibration).result {
        step throws(UselessWalk) in
        guard LiveClock.now - start < Self.longest else {
          throw UselessWalk(
            "it took more than \(Int(Self.longest.seconds)) s; use `beaconkeeper calibrate` for it")
        }
        let part = if case .trying(let part) = step { 0.2 + 0.8 * part } else { 0.05 }
        let isWanted = state.withLock { state in
          guard state.turn == turn else { return false }
          state.fit = .running(part: part)
          return true
        }
        if !isWanted { throw UselessWalk("given up") }
      }
      outcome = .done(result)
    } catch {
      outcome = .failed("\(error)")
    }
    state.withLock { if $0.turn == turn { $0.fit = outcome } }
  }

  // MARK: Saving

  /// The result, if there is one to save.
  var result: CalibrationResult? {
    state.withLock { if case .done(let result)? = $0.fit, result.calibration != nil { result } else { nil } }
  }

  var kept: Kept? {
    get { state.withLock { $0.kept } }
    set { state.withLock { $0.kept = newValue } }
  }
}

extension Configuration {
  /// The calibration in use; nil: there is none for these rooms.
  fileprivate var presentCalibration: CalibrationFile? {
    guard let roomCalibration, let calibrationAccount else { return nil }
    let file = CalibrationFile(roomCalibration, calibrationAccount)
    return file.isForeign(to: self) ? nil : file
  }
}

/// A walk in progress, for a calibration from the page. It reads the beacon's signals from the gateway's history of sightings,
/// so it costs the decisions nothing.
struct CalibrationWalk: Sendable {
  /// The largest number of sightings: half an hour with 10 a second from each of six receivers.
  static let limit = 100_000

  let beacon: String
  /// When it began.
  let began: Moment
  var marks = MarkBook()
  private var rooms: [RoomSettings]
  private(set) var sightings: [Sighting] = []
  private(set) var receivers = ReceiverTable()
  /// The latest level that each receiver heard, in dBm, and when.
  private(set) var levels: [ReceiverIndex: (level: Int8, time: MonotonicTime)] = [:]
  /// The number of the event in the history at which the walk continues.
  private var place: UInt64

  init(_ beacon: String, in rooms: [RoomSettings], at now: Moment, since place: UInt64) {
    self.beacon = beacon
    self.rooms = rooms
    began = now
    self.place = place
  }

  var isFull: Bool { sightings.count >= Self.limit }

  /// When the beacon was last heard; nil: not yet.
  var latest: MonotonicTime? { levels.values.map(\.time).max() }

  /// Adds the sightings since the last call.
  ///
  /// - Parameter index: the beacon's index in this snapshot; nil: it was not heard.
  mutating func take(_ memory: Hindsight, _ index: BeaconIndex?) {
    guard let index else { return }
    var map = ReceiverMap()
    map.learn(memory.receivers) { receivers.index(of: $0) }
    for case .sighting(var sighting, _) in memory.history.events(from: place) where sighting.beacon == index {
      guard let level = sighting.rssi, let receiver = map[sighting.receiver] else { continue }
      sighting.receiver = receiver
      levels[receiver] = (level, sighting.time)
      if !isFull { sightings.append(sighting) }
    }
    place = memory.history.end
  }

  /// Continues with other rooms: the marks of a renamed one stay. Returns whether the rooms are others.
  mutating func follow(_ present: [RoomSettings]) -> Bool {
    if present == rooms { return false }
    let (former, names) = (Set(rooms.map(\.name)), Set(present.map(\.name)))
    for room in rooms where !names.contains(room.name) {
      let heirs = present.filter { !former.contains($0.name) && $0.place != nil && $0.place == room.place }
      if heirs.count == 1 { marks.rename(room.name, to: heirs[0].name) }
    }
    rooms = present
    return true
  }

  /// In the form that a calibration is computed from.
  var marked: WalkWithMarks {
    WalkWithMarks(
      beacon: beacon, sightings: sightings, receivers: receivers,
      // The line of the CSV counts from below its header.
      marks: marks.marks.enumerated().map {
        PlacedMark(time: $1.time, room: $1.room, point: $1.point, line: $0 + 2)
      })
  }
}
