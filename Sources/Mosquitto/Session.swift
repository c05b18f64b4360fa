import CMosquitto
import Glibc
import Synchronization

/// What a client and its loop thread share.
///
/// libmosquitto is called under the lock of `state`, and only while connected: between two connections the
/// thread has it for itself. libmosquitto holds a window of messages, the rest waits here.
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
    /// QoS 1 messages that libmosquitto has not seen yet.
    var pending = Queue<Outgoing>()
    /// QoS 0 messages that libmosquitto has not yet written.
    var unwritten: Set<Int32> = []
    /// What we want to hear: filter → QoS.
    var subscriptions: [String: QoS] = [:]
    /// Subscriptions the broker has not answered: libmosquitto's message id → filter.
    var subscribing: [Int32: String] = [:]
    /// Who waits for room or for the end.
    var waiters = Waiters()

    var outstanding: Int { inflight.count + pending.count }

    /// Whether so many of either quality of service are under way.
    func isFull(_ limit: Int) -> Bool { outstanding >= limit || unwritten.count >= limit }

    /// Whether half of that, or more, is free again: who waits is woken for many messages, not for one.
    func hasRoom(_ limit: Int) -> Bool { outstanding <= limit / 2 && unwritten.count <= limit / 2 }

    /// Nothing is left to do but to say good-bye.
    var isDone: Bool { phase == .ended || phase == .stopping && outstanding == 0 }
  }

  let options: Options
  let handle: Handle
  let events = Events()
  let state = Mutex(State())
  let wakeup = Wakeup()

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
        if state.unwritten.count >= options.maximumOutstanding {
          return .outstandingLimit(options.maximumOutstanding)
        }
        let (mid, error) = send(message)
        if error == MOSQ_ERR_NO_CONN.code { return .notConnected }
        if error != MOSQ_ERR_SUCCESS.code { return .refused(words(error)) }
        state.unwritten.insert(mid)
      case .atLeastOnce:
        if state.outstanding >= options.maximumOutstanding {
          return .outstandingLimit(options.maximumOutstanding)
        }
        guard state.connected, state.pending.isEmpty, state.inflight.count < options.window else {
          state.pending.append(message)
          return nil
        }
        let (mid, error) = send(message)
        if !Session.isTaken(error) { return .refused(words(error)) }
        state.inflight[mid] = message.id
      }
      return nil
    }
    if let refusal { throw refusal }
  }

  /// Moves waiting messages into libmosquitto as far as the window goes. Returns those it refused.
  func fillWindow(_ state: inout State) -> [Event] {
    var rejected: [Event] = []
    while state.connected, state.inflight.count < options.window, let message = state.pending.popFirst() {
      let (mid, error) = send(message)
      if Session.isTaken(error) {
        state.inflight[mid] = message.id
      } else {
        rejected.append(.rejected(id: message.id, reason: words(error)))
      }
    }
    return rejected
  }

  /// libmosquitto says "no connection" when it just lost it, but has taken a QoS 1 message all the same.
  private static func isTaken(_ error: Int32) -> Bool {
    error == MOSQ_ERR_SUCCESS.code || error == MOSQ_ERR_NO_CONN.code
  }

  private func send(_ message: Outgoing) -> (mid: Int32, error: Int32) {
    var mid: Int32 = 0
    var properties = Properties()
    if let expiry = message.expiry, options.protocolVersion == .v5 {
      properties.add(MQTT_PROP_MESSAGE_EXPIRY_INTERVAL, expiry.mqttSeconds)
    }
    let error = mosquitto_publish_v5(
      handle.pointer, &mid, message.topic, Int32(message.payload.count), message.payload,
      message.qos.rawValue,
      message.retain, properties.list)
    return (mid, error)
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
  }

  func unsubscribe(_ filter: String) {
    state.withLock { state in
      guard state.subscriptions.removeValue(forKey: filter) != nil, state.connected else { return }
      // A failure means that the connection is going; the next one does not ask for it.
      mosquitto_unsubscribe(handle.pointer, nil, filter)
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
    wakeup.raise()
  }

  /// Says good-bye now, with whatever is left.
  func disconnectNow() { state.withLock { disconnect($0) } }

  func disconnect(_ state: borrowing State) {
    if state.connected { mosquitto_disconnect(handle.pointer) }
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
