import Beacons
import Captures
import Configuration
import Contract
import Core
import Logging
import Mosquitto
import Pipeline
import Proximity
import Radio
import ServiceLifecycle
import Synchronization

/// Makes the decisions: advertisements and deadlines pass through the pipeline one after another, under one lock, from any
/// thread. The decisions go to the delivery in that order.
package final class DecisionLoop: Feature {
  struct State {
    var pipeline: Pipeline
    /// Its latest output, until the delivery has it.
    var output: Pipeline.Output
    /// Maps the source's receivers to the pipeline's.
    var receivers = ReceiverMap()
    /// Maps the scanners' receivers to the pipeline's.
    var remoteReceivers = ReceiverMap()
    var health = HealthBook(from: LiveClock.now)
    /// Observations of the configuration before the latest reload that were not fetched yet.
    var observations: [(message: Message, count: Int)] = []
    /// How many transitions each zone and room had, by event.
    var transitions: [PlaceEvent: UInt64] = [:]
    /// When a refused report was last logged.
    var refusalTold: MonotonicTime?
    /// nil: `advance` was not called yet.
    var pauses: PauseWatch?
    var clock = ClockWatch(from: LiveClock.now)
    /// The latest time of the next call of `advance`.
    var nextLook = MonotonicTime.distantFuture

    /// The next time at which something must be decided or published without another event.
    var nextDeadline: MonotonicTime {
      min(pipeline.nextDeadline ?? .distantFuture, health.pace.due ?? .distantFuture)
    }

    /// No deadline is pending, so no beacon can leave.
    var isIdle: Bool { pipeline.nextDeadline == nil }

    /// Records that the process is running. If the loop is idle, a pause before `nextLook` misses nothing.
    mutating func mark(at time: MonotonicTime) {
      let safe = isIdle ? max(time, nextLook) : time
      pauses?.mark(at: time, safeUntil: safe)
    }

    mutating func learn(_ table: ReceiverTable) -> ReceiverMap {
      receivers.learn(table) { pipeline.receiver($0) }
      return receivers
    }

    /// Scanners' receivers whose index belongs to another one now.
    mutating func follow(_ renamings: [ReceiverRenaming]) {
      for renaming in renamings {
        let receiver = remoteReceivers.follow(renaming, in: &pipeline, beside: receivers)
        if let receiver { health.receivers.forget(receiver) }
      }
    }

    mutating func learnRemote(_ table: ReceiverTable) -> ReceiverMap {
      remoteReceivers.learn(table) { pipeline.receiver($0) }
      return remoteReceivers
    }
  }

  /// Nobody but tests locks it from outside.
  let state: Mutex<State>
  let delivery: Delivery
  let heartbeat: Heartbeat
  /// Rings when a deadline appears that is earlier than the one that `advance` returned.
  let nearerDeadline = Alarm()
  /// Rings when `takeNews` has something.
  let news = Alarm()
  /// For the dashboard's list of strangers.
  let strangers = StrangersWatch()
  /// nil: there are beacons.
  private let introductions: Introductions?
  /// nil: nothing is recorded.
  private let recorder: Recorder?
  /// The features that report into `health`.
  let reporters: Mutex<[any Feature]>
  /// Identifies this run in observations for other gateways.
  private let boot = String(UInt64.random(in: 1 << 63 ... .max), radix: 16)
  let logger: Logger

  /// - Parameter output: the pipeline's messages from restoring an earlier run.
  package init(
    _ pipeline: Pipeline, _ output: Pipeline.Output = Pipeline.Output(), delivery: Delivery,
    recorder: Recorder? = nil, logger: Logger
  ) {
    self.recorder = recorder
    var pipeline = pipeline
    pipeline.publishObservations(boot: boot)
    let configuration = pipeline.configuration
    introductions = configuration.beacons.isEmpty ? Introductions(configuration) : nil
    heartbeat = Heartbeat(beacons: pipeline.beaconCount, waiting: delivery.waiting)
    state = Mutex(State(pipeline: pipeline, output: output))
    self.delivery = delivery
    self.logger = logger
    reporters = Mutex([delivery])
  }

  /// Calls `body` while decisions wait, so keep it short.
  package func look<Result: Sendable>(_ body: (Pipeline) -> Result) -> Result {
    state.withLock { body($0.pipeline) }
  }

  // MARK: Sightings

  /// Processes a batch of the source; `table` has the names of its receivers.
  package func observe(_ batch: borrowing AdvertisementBatch, _ table: ReceiverTable) {
    tell(recorder?.note(batch, table))
    strangers.observe(batch)
    introductions?.observe(batch) { logger.notice("\($0)") }
    state.withLock { state in
      noteWaking(&state)
      let receivers = state.learn(table)
      state.pipeline.observe(batch, into: &state.output) { advertisement, payload in
        guard let receiver = receivers[advertisement.receiver] else { return nil }
        state.health.receivers.heard(advertisement, by: receiver, isEmpty: payload.isEmpty)
        return receiver
      }
      heard(&state)
    }
  }

  /// Decisions go on without the recording.
  private func tell(_ failure: SystemError?) {
    if let failure { logger.error("the recording ends here: \(failure)") }
  }

  /// The same for a sighting that is identified by the beacon's key.
  func observe(_ observation: Observation, _ table: ReceiverTable) {
    tell(recorder?.note(observation, table))
    state.withLock { state in
      noteWaking(&state)
      var observation = observation
      guard let receiver = state.learn(table)[observation.receiver] else { return }
      observation.receiver = receiver
      state.health.receivers.heard(receiver, at: observation.wallTime)
      state.pipeline.observe(observation, into: &state.output)
      heard(&state)
    }
  }

  /// Processes an entry of a recording; `batch` has its advertisements.
  func take(_ step: CaptureDecoder.Step, _ batch: borrowing AdvertisementBatch, _ table: ReceiverTable) {
    switch step {
    case .advertisements: observe(batch, table)
    case .observation(let observation): observe(observation, table)
    case .health(let change): apply(change, table)
    case .report(let report): receive(report)
    case .end: break
    }
  }

  /// Delivers the result of sightings.
  private func heard(_ state: inout State) {
    report(&state)
    tell(&state, state.health.receivers.isMissingNoMore ? [healthMessage(&state)] : [])
  }

  /// Logs the pipeline's notices, and saves counters that have changed.
  private func report(_ state: inout State) {
    for notice in state.pipeline.takeNotices() { logger.warning("\(notice)") }
    if delivery.isKept { delivery.save(counters: state.pipeline.takeCounters()) }
  }

  /// The clock was set. Messages from now on have the new time.
  func note(_ step: ClockStep, _ state: inout State) {
    let seconds = Int(step.step.seconds.rounded())
    logger.warning(
      "this machine's clock was set \(seconds > 0 ? "forward" : "back") by \(abs(seconds)) s; no decision is affected. What was published before has the old time; since when somebody is in a place, and the diary, have \(step.wrong == nil ? "it, too" : "the new one, because nothing had set the clock before")"
    )
    state.pipeline.correct(step)
    state.health.receivers.correct(step)
    delivery.diary?.correct(step)
    tell(&state, state.pipeline.allStates() + (state.health.isTold ? [healthMessage(&state)] : []))
  }

  /// After a pause of the process, the first thread to run must report it before anything is decided. The same is true of a clock
  /// that was set.
  func noteWaking(_ state: inout State) {
    if let both = LiveClock.both,
      let step = state.clock.look(at: both.now, both.wallNow, isUnset: LiveClock.isUnset)
    {
      note(step, &state)
    }
    let now = LiveClock.now
    guard let since = state.pauses?.look(at: now) else { return }
    state.pipeline.pause(from: Self.settled(at: since), to: now, into: &state.output)
    logger.warning(
      "this process did not run for \(Int((now - since).seconds.rounded())) s: it was stopped, or the machine slept; nobody is taken to have left meanwhile"
    )
    tell(&state)
  }

  // MARK: Deadlines

  /// An advertisement from before a deadline may still wait in a batch or in the kernel, and must be processed first.
  private static let lag = LiveRadio.longestGathering + .milliseconds(50)
  /// The shortest time between two runs, however many beacons come and go.
  private static let spacing = TimeSpan.milliseconds(100)
  /// At most this many missing receivers of an earlier run are named in the log.
  private static let namedReceivers = 5

  /// All advertisements from before this time have been processed.
  static var settledTime: MonotonicTime { settled(at: LiveClock.now) }
  private static func settled(at time: MonotonicTime) -> MonotonicTime { time - lag }

  /// Processes deadlines without an advertisement: the end of a dwell time, a lost beacon.
  package func run() async throws {
    if introductions != nil {
      logger.notice(
        "no beacons are configured; those heard are printed here, ready to paste under `beacons:`")
    }
    await cancelWhenGracefulShutdown {
      while !Task.isCancelled {
        let look = Self.settledTime
        let wait = self.advance(to: look) - look
        if wait > Self.spacing {
          await self.nearerDeadline.wait(for: .nanoseconds(wait.nanoseconds))
          let rest = Self.spacing - (Self.settledTime - look)
          if rest > .zero { try? await Task.sleep(for: .nanoseconds(rest.nanoseconds)) }
        } else {
          try? await Task.sleep(for: .nanoseconds(max(wait.nanoseconds, 1_000_000)))
        }
      }
    }
    state.withLock { state in
      state.pipeline.tellLastRecords(into: &state.output)
      tell(&state)
    }
  }

  /// Processes deadlines up to `time`; returns when to call it again.
  func advance(to time: MonotonicTime) -> MonotonicTime {
    state.withLock { state in
      if state.pauses == nil { state.pauses = PauseWatch() }
      noteWaking(&state)
      if let next = state.pipeline.nextDeadline, next <= time {
        state.pipeline.advance(to: time, into: &state.output)
        tell(&state)
      }
      tellMissing(&state)
      if state.health.pace.takeDue(at: LiveClock.now) { tell(&state, [healthMessage(&state)]) }
      state.nextLook = min(state.nextDeadline, state.health.missingDeadline ?? .distantFuture)
      state.nextLook = min(state.nextLook, time + (state.isIdle ? PauseWatch.idlePace : PauseWatch.pace))
      state.mark(at: LiveClock.now)
      heartbeat.beat(
        nextLook: state.nextLook, beacons: state.pipeline.beaconCount, waiting: delivery.waiting)
      return state.nextLook
    }
  }

  package func apply(_ change: ReceiverHealthChange, _ table: ReceiverTable) {
    tell(recorder?.note(change, table))
    state.withLock { state in
      noteWaking(&state)
      guard let receiver = state.learn(table)[change.receiver] else { return }
      apply(change, of: receiver, &state)
      tell(&state, [healthMessage(&state, at: change.wallTime)])
    }
  }

  /// - Parameter receiver: the pipeline's.
  private func apply(_ change: ReceiverHealthChange, of receiver: ReceiverIndex, _ state: inout State) {
    var change = change
    change.receiver = receiver
    state.health.receivers.set(change)
    delivery.diary?.note(
      receiver: state.pipeline.receivers.name(of: receiver), isBlind: change.health.isBlind,
      reason: change.reason, at: change.wallTime)
    state.pipeline.setHealth(receiver, change.health, at: change.time, into: &state.output)
  }

  /// Stores the source's counters for the next `health`.
  package func count(_ counts: ReceiverCounts, _ table: ReceiverTable) {
    state.withLock { state in
      var counts = counts
      guard let receiver = state.learn(table)[counts.receiver] else { return }
      counts.receiver = receiver
      state.health.receivers.set(counts)
    }
  }

  /// Delivers the pipeline's output.
  func tell(_ state: inout State, _ messages: [Message] = []) {
    for case .transition(let message) in state.output.items {
      if let event = PlaceEvent(message) { state.transitions[event, default: 0] += 1 }
    }
    // A subscriber that reads this output may stop the process at once. The loop must not still count as idle then.
    state.mark(at: LiveClock.now)
    delivery.take(&state.output, of: state.pipeline, and: messages)
    let now = LiveClock.now
    let next = state.isIdle ? state.nextDeadline : min(state.nextDeadline, now + PauseWatch.pace)
    if next < state.nextLook {
      state.nextLook = next
      nearerDeadline.ring()
    }
    state.mark(at: now)
    if state.pipeline.hasNews { news.ring() }
  }

  // MARK: Publishing

  /// The broker may have lost its retained messages, so all are published again.
  func connected() {
    state.withLock { state in
      noteWaking(&state)
      state.pipeline.begin(at: LiveClock.now, wallTime: LiveClock.wallNow, into: &state.output)
      let health = state.health.isTold ? [healthMessage(&state)] : []
      tell(&state, state.pipeline.allStates() + health)
    }
  }

  /// Publishes all retained states again.
  func publishStates() {
    state.withLock { tell(&$0, $0.pipeline.allStates()) }
  }

  /// Replaces the pipeline with one for another configuration, keeping everything that still holds.
  func configure(_ new: Configuration) {
    state.withLock { state in
      noteWaking(&state)
      state.pipeline.release(for: new, at: Self.settledTime, into: &state.output)
      tell(&state)
      // The collected observations belong to beacons of the earlier configuration.
      state.observations += takeObservations(&state)
      let earlier = state.pipeline
      state.pipeline = earlier.reconfigured(new, into: &state.output)
      state.pipeline.publishObservations(boot: boot, after: earlier)
      state.health.hasToldMissing = false
      nearerDeadline.ring()
      state.pauses?.mark(at: LiveClock.now)
      state.pipeline.begin(at: LiveClock.now, wallTime: LiveClock.wallNow, into: &state.output)
      tell(&state, state.pipeline.allStates())
    }
  }

  /// Beacons that may be new to Home Assistant, and names to remove there.
  func takeNews() -> (news: [(name: String, beacon: HeardBeacon)], forgotten: [String]) {
    state.withLock { ($0.pipeline.takeNews(), $0.pipeline.takeForgotten()) }
  }

  /// Reports every beacon once more in `takeNews`.
  func tellAgain() {
    state.withLock { $0.pipeline.tellAgain() }
    news.ring()
  }

  /// Reports members of regions once more in `takeNews`, by name.
  func tellAgain(_ names: [String]) {
    state.withLock { $0.pipeline.tellAgain(Set(names)) }
    news.ring()
  }

  /// The messages that this run retains at some topics.
  func truth(at topics: Set<String>) -> [Message] {
    let levels = topics.compactMap { delivery.topics.retained($0)?.name }
    let names = Set(levels.compactMap { name(ofTopicLevel: $0) })
    return look { $0.states(named: names) }.filter { topics.contains($0.topic) }
  }

  /// Publishes the true state of beacons that this run does not know; it has already published the others.
  func correct(_ corrections: [Leftovers.Correction]) {
    state.withLock { state in
      let known = state.pipeline.known(among: Set(corrections.map(\.beacon)))
      delivery.send(corrections.filter { !known.contains($0.beacon) }.map(\.message))
    }
  }

  // MARK: Reports of phones' apps

  /// Reports about our phones, and what their apps noticed, if any are configured.
  var filters: [Filter] {
    state.withLock { $0.pipeline.hasPhones } ? delivery.topics.appReports.map { Filter(topics: $0) } : []
  }

  /// The least time between two log messages about refused reports.
  private static let refusalInterval = TimeSpan.seconds(10)

  func received(_ message: ReceivedMessage) -> Bool {
    guard delivery.topics.isAppReport(message.topic) else { return false }
    let phone = state.withLock { $0.pipeline.phone(ofReportsOn: message.topic) }
    guard let phone else { return true }
    receive(
      AppReport(
        phone: phone.name, kind: phone.isSeen ? .seen : .set, payload: message.payload,
        isRetained: message.retain,
        time: LiveClock.now, wallTime: LiveClock.wallNow))
    return true
  }

  private func receive(_ report: AppReport) {
    tell(recorder?.note(report))
    state.withLock { state in
      noteWaking(&state)
      let refusal = state.pipeline.receive(report, into: &state.output)
      tell(&state)
      guard let refusal else { return }
      if let told = state.refusalTold, report.time - told < Self.refusalInterval { return }
      state.refusalTold = report.time
      let refused = state.pipeline.refusedReports + state.pipeline.refusedSightings
      let topic = delivery.topics.appReport(phone: report.phone, report.kind.rawValue)
      logger.warning("rejected a message on \(topic): \(refusal) (\(refused) rejected so far)")
    }
  }

  // MARK: The end

  private static let beaconsAtOnce: Int32 = 500

  /// Saves the state for the next run. Returns how many transitions are lost.
  func close() -> Int {
    // Breaks the cycle of references: the features refer to the loop.
    reporters.withLock { $0 = [delivery] }
    let (counters, gains) = state.withLock { state in
      (state.pipeline.takeCounters(isLast: true), state.pipeline.keptGains)
    }
    return delivery.close(counters: counters, gains: gains) { first in
      self.state.withLock { state in
        let end = min(state.pipeline.beaconPlaces, first + Self.beaconsAtOnce)
        let saved = state.pipeline.savedBeacons(
          min(first, end)..<end, at: LiveClock.now, wallTime: LiveClock.wallNow)
        return (saved, end < state.pipeline.beaconPlaces ? end : nil)
      }
    }
  }
}

/// Observations from scanners.
extension DecisionLoop {
  /// Processes the sightings in scanners' messages; `table` has the names of the receivers.
  func hear(_ hearing: borrowing Hearing, _ table: ReceiverTable) {
    tell(recorder?.note(hearing, table))
    strangers.observe(hearing)
    introductions?.observe(hearing) { logger.notice("\($0)") }
    state.withLock { state in
      noteWaking(&state)
      state.follow(hearing.renamings)
      let receivers = state.learnRemote(table)
      for change in hearing.changes {
        if let receiver = receivers[change.receiver] { apply(change, of: receiver, &state) }
      }
      hearing.batch.forEach { advertisement, _ in
        guard let receiver = receivers[advertisement.receiver] else { return }
        state.health.receivers.heard(receiver, at: advertisement.wallTime)
      }
      for observation in hearing.observations {
        guard let receiver = receivers[observation.receiver] else { continue }
        state.health.receivers.heard(receiver, at: observation.wallTime)
      }
      if !hearing.batch.isEmpty || !hearing.observations.isEmpty {
        state.pipeline.observe(
          remote: hearing.batch, hearing.observations, from: receivers, into: &state.output)
        report(&state)
      }
      let hasChanged = !hearing.changes.isEmpty || state.health.receivers.isMissingNoMore
      tell(&state, hasChanged && state.health.pace.changed(at: LiveClock.now) ? [healthMessage(&state)] : [])
    }
  }

  /// Scanners' receivers have other names now, as in `table`.
  func rename(_ renamings: [ReceiverRenaming], _ table: ReceiverTable) {
    state.withLock { state in
      for renaming in renamings {
        state.remoteReceivers.follow(sameReceiver: renaming, in: &state.pipeline, beside: state.receivers)
      }
      _ = state.learnRemote(table)
    }
  }

  /// Every receiver that the configuration names or that has reported.
  var receiverNames: [String] { look(\.receivers.names) }
}

/// Observations for other gateways.
extension DecisionLoop {
  /// The observations of our radios since the last call, in batches with the number of observations in each, and the settings
  /// for publishing; nil: they are not published.
  func takeObservations() -> (batches: [(message: Message, count: Int)], settings: ObservationSettings?) {
    state.withLock { state in
      let batches = state.observations + takeObservations(&state)
      state.observations = []
      return (batches, state.pipeline.configuration.publish.observations)
    }
  }

  func takeObservations(_ state: inout State) -> [(message: Message, count: Int)] {
    let isKept = state.pipeline.configuration.publish.observations?.buffer != nil
    let topics = state.pipeline.topics
    return state.pipeline.takeObservations(at: LiveClock.now).map {
      ($0.message(topics: topics, qos: isKept ? .atLeastOnce : .atMostOnce), $0.count)
    }
  }
}

/// `health`, published at intervals and whenever something changes.
extension DecisionLoop {
  /// Publishes `health`.
  ///
  /// - Parameter span: time since the last call, over which rates are taken; nil keeps the previous rates.
  func publishHealth(over span: TimeSpan? = nil) {
    state.withLock { state in
      tell(&state, [healthMessage(&state, over: span)])
      guard delivery.client.isConnected, state.health.isTimeToTellSilent(at: LiveClock.now) else { return }
      for notice in state.health.silentNotices(of: health(&state)) { logger.warning("\(notice)") }
    }
  }

  /// `health` as it is now.
  var currentHealth: HealthMessage { state.withLock { health(&$0) } }

  /// The present counters for Prometheus.
  func metrics() -> String {
    let isConnected = delivery.client.isConnected
    let (message, places, records) = state.withLock { state in
      (
        health(&state), state.pipeline.metricsOfPlaces(at: LiveClock.wallNow) { state.transitions[$0] ?? 0 },
        state.pipeline.phonesNow.map(\.record)
      )
    }
    return MetricsText.text(
      message, places, records, gateway: delivery.topics.gateway, isConnected: isConnected)
  }

  /// Reports missing receivers as soon as they are overdue.
  func tellMissing(_ state: inout State) {
    guard state.health.isTimeToMiss(at: LiveClock.now) else { return }
    state.health.hasToldMissing = true
    let health = health(&state)
    let missing = health.receivers.filter(\.isMissing)
    // Anybody can have invented those of an earlier run.
    let former = missing.filter { !$0.isRequired }.map(\.name)
    let unnamed = former.dropFirst(Self.namedReceivers)
    if !unnamed.isEmpty {
      logger.warning(
        "nothing heard from \(unnamed.count) more receivers that an earlier run used; health lists them")
    }
    for receiver in missing {
      if unnamed.contains(receiver.name) { continue }
      logger.warning("nothing heard from receiver \(receiver.name): \(receiver.reason)")
      delivery.diary?.note(
        receiver: receiver.name, isBlind: true, reason: receiver.reason, at: LiveClock.wallNow)
    }
    state.health.published()
    tell(&state, [health.message(topics: delivery.topics)])
  }

  func healthMessage(
    _ state: inout State, at wallTime: WallTime = LiveClock.wallNow, over span: TimeSpan? = nil
  ) -> Message {
    state.health.published()
    return health(&state, at: wallTime, over: span).message(topics: delivery.topics)
  }

  private func health(
    _ state: inout State, at wallTime: WallTime = LiveClock.wallNow, over span: TimeSpan? = nil
  ) -> HealthMessage {
    var message = state.health.message(
      of: state.pipeline, at: LiveClock.now, wallTime, over: span)
    if let notice = state.health.movedNotice(of: state.pipeline) { logger.warning("\(notice)") }
    for reporter in reporters.withLock({ $0 }) { reporter.report(into: &message) }
    return message
  }
}

/// A kind of transition of a zone or a room.
struct PlaceEvent: Hashable, Sendable {
  var kind: PlaceKind
  var place: String
  var event: String
}

extension PlaceEvent {
  /// nil: a beacon's own event.
  init?(_ message: TransitionMessage) {
    guard let kind = message.kind else { return nil }
    self.init(kind: kind, place: message.place, event: message.word)
  }
}

extension Pipeline {
  /// - Parameter count: how many transitions of a kind there were; nil: nobody counts them.
  func metricsOfPlaces(
    at time: WallTime, count: (PlaceEvent) -> UInt64? = { _ in nil }
  ) -> [MetricsText.Place] {
    func place(
      _ kind: PlaceKind, _ name: String, _ state: String, since: [WallTime], _ events: [String]
    ) -> MetricsText.Place {
      let longest = since.min().map { max(0, (time - $0).seconds) } ?? 0
      return MetricsText.Place(
        kind: kind, name: name, state: state, beacons: since.count, longestStay: UInt64(longest),
        transitions: events.compactMap { event in
          count(PlaceEvent(kind: kind, place: name, event: event)).map { (event, $0) }
        })
    }
    let zones = configuration.zones.enumerated().map { index, zone in
      let occupancy = engine.occupancy(of: ZoneIndex(rawValue: Int32(index)))
      return place(
        .zone, zone.name, occupancy.state.rawValue, since: occupancy.members.map(\.since),
        zone.near == nil ? ["enter", "exit"] : ["enter", "near", "exit"])
    }
    let rooms = zip(configuration.rooms, roomIndices).map { room, index in
      place(
        .room, room.name, occupancy(of: index).state, since: members(of: index).map(\.since),
        ["enter", "exit"])
    }
    return zones + rooms
  }
}
