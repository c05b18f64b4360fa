import MQTT
import Machine
import CMosquitto
import Glibc
import Synchronization

/// What a client and its loop thread share.
///
/// What is published waits here until the thread hands it to libmosquitto, in batches, a window of it at a time. Others call
/// libmosquitto under the lock of `state` only, and only while connected: between two connections the thread has it for
/// itself. They only enqueue packets: because libmosquitto was told of threads (`mosquitto_threaded_set`), it is the thread alone
/// that writes to the socket and closes it, so that what it polls is always its own.
final class Session: Sendable {
  enum Phase {
    case idle
    case running
    /// A proper good-bye is under way.
    case stopping
    case ended
  }

  struct State {
    var phase = Phase.idle
    /// The broker accepted us, and libmosquitto may be called from any thread.
    var connected = false
    /// QoS 1 messages inside libmosquitto.
    var inflight = InFlight()
    var caution = Caution()
    /// Answered, and alone under way: it is to be seen whether the broker closes the connection.
    var unproven: (entry: MessageQueue.Entry, until: ContinuousClock.Instant)?
    /// What libmosquitto has not seen yet.
    var backlog = Backlog()
    /// How many QoS 0 messages libmosquitto has not yet written.
    var unwritten = 0
    /// What we want to hear: filter → QoS.
    var subscriptions: [String: QoS] = [:]
    /// Subscriptions the broker has not answered: libmosquitto's message id → filter.
    var subscribing: [Int32: String] = [:]
    /// Who waits for room or for the end.
    var waiters = Waiters()
    /// The thread is to say good-bye as soon as it comes to it.
    var isLeaving = false
    /// The thread waits for the broker, and won't look at the backlog before somebody rings.
    var isLoopAsleep = false

    var outstanding: Int { inflight.count + (unproven == nil ? 0 : 1) + backlog.atLeastOnce }

    /// QoS 0 messages that are not yet written.
    var outstandingAtMostOnce: Int { unwritten + backlog.atMostOnce }

    /// Whether so many of either quality of service are under way.
    func isFull(_ limit: Int) -> Bool { outstanding >= limit || outstandingAtMostOnce >= limit }

    /// Whether half of that, or more, is free again: who waits is woken for many messages, not for one.
    func hasRoom(_ limit: Int) -> Bool { outstanding <= limit / 2 && outstandingAtMostOnce <= limit / 2 }

    /// How many more QoS 1 messages libmosquitto may hold.
    func room(_ window: Int) -> Int {
      guard caution.isActive else { return window - inflight.count }
      return inflight.count == 0 && unproven == nil ? 1 : 0
    }

    /// Nothing is left to do but to say good-bye.
    var isDone: Bool {
      phase == .ended || phase == .stopping && outstanding == 0 && backlog.atMostOnce == 0
    }
  }

  /// So many messages the thread hands over before it looks again what the broker has to say.
  private static let batch = 64

  let options: Options
  let handle: Handle
  let events = Events()
  let state = Mutex(State())
  /// Rings for the thread.
  let bell = Bell()

  init(_ options: Options) throws(InvalidOptions) {
    self.options = options
    handle = try Handle(options, inbox: Inbox(options))
    try handle.configure(options)
  }

  // MARK: Publishing

  func publish(_ message: Outgoing, topic: String, payload: [UInt8]) throws(PublishError) {
    if payload.count > options.maximumPayload {
      throw .payloadTooLarge(bytes: payload.count, limit: options.maximumPayload)
    }
    if let reason = Topic.refusal(ofName: topic) { throw .invalidTopic(topic, reason: reason) }
    let refusal: PublishError? = state.withLock { state in
      if state.phase == .stopping || state.phase == .ended { return .stopped }
      switch message.qos {
      case .atMostOnce:
        if !state.connected { return .notConnected }
        if state.outstandingAtMostOnce >= options.maximumOutstanding {
          return .outstandingLimit(options.maximumOutstanding)
        }
      case .atLeastOnce:
        if state.outstanding >= options.maximumOutstanding {
          return .outstandingLimit(options.maximumOutstanding)
        }
      }
      state.backlog.append(message, topic: topic, payload: payload)
      if message.isOnTrial { state.caution.watch(upTo: state.backlog.number) }
      if state.connected, state.isLoopAsleep, state.backlog.hasNext(room: state.room(options.window)) {
        state.isLoopAsleep = false
        bell.ring()
      }
      return nil
    }
    if let refusal { throw refusal }
  }

  /// For the thread: takes out a batch of what waits, as far as the window goes, and tells how many messages of QoS 1 are
  /// inside libmosquitto. Where nothing waits, the thread is taken to sleep from now on.
  func take(into batch: inout MessageQueue) -> Int {
    state.withLock { state in
      if state.connected {
        state.backlog.take(atMost: Session.batch, room: state.room(options.window), into: &batch)
      }
      state.isLoopAsleep = batch.isEmpty
      return state.inflight.count
    }
  }

  // MARK: Subscribing

  func subscribe(_ filter: String, qos: QoS) throws(PublishError) {
    if let reason = Topic.refusal(ofFilter: filter) { throw .invalidTopic(filter, reason: reason) }
    let refusal: PublishError? = state.withLock { state in
      if state.phase == .stopping || state.phase == .ended { return .stopped }
      if state.subscriptions.count >= options.maximumOutstanding, state.subscriptions[filter] == nil {
        return .outstandingLimit(options.maximumOutstanding)
      }
      state.subscriptions[filter] = qos
      if state.connected { ask(for: filter, qos: qos, &state) }
      return nil
    }
    if let refusal { throw refusal }
  }

  func ask(for filter: String, qos: QoS, _ state: inout State) {
    var mid: Int32 = 0
    // A failure means that the connection is going; the next one asks again.
    if mosquitto_subscribe(handle.pointer, &mid, filter, qos.rawValue) == MOSQ_ERR_SUCCESS.code {
      state.subscribing[mid] = filter
    }
    bell.ring()
  }

  func unsubscribe(_ filter: String) {
    state.withLock { state in
      guard state.subscriptions.removeValue(forKey: filter) != nil, state.connected else { return }
      // A failure means that the connection is going; the next one does not ask for it.
      mosquitto_unsubscribe(handle.pointer, nil, filter)
      bell.ring()
    }
  }

  // MARK: The end

  /// Says good-bye as soon as everything is acknowledged, or impatiently, at once.
  func requestStop(patiently: Bool = true) {
    let needsNobody = state.withLock { state in
      switch state.phase {
      case .idle: return true
      case .running:
        state.phase = .stopping
        state.waiters.wakeAll(for: .room)
        if state.isDone || !patiently { disconnect(&state) }
        return (state.isDone || !patiently) && !state.connected
      case .stopping, .ended: return false
      }
    }
    // The thread may be deep in a connection attempt and finds its own way out.
    if needsNobody { ended() }
    bell.ring()
  }

  /// Says good-bye now, with whatever is left.
  func disconnectNow() { state.withLock { disconnect(&$0) } }

  /// The thread alone says it, for it must know whether a good-bye is among what it writes: see `Loop.handOver`.
  func disconnect(_ state: inout State) {
    guard state.connected else { return }
    state.isLeaving = true
    bell.ring()
  }

  /// Nobody waits for this session any longer, even if its thread still hangs in a system call.
  func ended() {
    state.withLock { state in
      state.phase = .ended
      state.waiters.wakeAll(for: .room)
      state.waiters.wakeAll(for: .end)
    }
    events.finish()
  }
}
