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
