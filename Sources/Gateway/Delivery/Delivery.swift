import Beacons
import Contract
import Core
import Logging
import Mosquitto
import Outbox
import Pipeline
import ServiceLifecycle
import Synchronization
import Web

/// Delivers decisions to the broker: numbers them, keeps them on disk until the broker has acknowledged them, and parks refused
/// ones.
///
/// It has its own lock and never calls the decision loop, so the decision loop may call it while holding its own lock. The lock
/// guards memory only: a thread that holds it waits neither for the disk nor for the network.
package final class Delivery: Feature {
  struct State {
    var outbox: Outbox
    var disk: Disk
    var numbers: TransitionNumbers
    var permissions: Permissions
    /// Why the gateway cannot see what the broker refuses.
    var accessFault: String?
    /// Topics that were refused so far.
    var refusedTopics = 0
    /// Whether `health` must be published at once.
    var hasNews = false
    var ownStatus = OwnStatus()
    var ownWords = OwnWords()
    /// Whether `run` has been woken for them.
    var hasChores = false
  }

  /// The state of the outbox's disk.
  struct Disk {
    /// Why transitions wait in memory only; nil: they are on disk, or no disk is configured.
    var fault: String?
    /// When the transaction that is running or scheduled began.
    var since: MonotonicTime?
    /// When the next transaction would begin if all so far had run one after another at their distance.
    var nextWrite: MonotonicTime?
    /// Whether acknowledgements wait to be written together.
    var isGathering = false
    /// Whether the file has much free space after the last transaction.
    var hasRoomToGiveBack = false
    var isBusy: Bool { since != nil }
  }

  let state: Mutex<State>
  let topics: Topics
  let client: Client
  /// The broker's user that we are; nil: none.
  let user: String?
  /// nil: transitions wait in memory only.
  let disk: BlockingThread<OutboxStore>?
  /// Set if there is a `disk`.
  let mark: EpochMark?
  /// Signals that there may be something to ask the broker.
  let inquiries: AsyncStream<Void>
  let inquiry: AsyncStream<Void>.Continuation
  /// Rings when transitions may have reached the disk or the broker, or the connection is gone.
  let settlement = Alarm()
  /// Rings for `run`.
  let chores = Alarm()
  /// Rings when the disk fails, or works again, and when the broker refuses a topic, or accepts all of them again.
  let news = Alarm()
  /// What the broker retains, or may retain.
  let remembered: RememberedTopics
  /// Recent decisions for the dashboard; nil: there is none.
  let recent = Mutex<RecentDecisions?>(nil)
  /// nil: there is no diary.
  let diary: Diary?
  private let onPublished: @Sendable (TransitionMessage) -> Void
  private let onVerdict: @Sendable (VerdictMessage) -> Void
  let logger: Logger
  /// The time for retries of refused messages.
  let clock: @Sendable () -> MonotonicTime

  /// - Parameters:
  ///   - user: the client's user name at the broker.
  ///   - saysWhatItRefuses: whether the broker reports refusals; with MQTT 3.1.1 it cannot.
  ///   - opened: the outbox, with the state that an earlier run left.
  package init(
    _ client: Client, _ topics: Topics, user: String? = nil, saysWhatItRefuses: Bool = true,
    _ opened: sending OpenOutbox = OpenOutbox(), remembered: RememberedTopics = RememberedTopics(path: nil),
    diary: Diary? = nil, listener: GatewayRun.Listener, logger: Logger,
    clock: @escaping @Sendable () -> MonotonicTime = { LiveClock.now }
  ) throws(SystemError) {
    let epoch =
      opened.remains?.epoch
      ?? Epoch.next(after: nil, wallTime: LiveClock.wallNow, chance: .random(in: 0 ... .max))
    state = Mutex(
      State(
        outbox: Outbox(
          isDurable: opened.store != nil && opened.fault == nil, stored: opened.remains?.waiting ?? 0,
          foreignRow: opened.remains?.lastRow ?? 0),
        disk: Disk(fault: opened.fault), numbers: TransitionNumbers(epoch: epoch),
        permissions: Permissions(base: topics.base, statesRefusals: saysWhatItRefuses)))
    (inquiries, inquiry) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    self.client = client
    self.user = user
    self.remembered = remembered
    self.diary = diary
    self.topics = topics
    mark = opened.mark
    isInMemory = opened.isVolatile
    disk = if let store = opened.store { try BlockingThread(owning: store) } else { nil }
    onPublished = listener.onTransition
    onVerdict = listener.onVerdict
    self.logger = logger
    self.clock = clock
    state.withLock { state in
      tendDisk(&state)
      noteChores(&state)
    }
  }

  /// Whether what is kept is lost when the machine restarts.
  private let isInMemory: Bool
  /// Whether anything is kept for the next run.
  var isKept: Bool { disk != nil }

  /// Why transitions wait in memory only; nil: they are on disk, or are never kept.
  var diskFault: String? { state.withLock(\.disk.fault) }

  /// Delivers the pipeline's output, which is emptied, and additional messages.
  func take(_ output: inout Pipeline.Output, of pipeline: Pipeline, and messages: [Message] = []) {
    state.withLock { state in
      for item in output.items { take(item, of: pipeline, &state) }
      for key in output.forgotten { state.outbox.forget(key) }
      if isKept {
        for beacon in output.noted { pipeline.saved(beacon).map { state.outbox.save($0) } }
        state.outbox.save(records: output.records)
      }
      output.removeAll()
      for message in messages { state.outbox.add(message) }
      send(&state)
    }
  }

  /// Publishes additional messages.
  func send(_ messages: [Message]) {
    state.withLock { state in
      for message in messages { state.outbox.add(message) }
      send(&state)
    }
  }

  /// Saves replay counters for the next run.
  func save(counters: [String: UInt32]) {
    guard !counters.isEmpty else { return }
    state.withLock { state in
      state.outbox.save(counters: counters)
      noteChores(&state)
    }
  }

  private func take(_ item: Pipeline.Output.Item, of pipeline: Pipeline, _ state: inout State) {
    switch item {
    case .transition(var message):
      state.numbers.number(&message)
      recent.withLock { $0?.note(.transition(message)) }
      diary?.note(
        DiaryEntry(message, detail: message.kind == nil ? TransitionLine(message).because : ""))
      let beacon = message.beaconIndex
      // `nobody` stands for a beacon of an earlier run that this run does not know.
      guard isKept, beacon != .nobody else { return state.outbox.add(message) }
      state.outbox.add(
        message, key: pipeline.key(of: beacon), beacon: pipeline.saved(beacon, after: message))
      if message.kind == .room, let gains = pipeline.keptGains { state.outbox.save(gains: gains) }
    case .verdict(let verdict):
      recent.withLock { $0?.note(.verdict(verdict)) }
      diary?.note(
        DiaryEntry(
          time: verdict.time, kind: .verdict, thing: verdict.phone, place: verdict.zone,
          word: verdict.delivered == nil ? "missed" : "delivered", detail: VerdictLine(verdict).outcome))
      state.outbox.add(verdict)
    case .state(let changed): state.outbox.add(changed.message(topics: topics))
    // A later message is better than this one delayed.
    case .roomPresence(let presence): sendNow(presence.message(), &state)
    }
  }

  /// Gives messages to the client until it has no room.
  func send(_ state: inout State) {
    defer {
      tendDisk(&state)
      noteChores(&state)
    }
    for row in state.permissions.takeDropped() { state.outbox.giveUp(row: row) }
    while let item = state.permissions.firstReleased {
      let result = handOver(item, item.message(topics), &state)
      if result == .full { return }
      state.permissions.removeFirstReleased()
      if result == .invalid, let row = item.row { state.outbox.acknowledge(row: row) }
    }
    guard tryRefused(&state) else { return }
    while let first = state.outbox.first {
      let (content, message): (Permissions.Item.Content, Message) =
        switch first {
        case .numbered(let waiting): (.numbered(waiting), waiting.content.message(topics: topics))
        case .verdict(let verdict): (.verdict(verdict), verdict.message(topics: topics))
        case .state(let message): (.plain(message), message)
        }
      let item = state.permissions.item(content, message)
      let result = handOver(item, message, &state)
      if result == .full { return }
      state.outbox.removeFirst()
      switch result {
      case .published:
        switch content {
        case .numbered(let waiting):
          if let transition = waiting.content as? TransitionMessage { onPublished(transition) }
        case .verdict(let verdict): onVerdict(verdict)
        case .plain: break
        }
      case .invalid: if let row = item.row { state.outbox.acknowledge(row: row) }
      case .parked, .dropped, .full: break
      }
    }
  }

  private static let toldTopics = 10

  func report(into health: inout HealthMessage) {
    state.withLock { state in
      health.queued = state.outbox.count
      health.diskFault = state.disk.fault ?? (isKept ? nil : "no state directory is configured")
      health.isInMemory = isInMemory
      health.lostTransitions = state.outbox.lostTransitions + state.permissions.lost
      health.parkedMessages = state.permissions.count
      health.refusedTopics = Array(state.permissions.refusedTopics.sorted().prefix(Self.toldTopics))
      health.refusalFault = state.accessFault
    }
  }

  func noteNews(_ state: inout State) {
    state.hasNews = true
    news.ring()
  }

  /// Whether there are news for `health` since the last call.
  func takeNews() -> Bool {
    state.withLock { state in
      defer { state.hasNews = false }
      return state.hasNews
    }
  }

  /// The topics for which the broker may not have the newest message.
  func unsettled(among topics: Set<String>) -> Set<String> {
    state.withLock { state in
      guard state.outbox.first == nil, let unsettled = state.permissions.unsettledTopics else {
        return topics
      }
      return topics.intersection(unsettled)
    }
  }

  /// How many messages the broker does not have yet.
  var waiting: Int { state.withLock { $0.outbox.count } }
}

/// Messages that can wait a little.
extension Delivery {
  /// Changes within this time are written together.
  private static let gathering = Duration.seconds(5)

  /// Writes to disk what can wait, retries a disk that failed, and tries refused messages again. It sleeps while there is nothing
  /// to do.
  package func run() async throws {
    await cancelWhenGracefulShutdown {
      while true {
        await self.chores.wait()
        do { try await Task.sleep(for: Self.gathering) } catch { return }
        self.doChores()
      }
    }
  }

  func doChores() {
    state.withLock { $0.hasChores = false }
    flushDisk()
    retryRefused()
    state.withLock { noteChores(&$0) }
  }

  /// Wakes `run` if there is something for it to do.
  func noteChores(_ state: inout State) {
    guard !state.hasChores else { return }
    let hasDiskWork =
      isKept
      && (state.disk.fault != nil || !state.outbox.pending.isEmpty || state.disk.hasRoomToGiveBack)
    // The client reports no event when it has room again.
    let waitsForRoom = client.isConnected && state.outbox.first != nil
    guard hasDiskWork || waitsForRoom || !state.permissions.isEmpty || state.ownStatus.isWrong else { return }
    state.hasChores = true
    chores.ring()
  }
}

/// The way of a message to the client.
extension Delivery {
  enum HandedOver {
    case published
    case parked
    /// The message is useless now.
    case dropped
    /// The message can never be published.
    case invalid
    /// The client has no room; try again later.
    case full
  }

  /// Sends a message if its topic allows that now.
  func handOver(_ item: Permissions.Item, _ message: Message, _ state: inout State) -> HandedOver {
    switch state.permissions.way(of: item, at: clock()) {
    case .skip: return .dropped
    case .park:
      state.permissions.park(item)
      return .parked
    case .publish(let isAsking, let isOnTrial):
      // After connecting, every message that is still valid is published again.
      if item.isUnanswered, !client.isConnected { return .dropped }
      let result = publish(message, item, isAsking: isAsking, isOnTrial: isOnTrial)
      if result == .published {
        note(message, &state)
        state.permissions.sent(item, isAsking: isAsking)
      }
      if state.permissions.hasQuestions { inquiry.yield() }
      return result
    }
  }

  func note(_ message: Message, _ state: inout State) {
    if state.ownWords.note(message) { remembered.note(message.topic, isCleared: message.payload.isEmpty) }
  }

  func publish(
    _ message: Message, _ item: Permissions.Item, isAsking: Bool, isOnTrial: Bool
  ) -> HandedOver {
    do throws(PublishError) {
      try client.publish(
        message.payload, to: message.topic, qos: isAsking ? .atLeastOnce : message.qos,
        retain: message.retained, expiry: message.expiry.map { .nanoseconds($0.nanoseconds) },
        id: item.number, isOnTrial: isOnTrial)
    } catch .outstandingLimit, .stopped {
      return .full
    } catch .notConnected {
      return .dropped
    } catch {
      logger.error("not published: \(error)", metadata: ["topic": "\(message.topic)"])
      return .invalid
    }
    logger.debug(
      "published",
      metadata: [
        "topic": "\(message.topic)", "qos": "\(message.qos.rawValue)", "octets": "\(message.payload.count)",
      ])
    return .published
  }

  /// Publishes messages that would be useless later, before everything that waits. Without a connection they are dropped.
  func sendNow(_ messages: [Message]) {
    state.withLock { state in
      for message in messages { sendNow(message, &state) }
    }
  }

  func sendNow(_ message: Message, _ state: inout State) {
    _ = handOver(state.permissions.item(.plain(message), message), message, &state)
  }
}
