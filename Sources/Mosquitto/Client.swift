import CMosquitto
import Core
import Glibc
import Synchronization

/// A connection to an MQTT broker that reconnects by itself.
///
/// All methods may be called from any task or thread, and none blocks. Read `events` to learn what happens to
/// the connection and to each message.
package final class Client: Sendable {
  let session: Session

  /// Does not connect yet, see `start()`.
  ///
  /// - Throws: `InvalidOptions`, also for TLS files that cannot be read.
  package init(_ options: Options) throws(InvalidOptions) { session = try Session(options) }

  deinit { session.requestStop(patiently: false) }

  /// The events, in order, for one reader. They end when the client has stopped.
  package var events: Events { session.events }

  /// Starts to connect, and retries until `stop(within:)`.
  package func start() {
    let isFirst = session.state.withLock { state in
      guard state.phase == .idle else { return false }
      state.phase = .running
      return true
    }
    if isFirst { Loop.start(session) }
  }

  package var isConnected: Bool { session.state.withLock { $0.connected } }

  /// How many QoS 1 messages the broker has not acknowledged.
  package var outstanding: Int { session.state.withLock { $0.outstanding } }

  /// Queues a message for sending, without waiting.
  ///
  /// QoS 1 messages wait for a connection and are sent in order. After a lost connection they are sent again until the
  /// broker acknowledges them: event `acknowledged` (or `rejected`) with `id`. QoS 0 messages are lost with the connection.
  /// They cause an event only if they are `rejected`, for example because they are too large for the broker. A QoS 0
  /// message may overtake QoS 1 messages that wait for acknowledgements.
  ///
  /// - Parameters:
  ///   - expiry: after this time the broker no longer delivers the message (MQTT 5 only).
  ///   - id: the caller's own number for this message.
  ///   - isOnTrial: the broker refused it before. It travels alone, because the broker may close the connection.
  /// - Throws: `PublishError`; then the message is not sent.
  package func publish(
    _ payload: [UInt8], to topic: String, qos: QoS = .atLeastOnce, retain: Bool = false,
    expiry: Duration? = nil, id: UInt64 = 0, isOnTrial: Bool = false
  ) throws(PublishError) {
    try session.publish(
      Outgoing(id: id, qos: qos, retain: retain, expiry: expiry, isOnTrial: isOnTrial), topic: topic,
      payload: payload)
  }

  /// Like `publish`, but waits for room instead of throwing `outstandingLimit`: until half of the permitted outstanding
  /// messages are acknowledged. It may wait long if other callers of this client publish all the time.
  ///
  /// - Throws: `PublishError`; `outstandingLimit` if the task is cancelled while it waits.
  nonisolated(nonsending) public func publishWhenRoom(
    _ payload: [UInt8], to topic: String, qos: QoS = .atLeastOnce, retain: Bool = false,
    expiry: Duration? = nil, id: UInt64 = 0
  ) async throws(PublishError) {
    while true {
      do throws(PublishError) {
        return try publish(payload, to: topic, qos: qos, retain: retain, expiry: expiry, id: id)
      } catch .outstandingLimit(let limit) {
        if Task.isCancelled { throw .outstandingLimit(limit) }
        await session.waitForRoom()
      }
    }
  }

  /// Withdraws QoS 1 messages that are not under way, and returns them in order; they cause no event. It searches all
  /// messages, so do not call it often.
  package func withdraw(_ isMeant: (_ id: UInt64, _ topic: String) -> Bool) -> [PublishedMessage] {
    session.state.withLock { state in
      let withdrawn = state.backlog.withdraw(isMeant)
      if state.hasRoom(session.options.maximumOutstanding) { state.waiters.wakeAll(for: .room) }
      return withdrawn
    }
  }

  /// Subscribes to a topic filter, now and after every new connection.
  package func subscribe(
    to filter: String, qos: QoS = .atLeastOnce, options: SubscriptionOptions = []
  ) throws(PublishError) {
    try session.subscribe(filter, Subscription(qos: qos, options: options))
  }

  /// Undoes `subscribe`. Messages that are under way may still arrive.
  package func unsubscribe(from filter: String) { session.unsubscribe(filter) }

  /// Waits for outstanding acknowledgements, disconnects properly so that the last will is not published, and ends.
  ///
  /// - Parameter limit: returns after this time at the latest, whatever the network does.
  /// - Returns: how many QoS 1 messages stayed unacknowledged.
  @discardableResult
  package func stop(within limit: Duration = .milliseconds(800)) async -> Int {
    session.requestStop()
    let session = session
    let timer = Task {
      do {
        try await Task.sleep(for: limit * 0.75)
        session.disconnectNow()
        try await Task.sleep(for: limit * 0.25)
        session.ended()
      } catch {}  // cancelled: the thread ended in time
    }
    await session.waitForEnd()
    timer.cancel()
    return outstanding
  }
}

extension Session {
  func waitForRoom() async {
    let number = state.withLock { $0.waiters.number() }
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        state.withLock { state in
          if state.phase == .running || state.phase == .idle, state.isFull(options.maximumOutstanding) {
            state.waiters.add(number, .room, continuation)
          } else {
            continuation.resume()
          }
        }
      }
    } onCancel: {
      state.withLock { $0.waiters.cancel(number) }
    }
    state.withLock { $0.waiters.forget(number) }
  }

  func waitForEnd() async {
    await withCheckedContinuation { continuation in
      state.withLock { state in
        if state.phase == .ended {
          continuation.resume()
        } else {
          state.waiters.add(state.waiters.number(), .end, continuation)
        }
      }
    }
  }
}

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
