import Beacons
import Captures
import Configuration
import Contract
import Core
import Glibc
import Pipeline
import Proximity
import Radio
import Synchronization

/// A live walk, received through the same receivers as `run`, while somebody marks where the beacon is.
package final class LiveWalk: Sendable {
  /// The present signals, for people who watch.
  package struct Glimpse: Sendable {
    /// A receiver, the latest level in dBm, and when that was.
    package var receivers: [(name: String, level: Int8, time: MonotonicTime)] = []
    /// How often each beacon was heard, the most frequent first.
    package var beacons: [(name: String, count: Int)] = []
    /// When any of them was heard.
    package var latest: MonotonicTime?
    /// By room: the seconds for which the beacon was heard, as the calibration counts them.
    package var seconds: [Double] = []
    /// How many seconds of a room are enough. It depends on how often the beacon is heard.
    package var goal = CalibrationResult.goal(interval: nil)

    package init() {}
  }

  fileprivate struct State: ~Copyable {
    var walk: HeardWalk
    var local = ReceiverMap()
    var remote = ReceiverMap()
    var levels: [ReceiverIndex: (level: Int8, time: MonotonicTime)] = [:]
    var latest: MonotonicTime?
    var marks: [PlacedMark] = []
    var heardTime: HeardTime
    var tape: WalkTape?
  }

  private let configuration: Configuration
  private let state: Mutex<State>

  /// - Parameters:
  ///   - beacon: its name; nil: any beacon.
  ///   - record: the path of a recording and its marks, without the endings `.jsonl` and `.csv`; nil: nothing is recorded.
  ///     Existing files are not replaced: throws `EEXIST`.
  package init(_ configuration: Configuration, beacon: String?, record: String?) throws(SystemError) {
    var tape: WalkTape?
    if let record { tape = try WalkTape(prefix: record, patience: configuration.scannersLateness) }
    self.configuration = configuration
    state = Mutex(
      State(
        walk: HeardWalk(configuration, beacon: beacon),
        heardTime: HeardTime(rooms: configuration.rooms.count),
        tape: tape))
  }

  package var glimpse: Glimpse {
    state.withLock { state in
      var glimpse = Glimpse()
      glimpse.receivers = state.levels.map {
        (state.walk.receivers.name(of: $0.key), $0.value.level, $0.value.time)
      }.sorted { ($1.level, $0.name) < ($0.level, $1.name) }
      glimpse.beacons = state.walk.heard.map { ($0.name, $0.count) }
      (glimpse.latest, glimpse.seconds) = (state.latest, state.heardTime.seconds)
      glimpse.goal = CalibrationResult.goal(interval: state.heardTime.interval)
      return glimpse
    }
  }

  /// The beacon's room from now on; nil: unknown.
  ///
  /// - Parameter point: where in it the beacon is now; nil: somewhere.
  package func mark(
    _ room: String?, _ point: Point?, at time: MonotonicTime, wallTime: WallTime
  ) {
    state.withLock { state in
      let mark = PlacedMark(time: time, room: room, point: point, line: state.marks.count + 2)
      state.marks.append(mark)
      state.heardTime.mark(configuration.rooms.firstIndex { $0.name == room }, at: time)
      state.tape?.append(mark, at: wallTime)
    }
  }

  /// All sightings and marks until now.
  package func take() -> (walk: HeardWalk, marks: [PlacedMark]) { state.withLock { ($0.walk, $0.marks) } }

  /// Completes the recording. Returns the error that ended it early; nil: none.
  package func finishRecording() -> SystemError? {
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

/// The sources of a live walk: our radios, or a recording instead of them, and the configured scanners.
extension LiveWalk {
  /// The source of advertisements.
  package enum Input: Sendable {
    case radio
    /// Played in real time, once.
    case recording(path: String)
    /// Advertisements as they arrive on standard input.
    case standardInput
  }

  /// Receives until the task is cancelled or the input ends. A source's messages go to `onNotice`.
  ///
  /// Throws errors after which no source is left: `RadioError`, `CaptureError`, `BrokerRefusal`, `InvalidOptions`.
  package func hear(_ input: Input, onNotice: @escaping @Sendable (String) -> Void) async throws {
    let ear = try ScannerEar(configuration, onNotice)
    try await withThrowingTaskGroup(of: Void.self) { group in
      if let ear {
        group.addTask { try await ear.listen(onNotice) { self.hear($0, $1) } }
      }
      group.addTask { try await self.listen(input, hasScanners: ear != nil, onNotice) }
      try await group.next()
      group.cancelAll()
    }
  }

  private func listen(
    _ input: Input, hasScanners: Bool, _ onNotice: @escaping @Sendable (String) -> Void
  ) async throws {
    switch input {
    case .radio where configuration.radio.duty == .off: try await waitForCancellation()
    case .radio:
      do throws(RadioError) { try await listenToRadio(onNotice) } catch {
        guard hasScanners else { throw error }
        onNotice("no radio here: \(error)")
        try await waitForCancellation()
      }
    case .recording(let path): try await Recording.play(path, hear)
    case .standardInput: try await Recording.hearStandardInput(hear: hear)
    }
  }

  private func hear(
    _ step: CaptureDecoder.Step, _ batch: borrowing AdvertisementBatch, _ table: ReceiverTable
  ) {
    hear(batch, table, isRemote: false)
    if case .observation(let observation) = step { hear([observation], table, isRemote: false) }
  }

  private func waitForCancellation() async throws {
    while true { try await Task.sleep(for: .seconds(3600)) }
  }

  private func listenToRadio(_ onNotice: @escaping @Sendable (String) -> Void) async throws(RadioError) {
    var options = LiveRadio.Options(configuration)
    options.broadcast = nil
    let radio = try LiveRadio(options)
    var handlers = LiveRadio.Handlers { [self] batch, table in self.hear(batch, table, isRemote: false) }
    handlers.onNotice = onNotice
    try await radio.listen(handlers)
  }
}

/// A recording of a walk, with the carried beacon alone, and its marks.
struct WalkTape: ~Copyable {
  private let recording: RecordingFile
  private let marks: RecordingFile
  private let paths: [String]
  /// Whether the files are still empty.
  private var isEmpty = true
  private var encoder = TextEncoder()
  /// Lines of the recording that are held to be sorted by time, because observations of other gateways come late.
  private var held: [(time: MonotonicTime, line: [UInt8])] = []
  /// How late a line may come.
  private let patience: TimeSpan
  /// Lines of marks that are not written yet.
  private var lines: [UInt8] = []
  private(set) var fault: SystemError?

  init(prefix: String, patience: TimeSpan) throws(SystemError) {
    self.patience = patience
    paths = [prefix + ".jsonl", prefix + ".csv"]
    // Check both files before creating one.
    for path in paths where Self.isFile(path, empty: false) {
      throw SystemError(call: "will not replace \(path)", code: EEXIST)
    }
    let marks = try RecordingFile(path: prefix + ".csv")
    let recording = try RecordingFile(path: prefix + ".jsonl")
    self.marks = marks
    self.recording = recording
    lines = Array("time,room,x,y\n".utf8)
  }

  private static func isFile(_ path: String, empty: Bool) -> Bool {
    var status = stat()
    return unsafe stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
      && (status.st_size == 0) == empty
  }

  mutating func append(_ advertisement: Advertisement, payload: Span<UInt8>, receivers: ReceiverTable) {
    guard fault == nil else { return }
    encoder.append(advertisement, payload: payload, receivers: receivers)
    hold(at: advertisement.time)
  }

  mutating func append(_ observation: Observation, receivers: ReceiverTable) {
    guard fault == nil else { return }
    encoder.append(observation, receivers: receivers)
    hold(at: observation.time)
  }

  private mutating func hold(at time: MonotonicTime) {
    let place = held.lastIndex { $0.time <= time }.map { $0 + 1 } ?? 0
    held.insert((time, encoder.bytes), at: place)
    encoder.bytes.removeAll(keepingCapacity: true)
  }

  mutating func append(_ mark: PlacedMark, at time: WallTime) {
    let needsQuotes = mark.room.map { $0.contains { ",\" ".contains($0) } } ?? false
    let name = mark.room ?? ""
    let text = needsQuotes ? "\"\(name.replacing("\"", with: "\"\""))\"" : name
    let point = mark.point.map { "\($0.x),\($0.y)" } ?? ","
    lines += Array("\(time.rfc3339),\(text),\(point)\n".utf8)
    isEmpty = false
    write()
  }

  /// - Parameter isEnd: the recording ends. An empty walk leaves no files.
  mutating func write(isEnd: Bool = false) {
    guard fault == nil else { return }
    let ripe = isEnd ? held.count : held.prefix { $0.time + patience < held[held.count - 1].time }.count
    var ready = held.prefix(ripe).flatMap(\.line)
    held.removeFirst(ripe)
    if !ready.isEmpty { isEmpty = false }
    guard !isEmpty else {
      if isEnd { for path in paths where Self.isFile(path, empty: true) { unlink(path) } }
      return
    }
    do throws(SystemError) {
      if !lines.isEmpty { try marks.write(&lines) }
      if !ready.isEmpty { try recording.write(&ready) }
    } catch {
      fault = error
    }
  }
}
