import CMosquitto
import Core
import Glibc
import Synchronization

/// Processes what happened on the connection.
extension Loop {
  /// A connection that held for this long resets the count of failures. Two clients with the same id, which disconnect each
  /// other forever, must slow down.
  private static let stable = Duration.seconds(5)

  /// Processes what the callbacks left.
  mutating func work() {
    let (items, written) = (session.handle.inbox.take(), session.handle.inbox.takeWritten())
    let isProven = session.state.withLock { $0.unproven.map { $0.until <= .now } ?? false }
    if items.isEmpty, written == 0, !isProven { return }
    var news: [Event] = []
    session.state.withLock { state in
      state.unwritten -= written
      for item in items { take(item, &state, &news) }
      // If the connection has ended meanwhile, it is not proven.
      if isProven, disconnectCode == nil { proven(&state, &news) }
      state.isLoopAsleep = false
      if state.hasRoom(session.options.maximumOutstanding) { state.waiters.wakeAll(for: .room) }
      if state.isDone { session.disconnect(&state) }
    }
    session.events.yield(contentsOf: news)
  }

  private mutating func take(_ item: Inbox.Item, _ state: inout Session.State, _ news: inout [Event]) {
    switch item {
    case .connack(code: 0, let sessionPresent, let maximumPacket, _):
      self.maximumPacket = maximumPacket
      state.connected = true
      established = .now
      news.append(.connected(sessionPresent: sessionPresent))
      for (filter, subscription) in state.subscriptions { session.ask(for: filter, subscription, &state) }
      if state.isDone { session.disconnect(&state) }
    case .connack(let code, _, _, _):
      refusal = ConnectionFailure(connack: code, reason: reasonWords(code))
    case .answered(let mid, let reason):
      answered(mid, reason, &state, &news)
    case .subscribed(let mid, let granted):
      guard let filter = state.subscribing.removeValue(forKey: mid) else { break }
      news.append(
        granted < 0x80
          ? .subscribed(filter: filter, qos: Int(granted))
          : .subscriptionRefused(filter: filter, reason: reasonWords(granted)))
    case .unsubscribed: break
    case .message(let message): news.append(.message(message))
    case .oversized: session.events.countLost()
    // The first code is the cause; libmosquitto may call again for the closed socket.
    case .disconnected(let code): disconnectCode = disconnectCode ?? code
    }
  }

  mutating func attemptEnded(_ error: Int32, _ number: Int32) {
    work()
    let code = disconnectCode ?? error
    var news: [Event] = []
    session.state.withLock { state in
      state.connected = false
      if established != nil {
        mustRenew = connectionEnded(byBroker: isBrokersDoing(code, number), &state, &news) || mustRenew
      }
      state.isLeaving = false
      // libmosquitto drops these when it reconnects.
      state.unwritten = 0
      state.backlog.dropAtMostOnce()
      state.isLoopAsleep = false
      state.subscribing.removeAll()
      // Tasks that waited for them to be written learn that there is no connection.
      state.waiters.wakeAll(for: .room)
    }
    let diagnosis = session.handle.inbox.takeDiagnosis()
    if let established {
      let isFresh =
        ContinuousClock.now - established > Loop.stable
        || session.state.withLock { $0.caution.isSearching }
      failures = isFresh ? 1 : failures + 1
      session.events.yield(contentsOf: news)
      let reason =
        code == 0 ? "disconnected" : code >= 0x80 ? reasonWords(code) : diagnosis.line ?? words(code, number)
      session.events.yield(.disconnected(reason: reason))
    } else {
      failures += 1
      guard session.state.withLock({ $0.phase == .running }) else { return }
      let failure =
        refusal ?? ConnectionFailure(error: error, errno: number, diagnosis: diagnosis, session.options)
      session.events.yield(.refused(failure))
    }
  }

  private func words(_ code: Int32, _ number: Int32) -> String {
    switch code {
    case MOSQ_ERR_ERRNO.code where number != 0: String(cString: strerror(number))
    // errno is not set: the stream ended within a packet.
    case MOSQ_ERR_CONN_LOST.code, MOSQ_ERR_NO_CONN.code, MOSQ_ERR_ERRNO.code:
      session.options.protocolVersion == .v311
        ? "the broker closed the connection; with MQTT 3.1.1 it cannot say why"
        : "the broker closed the connection and gave no reason"
    case MOSQ_ERR_OVERSIZE_PACKET.code:
      "the broker sent a packet of more than \(session.options.maximumPacket) octets"
    case MOSQ_ERR_KEEPALIVE.code: "the broker did not answer within \(session.options.keepAlive)"
    default: Mosquitto.words(code)
    }
  }
}

/// Handles the messages that were under way when a connection ended.
extension Loop {
  /// How long a message stays alone after MQTT 3.1.1 acknowledged it: the broker may have dropped it, and may close the
  /// connection.
  static let proof = Duration.milliseconds(50)

  /// Processes the broker's answer to a QoS 1 message.
  func answered(_ mid: Int32, _ reason: Int32, _ state: inout Session.State, _ news: inout [Event]) {
    let isRefused = reason >= 0x80
    // MQTT 3.1.1 has no refusal: a broker acknowledges what it drops (section 3.3.5).
    let isDoubtful = session.options.protocolVersion == .v311
    // If others were under way when caution began, the message is not alone, and its answer proves nothing.
    let isOnTrial = isDoubtful && state.caution.isActive && state.inflight.count == 1
    let message = isRefused ? state.inflight.message(mid) : nil
    guard
      let entry = state.inflight.answered(
        mid, isReported: !isOnTrial, doubtedAt: isDoubtful ? ContinuousClock.now : nil)
    else { return }
    if isOnTrial {
      state.unproven = (entry, .now + Self.proof)
      return
    }
    state.caution.gotThrough(entry.number)
    if let message {
      news.append(.rejected(message, reason: reasonWords(reason)))
    } else if !entry.message.isAcknowledged {
      news.append(.acknowledged(id: entry.message.id))
    }
  }

  /// A message was sent alone and acknowledged, and the connection still lives. So the message did not end it.
  func proven(_ state: inout Session.State, _ news: inout [Event]) {
    guard let (entry, _) = state.unproven else { return }
    state.unproven = nil
    state.inflight.forgetAnswered()
    state.caution.gotThrough(entry.number)
    if !entry.message.isAcknowledged { news.append(.acknowledged(id: entry.message.id)) }
  }

  /// An established connection ended. Returns whether libmosquitto must forget its messages.
  func connectionEnded(byBroker: Bool, _ state: inout Session.State, _ news: inout [Event]) -> Bool {
    guard byBroker, state.phase == .running else {
      proven(&state, &news)
      state.inflight.forgetAnswered()
      return false
    }
    state.unproven = nil
    var doubtful = state.inflight.takeDoubtful(at: .now)
    guard let first = doubtful.first, let last = doubtful.last else { return false }
    let verdict = state.caution.closed(
      under: first.number...last.number, isOnTrial: last.message.isOnTrial)
    if verdict == .culprit {
      let culprit = doubtful.message(at: 0)
      news.append(.rejected(culprit, reason: "\(Client.closure) of \(culprit.payload.count) octets"))
      doubtful.removeFirst()
    }
    state.backlog.putBack(doubtful)
    return true
  }

  /// Whether the broker ended the connection for a reason that may be one of our messages.
  ///
  /// - Parameters:
  ///   - code: libmosquitto's error, or the reason code of a DISCONNECT (MQTT 5.0, section 3.14.2.1).
  ///   - number: `errno`.
  func isBrokersDoing(_ code: Int32, _ number: Int32) -> Bool {
    if isLeaving { return false }
    switch code {
    // Busy, shutting down, keep-alive, taken over, closed by an administrator, moved, too many connections, or too long.
    case 0x89, 0x8B, 0x8D, 0x8E, 0x98, 0x9C, 0x9D, 0x9F, 0xA0: return false
    case 0x80...: return true
    case MOSQ_ERR_CONN_LOST.code, MOSQ_ERR_NO_CONN.code: return true
    case MOSQ_ERR_ERRNO.code: return [0, ECONNRESET, EPIPE].contains(number)
    default: return false
    }
  }
}
