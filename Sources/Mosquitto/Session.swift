import CMosquitto
import Glibc
import Synchronization

/// What a client and its loop thread share.
///
/// The thread calls libmosquitto as it likes, others under the lock of `state` and only while connected: between two
/// connections the thread has it for itself. libmosquitto holds a window of messages, the rest waits here.
///
/// Who publishes a message now and then hands it to libmosquitto himself, and no thread is woken. What comes faster waits
/// for the thread, which takes it in batches.
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
    /// QoS 1 messages inside libmosquitto: its message id → the caller's.
    var inflight: [Int32: UInt64] = [:]
    /// What libmosquitto has not seen yet.
    var backlog = Backlog()
    /// QoS 0 messages that libmosquitto has not yet written.
    var unwritten: Set<Int32> = []
    /// What we want to hear: filter → QoS.
    var subscriptions: [String: QoS] = [:]
    /// Subscriptions the broker has not answered: libmosquitto's message id → filter.
    var subscribing: [Int32: String] = [:]
    /// Who waits for room or for the end.
    var waiters = Waiters()
    /// The thread waits for the broker, and won't look at the backlog before somebody rings.
    var isLoopAsleep = false

    var outstanding: Int { inflight.count + backlog.atLeastOnce }

    /// QoS 0 messages that are not yet written.
    var outstandingAtMostOnce: Int { unwritten.count + backlog.atMostOnce }

    /// Whether so many of either quality of service are under way.
    func isFull(_ limit: Int) -> Bool { outstanding >= limit || outstandingAtMostOnce >= limit }

    /// Whether half of that, or more, is free again: who waits is woken for many messages, not for one.
    func hasRoom(_ limit: Int) -> Bool { outstanding <= limit / 2 && outstandingAtMostOnce <= limit / 2 }

    /// Nothing is left to do but to say good-bye.
    var isDone: Bool {
      phase == .ended || phase == .stopping && outstanding == 0 && backlog.atMostOnce == 0
    }
  }

  /// With fewer messages than this under way, who publishes hands his own to libmosquitto.
  private static let few = 8
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

  func publish(_ message: Outgoing) throws(PublishError) {
    if message.payload.count > options.maximumPayload {
      throw .payloadTooLarge(bytes: message.payload.count, limit: options.maximumPayload)
    }
    if let reason = Topic.refusal(ofName: message.topic) {
      throw .invalidTopic(message.topic, reason: reason)
    }
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
      let isFirst = state.connected && state.isLoopAsleep && state.backlog.isEmpty
      if isFirst, message.qos == .atMostOnce || state.inflight.count < min(Session.few, options.window) {
        return publishNow(message, &state)
      }
      state.backlog.append(message)
      if state.connected, state.isLoopAsleep, state.backlog.hasNext(room: room(state)) {
        state.isLoopAsleep = false
        bell.ring()
      }
      return nil
    }
    if let refusal { throw refusal }
  }

  private func publishNow(_ message: Outgoing, _ state: inout State) -> PublishError? {
    let sent = send(message)
    ringIfUnwritten()
    switch message.qos {
    case .atMostOnce:
      if sent.error == MOSQ_ERR_NO_CONN.code { return .notConnected }
      if sent.error != MOSQ_ERR_SUCCESS.code { return .refused(words(sent.error)) }
      if !sent.isWritten { state.unwritten.insert(sent.mid) }
    case .atLeastOnce:
      if !Session.isTaken(sent.error) { return .refused(words(sent.error)) }
      state.inflight[sent.mid] = message.id
    }
    return nil
  }

  /// How many more QoS 1 messages libmosquitto may hold.
  private func room(_ state: borrowing State) -> Int { options.window - state.inflight.count }

  /// For the thread: hands libmosquitto a batch of what waits, as far as the window goes.
  ///
  /// Nobody is kept waiting meanwhile, for the lock is not held.
  func handOver() -> HandedOver {
    let (batch, underWay) = state.withLock { state in
      let batch =
        state.connected ? state.backlog.take(atMost: Session.batch, room: room(state)) : []
      state.isLoopAsleep = batch.isEmpty
      return (batch, state.inflight.count)
    }
    if batch.isEmpty { return HandedOver(count: 0, underWay: underWay, rejected: []) }
    let results = batch.map { send($0) }
    var rejected: [Event] = []
    state.withLock { state in
      for (message, sent) in zip(batch, results) {
        state.backlog.handedOver(message)
        switch message.qos {
        case .atMostOnce where sent.isWritten || sent.error != MOSQ_ERR_SUCCESS.code: break
        case .atMostOnce: state.unwritten.insert(sent.mid)
        case .atLeastOnce where Session.isTaken(sent.error): state.inflight[sent.mid] = message.id
        case .atLeastOnce: rejected.append(.rejected(id: message.id, reason: words(sent.error)))
        }
      }
      if state.isDone { disconnect(state) }
    }
    return HandedOver(count: batch.count, underWay: underWay + batch.count, rejected: rejected)
  }

  struct HandedOver {
    var count: Int
    /// Messages that libmosquitto holds now, or some more.
    var underWay: Int
    /// What libmosquitto did not take.
    var rejected: [Event]
  }

  /// libmosquitto says "no connection" when it just lost it, but has taken a QoS 1 message all the same.
  private static func isTaken(_ error: Int32) -> Bool {
    error == MOSQ_ERR_SUCCESS.code || error == MOSQ_ERR_NO_CONN.code
  }

  private struct Sent {
    /// libmosquitto's message id.
    var mid: Int32 = 0
    var error: Int32 = 0
    /// A QoS 0 message was written to the socket, whole.
    var isWritten = false
  }

  private func send(_ message: Outgoing) -> Sent {
    var sent = Sent()
    var properties = Properties()
    if let expiry = message.expiry, options.protocolVersion == .v5 {
      properties.add(MQTT_PROP_MESSAGE_EXPIRY_INTERVAL, expiry.mqttSeconds)
    }
    func publish() -> Int32 {
      sent.error = mosquitto_publish_v5(
        handle.pointer, &sent.mid, message.topic, Int32(message.payload.count), message.payload,
        message.qos.rawValue, message.retain, properties.list)
      return sent.mid
    }
    switch message.qos {
    case .atMostOnce: sent.isWritten = handle.inbox.writes(publish)
    case .atLeastOnce: _ = publish()
    }
    return sent
  }

  /// Lets the thread wait for room in the socket, where libmosquitto could not write all.
  private func ringIfUnwritten() { if mosquitto_want_write(handle.pointer) { bell.ring() } }

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
    ringIfUnwritten()
  }

  func unsubscribe(_ filter: String) {
    state.withLock { state in
      guard state.subscriptions.removeValue(forKey: filter) != nil, state.connected else { return }
      // A failure means that the connection is going; the next one does not ask for it.
      mosquitto_unsubscribe(handle.pointer, nil, filter)
      ringIfUnwritten()
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
        if state.isDone || !patiently { disconnect(state) }
        return (state.isDone || !patiently) && !state.connected
      case .stopping, .ended: return false
      }
    }
    // The thread may be deep in a connection attempt and finds its own way out.
    if needsNobody { ended() }
    bell.ring()
  }

  /// Says good-bye now, with whatever is left.
  func disconnectNow() { state.withLock { disconnect($0) } }

  func disconnect(_ state: borrowing State) {
    guard state.connected else { return }
    mosquitto_disconnect(handle.pointer)
    // The socket may be closed by now, of which poll tells nobody.
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
