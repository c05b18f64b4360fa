import CMosquitto
import Core
import Glibc
import Synchronization

/// What a client and its loop thread share.
///
/// Published messages wait here until the thread hands them to libmosquitto, in batches of up to a window. Other threads call
/// libmosquitto only under the lock of `state` and only while connected. Between two connections the loop thread has it to
/// itself. Other threads only enqueue packets: because libmosquitto runs in threaded mode (`mosquitto_threaded_set`), only
/// the loop thread writes to the socket and closes it, so it always polls its own socket.
final class Session: Sendable {
  enum Phase {
    case idle
    case running
    /// A proper disconnect is under way.
    case stopping
    case ended
  }

  struct State {
    var phase = Phase.idle
    /// The broker accepted the connection, and libmosquitto may be called from any thread.
    var connected = false
    /// QoS 1 messages inside libmosquitto.
    var inflight = InFlight()
    var caution = Caution()
    /// Answered, and alone under way: wait to see whether the broker closes the connection.
    var unproven: (entry: MessageQueue.Entry, until: ContinuousClock.Instant)?
    /// Messages that libmosquitto has not seen yet.
    var backlog = Backlog()
    /// How many QoS 0 messages libmosquitto has not yet written.
    var unwritten = 0
    /// Topic filters to subscribe to: filter → subscription.
    var subscriptions: [String: Subscription] = [:]
    /// Subscriptions the broker has not answered: libmosquitto's message id → filter.
    var subscribing: [Int32: String] = [:]
    /// Tasks that wait for room or for the end.
    var waiters = Waiters()
    /// The thread must disconnect as soon as it can.
    var isLeaving = false
    /// The thread waits for the broker, and will not look at the backlog until somebody rings.
    var isLoopAsleep = false

    var outstanding: Int { inflight.count + (unproven == nil ? 0 : 1) + backlog.atLeastOnce }

    /// How many QoS 0 messages are not yet written.
    var outstandingAtMostOnce: Int { unwritten + backlog.atMostOnce }

    /// Whether the limit of either quality of service is reached.
    func isFull(_ limit: Int) -> Bool { outstanding >= limit || outstandingAtMostOnce >= limit }

    /// Whether at least half of the limit is free again. Waiting tasks are woken for many messages, not for one.
    func hasRoom(_ limit: Int) -> Bool { outstanding <= limit / 2 && outstandingAtMostOnce <= limit / 2 }

    /// How many more QoS 1 messages libmosquitto may hold.
    func room(_ window: Int) -> Int {
      guard caution.isActive else { return window - inflight.count }
      return inflight.count == 0 && unproven == nil ? 1 : 0
    }

    /// Nothing is left to do except to disconnect.
    var isDone: Bool {
      phase == .ended || phase == .stopping && outstanding == 0 && backlog.atMostOnce == 0
    }
  }

  /// How many messages the thread hands over before it reads from the broker again.
  private static let batch = 64

  let options: Options
  let handle: Handle
  let events = Events()
  let state = Mutex(State())
  /// Wakes the thread.
  let bell = Bell()

  init(_ options: Options) throws(InvalidOptions) {
    self.options = options
    handle = try Handle(options)
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

  /// For the thread: takes out a batch of the backlog within the window, and returns how many QoS 1 messages are
  /// inside libmosquitto. If the backlog is empty, the thread counts as asleep from now on.
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

  func subscribe(_ filter: String, _ subscription: Subscription) throws(PublishError) {
    if let reason = Topic.refusal(ofFilter: filter) { throw .invalidTopic(filter, reason: reason) }
    let refusal: PublishError? = state.withLock { state in
      if state.phase == .stopping || state.phase == .ended { return .stopped }
      if state.subscriptions.count >= options.maximumOutstanding, state.subscriptions[filter] == nil {
        return .outstandingLimit(options.maximumOutstanding)
      }
      state.subscriptions[filter] = subscription
      if state.connected { ask(for: filter, subscription, &state) }
      return nil
    }
    if let refusal { throw refusal }
  }

  func ask(for filter: String, _ subscription: Subscription, _ state: inout State) {
    var mid: Int32 = 0
    // MQTT 3.1.1 has no options. A failure means that the connection is breaking; the next one subscribes again.
    let status =
      options.protocolVersion == .v5
      ? mosquitto_subscribe_v5(
        handle.pointer, &mid, filter, subscription.qos.rawValue, subscription.options.rawValue, nil)
      : mosquitto_subscribe(handle.pointer, &mid, filter, subscription.qos.rawValue)
    if status == MOSQ_ERR_SUCCESS.code { state.subscribing[mid] = filter }
    bell.ring()
  }

  func unsubscribe(_ filter: String) {
    state.withLock { state in
      guard state.subscriptions.removeValue(forKey: filter) != nil, state.connected else { return }
      // A failure means that the connection is breaking; the next one does not subscribe to it.
      mosquitto_unsubscribe(handle.pointer, nil, filter)
      bell.ring()
    }
  }

  // MARK: The end

  /// Disconnects as soon as everything is acknowledged or, if not patient, at once.
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
    // The thread may be blocked in a connection attempt, and ends by itself later.
    if needsNobody { ended() }
    bell.ring()
  }

  /// Disconnects now, whatever is left.
  func disconnectNow() { state.withLock { disconnect(&$0) } }

  /// Only the thread may disconnect, because it must know whether a disconnect is among what it writes: see `Loop.handOver`.
  func disconnect(_ state: inout State) {
    guard state.connected else { return }
    state.isLeaving = true
    bell.ring()
  }

  /// Nobody waits for this session any longer, even if its thread is still blocked in a system call.
  func ended() {
    state.withLock { state in
      state.phase = .ended
      state.waiters.wakeAll(for: .room)
      state.waiters.wakeAll(for: .end)
    }
    events.finish()
  }
}

/// How to subscribe to a filter.
struct Subscription: Sendable {
  var qos: QoS
  var options: SubscriptionOptions
}

/// What a subscription leaves out, as MQTT 5 numbers it. MQTT 3.1.1 leaves out nothing.
package struct SubscriptionOptions: OptionSet, Hashable, Sendable {
  package let rawValue: Int32
  package init(rawValue: Int32) { self.rawValue = rawValue }

  /// Our own messages.
  package static let withoutOwn = SubscriptionOptions(rawValue: 0x04)
  /// Leaves out retained messages.
  package static let withoutRetained = SubscriptionOptions(rawValue: 0x20)
}
