import Outbox
import Pipeline
import Machine
import Beacons
import Dispatch
import Settings
import Logging
import Messages
import Mosquitto
import Proximity
import Radio
import Synchronization

/// Ties pipeline, outbox and broker together behind one lock: sources and timers come from threads of their
/// own, decisions are made one after the other.
final class Station: Sendable {
  struct State {
    var pipeline: Pipeline
    var outbox: Outbox
    var disk: Disk
    var health = ReceiverHealths()
    /// From then on a receiver of which nothing was heard is missing.
    let patienceEnds = LiveClock.now + Station.patience
    var hasToldMissing = false
    /// nil: nothing is to be broadcast.
    var broadcast: BroadcastStatus?
    var output = Pipeline.Output()
    /// By `SourceIndex`.
    var receivers: [ReceiverMap] = []
    var isSubscribed = false
    var refusals: Refusals
    var unanswered = Unanswered()
    /// nil: the broker itself says what it refuses.
    var doubts: Doubts?
    /// Somebody may have mended what kept us from asking.
    var isReloaded = false
    /// Why it cannot be seen what the broker refuses.
    var accessFault: String?
    /// Topics that were refused so far.
    var refusedTopics = 0
    /// When a refused report was last told.
    var refusalTold: MonotonicTime?
    /// How often a wrong status is put right at once; what is more waits for some seconds.
    var statusCorrections = RateLimit(burst: 5, interval: .seconds(10))
    var isStatusWrong = false
    var hasToldStatusLies = false

    mutating func learn(_ table: ReceiverTable, of source: SourceIndex) -> ReceiverMap {
      while receivers.count <= source.rawValue { receivers.append(ReceiverMap()) }
      receivers[source.rawValue].learn(table) { pipeline.receiver($0) }
      return receivers[source.rawValue]
    }
  }

  /// What goes on between the outbox and its disk.
  struct Disk {
    /// Why transitions wait in memory only; nil: they are on disk, or no disk was asked for.
    var fault: String?
    /// Since when it is busy, or about to be.
    var since: MonotonicTime?
    /// When the last transaction began.
    var lastWrite: MonotonicTime?
    var isBusy: Bool { since != nil }
  }

  /// Which source speaks; each has receivers of its own.
  struct SourceIndex: Sendable {
    var rawValue: Int
  }

  /// How long a receiver may take to make itself known.
  private static let patience = TimeSpan.seconds(10)

  let state: Mutex<State>
  let store: OutboxStore?
  /// Where there is a `store`.
  let mark: EpochMark?
  /// Rows up to this one were decided before the machine was last started.
  private let lastForeignRow: Int64
  /// Where `store` is waited for.
  let disk = DispatchQueue(label: "outbox")
  let client: Client
  /// Tells when there may be something to ask the broker.
  let inquiries: AsyncStream<Void>
  let inquiry: AsyncStream<Void>.Continuation
  private let logger: Logger
  let onNotice: @Sendable (String) -> Void
  private let onPublished: @Sendable (TransitionMessage) -> Void
  private let onVerdict: @Sendable (VerdictMessage) -> Void

  /// - Parameters:
  ///   - saysWhatItRefuses: whether the broker does; with MQTT 3.1.1 it cannot.
  ///   - outbox: with what an earlier run left on disk.
  ///   - output: what the pipeline had to say when it took that up.
  init(
    _ pipeline: Pipeline, client: Client, saysWhatItRefuses: Bool = true, logger: Logger,
    outbox: OpenOutbox = OpenOutbox(),
    output: Pipeline.Output = Pipeline.Output(), listener: GatewayRun.Listener
  ) {
    let memory = Outbox(isDurable: outbox.store != nil, stored: outbox.remains?.waiting ?? 0)
    state = Mutex(
      State(
        pipeline: pipeline, outbox: memory, disk: Disk(fault: outbox.fault), output: output,
        refusals: Refusals(base: pipeline.topics.base), doubts: saysWhatItRefuses ? nil : Doubts()))
    (inquiries, inquiry) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    store = outbox.store
    mark = outbox.mark
    lastForeignRow = outbox.remains.map { $0.isSameBoot ? 0 : $0.lastRow } ?? 0
    self.client = client
    self.logger = logger
    onPublished = listener.onTransition
    onVerdict = listener.onVerdict
    onNotice = listener.onNotice
    state.withLock { tendDisk(&$0) }
  }

  /// Takes in what a source heard; `table` names the source's receivers.
  func observe(_ batch: borrowing AdvertisementBatch, _ table: ReceiverTable, of source: SourceIndex) {
    state.withLock { state in
      let receivers = state.learn(table, of: source)
      batch.forEach { advertisement, payload in
        guard let receiver = receivers[advertisement.receiver] else { return }
        state.health.heard(advertisement, by: receiver, isEmpty: payload.isEmpty)
      }
      state.pipeline.observe(batch, from: receivers, into: &state.output)
      if state.health.isMissingNoMore {
        state.outbox.add(healthMessage(&state, at: LiveClock.wallNow, sinceLast: nil))
      }
      for notice in state.pipeline.takeNotices() { onNotice(notice) }
      if store != nil { state.outbox.save(counters: state.pipeline.takeCounters()) }
      send(&state)
    }
  }

  /// Lets deadlines up to `time` happen; returns the next one.
  func advance(to time: MonotonicTime) -> MonotonicTime? {
    state.withLock { state in
      if let next = state.pipeline.nextDeadline, next <= time {
        state.pipeline.advance(to: time, into: &state.output)
        send(&state)
      }
      if !state.hasToldMissing, LiveClock.now >= state.patienceEnds { tellMissing(&state) }
      return state.pipeline.nextDeadline
    }
  }

  func apply(_ change: ReceiverHealthChange, _ table: ReceiverTable, of source: SourceIndex) {
    state.withLock { state in
      var change = change
      guard let receiver = state.learn(table, of: source)[change.receiver] else { return }
      change.receiver = receiver
      state.health.set(change)
      state.pipeline.setBlind(change.receiver, change.health.isBlind, at: change.time, into: &state.output)
      state.outbox.add(healthMessage(&state, at: change.wallTime, sinceLast: nil))
      send(&state)
    }
  }

  /// Takes in what a source has counted; published with the next `health`.
  func count(_ counts: ReceiverCounts, _ table: ReceiverTable, of source: SourceIndex) {
    state.withLock { state in
      var counts = counts
      guard let receiver = state.learn(table, of: source)[counts.receiver] else { return }
      counts.receiver = receiver
      state.health.set(counts)
    }
  }

  /// Takes in how the broadcast of wake regions goes.
  func apply(_ status: BroadcastStatus) {
    state.withLock { state in
      let told = state.broadcast
      state.broadcast = status
      // That the rotation goes on is no news.
      guard told?.state != status.state || told?.reason != status.reason || told?.adapter != status.adapter
      else {
        return
      }
      state.outbox.add(healthMessage(&state, at: LiveClock.wallNow, sinceLast: nil))
      send(&state)
    }
  }

  /// Publishes `health`, with rates over the time since the last call.
  func publishHealth(at wallTime: WallTime, sinceLast: TimeSpan) {
    state.withLock { state in
      state.outbox.add(healthMessage(&state, at: wallTime, sinceLast: sinceLast))
      send(&state)
    }
  }

  /// The broker took us in: it may have forgotten everything, so it is told all that is retained.
  func connected() {
    state.withLock { state in
      state.refusals.connected(at: LiveClock.now)
      state.doubts?.reset()
      inquiry.yield()
      sayOnline(&state)
      state.pipeline.begin(at: LiveClock.now, wallTime: LiveClock.wallNow, into: &state.output)
      for message in state.pipeline.allStates() { state.outbox.add(message) }
      send(&state)
    }
  }

  /// Asks for what others tell of our phones, once there are phones.
  func subscribe() {
    state.withLock { state in
      guard state.pipeline.hasPhones, !state.isSubscribed else { return }
      do throws(PublishError) {
        try client.subscribe(to: state.pipeline.topics.appReports)
        state.isSubscribed = true
      } catch {
        logger.error("not subscribed", metadata: ["reason": "\(error)"])
      }
    }
  }

  /// Refused reports are told no more often than this.
  private static let refusalInterval = TimeSpan.seconds(10)

  /// Takes in what others tell of a phone's app; returns what a person should know.
  func receive(_ message: ReceivedMessage) -> String? {
    state.withLock { state in
      let now = LiveClock.now
      let refusal = state.pipeline.report(
        message.payload, topic: message.topic, isRetained: message.retain, at: now,
        wallTime: LiveClock.wallNow, into: &state.output)
      send(&state)
      guard let refusal else { return nil }
      if let told = state.refusalTold, now - told < Self.refusalInterval { return nil }
      state.refusalTold = now
      return
        "refused what came on \(message.topic): \(refusal) (\(state.pipeline.refusedReports) refused so far)"
    }
  }

  /// The last words before a proper good-bye, which keeps the last will from being published.
  func sayOffline() {
    state.withLock { state in
      state.outbox.add(Status.offline.message(topics: state.pipeline.topics))
      send(&state)
    }
  }

  /// Exchanges the pipeline for one made from another configuration, keeping what still holds.
  func reconfigure(_ new: Configuration) {
    state.withLock { state in
      state.doubts?.reset()
      state.isReloaded = true
      inquiry.yield()
      state.pipeline.release(for: new, at: DeadlineService.settledTime, into: &state.output)
      send(&state)
      state.pipeline = state.pipeline.reconfigured(new)
      state.hasToldMissing = false
      for message in state.pipeline.allStates() { state.outbox.add(message) }
      send(&state)
    }
    subscribe()
  }

  /// Beacons that Home Assistant may not know yet, and names of those that it is to forget.
  func takeNews() -> (news: [(name: String, beacon: HeardBeacon)], forgotten: [String]) {
    state.withLock { ($0.pipeline.takeNews(), $0.pipeline.takeForgotten()) }
  }

  /// Publishes retained messages that others made.
  func send(_ messages: [Message]) {
    state.withLock { state in
      for message in messages { state.outbox.add(message) }
      send(&state)
    }
  }

  /// Publishes what is true of beacons of which this run knows nothing; of the others it has already.
  func correct(_ corrections: [Leftovers.Correction]) {
    state.withLock { state in
      let known = state.pipeline.known(among: Set(corrections.map(\.beacon)))
      for correction in corrections where !known.contains(correction.beacon) {
        state.outbox.add(correction.message)
      }
      send(&state)
    }
  }

  /// The counters of this moment for Prometheus.
  func metrics() -> String {
    let isConnected = client.isConnected
    let (health, gateway) = state.withLock {
      (self.health(&$0, at: LiveClock.wallNow, sinceLast: nil), $0.pipeline.topics.gateway)
    }
    return MetricsText.text(health, gateway: gateway, isConnected: isConnected)
  }

  /// Tells at once of receivers that should be there and are not.
  private func tellMissing(_ state: inout State) {
    state.hasToldMissing = true
    let health = health(&state, at: LiveClock.wallNow, sinceLast: nil)
    for receiver in health.receivers where receiver.isMissing {
      onNotice("no word of the receiver \(receiver.name): \(receiver.reason)")
    }
    state.outbox.add(health.message(topics: state.pipeline.topics))
    send(&state)
  }

  func healthMessage(_ state: inout State, at wallTime: WallTime, sinceLast: TimeSpan?) -> Message {
    health(&state, at: wallTime, sinceLast: sinceLast).message(topics: state.pipeline.topics)
  }

  private func health(_ state: inout State, at wallTime: WallTime, sinceLast: TimeSpan?) -> HealthMessage {
    let pipeline = state.pipeline
    var message = HealthMessage(
      time: wallTime, version: version,
      receivers: state.health.report(
        pipeline.receivers, expected: pipeline.expectedReceivers,
        isMissed: LiveClock.now >= state.patienceEnds, over: sinceLast),
      advertisements: pipeline.counts.advertisements, sightings: pipeline.counts.sightings,
      transitions: pipeline.counts.transitions,
      queued: state.outbox.count + (store == nil ? client.outstanding : 0),
      beacons: pipeline.beaconCount, refusedReports: pipeline.refusedReports
    )
    message.diskFault = store == nil ? state.disk.fault ?? "none was asked for" : state.disk.fault
    message.lostTransitions = state.outbox.lostTransitions + state.refusals.lost
    message.refusalFault = state.accessFault
    message.parkedMessages = state.refusals.count
    let refused = state.refusals.refusedTopics(atMost: 10) + state.unanswered.refusedTopics
    message.refusedTopics = Array(refused.sorted().prefix(10))
    message.refusedReadings = pipeline.refusedReadings
    message.postponedAddresses = pipeline.postponedAddresses
    message.refusedMembers = pipeline.refusedMembers
    message.heldTransitions = pipeline.heldTransitions
    if let status = state.broadcast {
      let began = status.began.map { wallTime - (LiveClock.now - $0) }
      message.wake = pipeline.configuration.wake?.message(status, began: began)
    }
    return message
  }

  /// Moves what the pipeline said into the outbox, and from there to the broker as far as it takes it.
  func send(_ state: inout State) {
    for item in state.output.items {
      switch item {
      case .transition(let message) where store == nil: state.outbox.add(message)
      // Of an earlier run, and not known to this one.
      case .transition(let message) where message.transition.beacon == .nobody: state.outbox.add(message)
      case .transition(let message):
        let beacon = message.transition.beacon
        state.outbox.add(
          message, key: state.pipeline.key(of: beacon),
          beacon: state.pipeline.saved(beacon, after: message.transition))
      case .verdict(let verdict): state.outbox.add(verdict)
      case .state(let changed): state.outbox.add(changed.message(topics: state.pipeline.topics))
      // The next one is better than this one later.
      case .room(let room): try? publishUnanswered(room.message(), &state)
      }
    }
    for key in state.output.forgotten { state.outbox.forget(key) }
    state.output.removeAll()
    defer { tendDisk(&state) }
    guard sendRefused(&state) else { return }
    while let item = state.outbox.first {
      let message: Message
      var id: UInt64 = 0
      switch item {
      case .transition(var transition, let row):
        CalendarCorrection(time: LiveClock.now, wallTime: LiveClock.wallNow, lastForeignRow: lastForeignRow)
          .apply(to: &transition, row: row)
        message = transition.message(topics: state.pipeline.topics)
        id = UInt64(clamping: row ?? Outbox.noRow)
      case .verdict(let verdict): message = verdict.message(topics: state.pipeline.topics)
      case .state(let waiting): message = waiting
      }
      if state.refusals.park(message, row: id > 0 ? Int64(clamping: id) : nil) {
        state.outbox.removeFirst()
        continue
      }
      do {
        if message.qos == .atMostOnce {
          try publishUnanswered(message, &state)
        } else {
          try publish(message, id: id, &state)
        }
        switch item {
        case .transition(let transition, _): onPublished(transition)
        case .verdict(let verdict): onVerdict(verdict)
        case .state: break
        }
      } catch .outstandingLimit, .stopped {
        return
      } catch .notConnected {
        // Telemetry of this moment only; `connected` says anew what still holds.
      } catch {
        if case .transition(_, let row?) = item { state.outbox.acknowledge(row: row) }
        logger.error("not published", metadata: ["topic": "\(message.topic)", "reason": "\(error)"])
      }
      state.outbox.removeFirst()
    }
  }
}
