import MQTT
import Outbox
import Logging
import Machine
import Beacons
import Messages
import Mosquitto
import Radio
import Synchronization

/// What the broker refuses, and what it accepts again later.
extension Delivery {
  /// How many topics are reported by name.
  private static let tellLimit = 10

  /// The broker refused a message, which is parked from now on.
  func refused(_ refused: PublishedMessage, reason: String, user: String?) {
    state.withLock { state in
      take(
        refusalOf: Message(refused), row: row(of: refused, &state), id: refused.id, reason: reason,
        user: user, &state)
      withdraw(&state)
      send(&state)
    }
    tellNews()
  }

  /// Has `health` published if it says something else since a topic was refused, or accepted again.
  private func tellNews() {
    let hasNews = state.withLock { state in
      defer { state.hasNews = false }
      return state.hasNews
    }
    if hasNews { onHealthChange.withLock { $0 }?.call() }
  }

  func take(
    refusalOf message: Message, row: Int64?, id: UInt64, reason: String, user: String?, _ state: inout State
  ) {
    let now = clock()
    // Momentary messages are not worth keeping; retained ones are.
    let isOfTheMoment = Unanswered.isQuestion(id) && !message.retained
    var isNews = false
    if Unanswered.isQuestion(id) {
      isNews = state.unanswered.refused(message.topic, id: id, isParked: !isOfTheMoment, at: now)
    }
    if !isOfTheMoment {
      isNews = state.refusals.refused(message, row: row, id: id, at: now)
    }
    if isNews {
      tell(message.topic, reason, user, isOfTheMoment ? "It is left out" : "It waits here", &state)
    }
  }

  /// Withdraws queued messages to refused topics, so that the broker need not refuse each one.
  func withdraw(_ state: inout State) {
    let (refusals, unanswered) = (state.refusals, state.unanswered)
    let withdrawn = client.withdraw { id, topic in
      if Unanswered.isQuestion(id) { return refusals.holds(topic) || unanswered.isRefused(topic) }
      return id < Refusals.firstID && refusals.holds(topic)
    }
    for message in withdrawn {
      state.unanswered.notAsked(message.id)
      _ = state.refusals.park(Message(message), row: row(of: message, &state))
    }
  }

  /// The row on disk of a refused message; nil: it has none, or the broker acknowledged it earlier.
  private func row(of message: PublishedMessage, _ state: inout State) -> Int64? {
    let wasInDoubt = state.doubts?.forget(message.id, message.topic) ?? false
    return message.isAcknowledged && !wasInDoubt ? nil : row(of: message.id)
  }

  /// The row on disk of the message published with this id.
  func row(of id: UInt64) -> Int64? { id > 0 && id < Refusals.firstID ? Int64(clamping: id) : nil }

  private func tell(
    _ topic: String, _ reason: String, _ user: String?, _ fate: String, _ state: inout State
  ) {
    state.refusedTopics += 1
    let who = user.map { "the user \($0)" } ?? "a client without user name"
    let remedy =
      reason == Client.quotaExceeded
      ? "The broker has no room for it now; look at its limits"
      : "Check the broker's access list; `beaconkeeper doctor` lists everything it forbids"
    if state.refusedTopics <= Self.tellLimit { state.hasNews = true }
    switch state.refusedTopics {
    case ...Self.tellLimit:
      logger.warning(
        """
        the broker refuses messages to \(topic) from \(who): \(reason). \(fate), everything else continues, and the \
        gateway tries again now and then. \(remedy)
        """, metadata: ["topic": "\(topic)"])
    case Self.tellLimit + 1:
      logger.warning("the broker refuses more topics; `health` counts the waiting messages")
    default: break
    }
  }

  /// The broker has the message with this id; there is room for another.
  func acknowledged(_ id: UInt64, user: String?) {
    state.withLock { state in
      switch state.doubts?.acknowledged(id) {
      case .believed, nil: believe(id, &state)
      case .undecided: break
      case .refused(let message, let reason):
        take(refusalOf: message, row: row(of: id), id: id, reason: reason, user: user, &state)
      }
      send(&state)
    }
    tellNews()
    settlement.ring()
  }

  func believe(_ id: UInt64, _ state: inout State) {
    if Unanswered.isQuestion(id) {
      if let topic = state.unanswered.acknowledged(id) { tellTaken(topic, &state) }
    } else if let accepted = state.refusals.acknowledged(id, at: clock()) {
      if let row = accepted.row { state.outbox.acknowledge(row: row) }
      tellTaken(accepted.topic, &state)
    } else if id > 0 {
      state.outbox.acknowledge(row: Int64(clamping: id))
    }
  }

  /// The broker accepted the connection, and its access rules may have changed.
  func connected() {
    state.withLock { state in
      state.refusals.connected(at: clock())
      state.doubts?.reset()
      inquiry.yield()
      sayOnline(&state)
    }
  }

  /// The configuration was reloaded: the broker's access rules may have been fixed, too.
  func reloaded() {
    state.withLock { state in
      state.doubts?.reset()
      state.isReloaded = true
    }
    inquiry.yield()
  }

  func disconnected() {
    state.withLock { state in
      state.refusals.disconnected(at: clock())
      state.unanswered.disconnected()
      withdraw(&state)
    }
    settlement.ring()
  }

  private func tellTaken(_ topic: String, _ state: inout State) {
    logger.notice("the broker accepts messages to \(topic) again")
    if state.refusals.isEmpty { state.hasNews = true }
  }

  /// Retries refused messages when they are due; at once if the broker's access rules may have changed.
  func retryRefused(isUrgent: Bool = false) {
    state.withLock { state in
      correctStatus(&state)
      if isUrgent { state.unanswered.retry() }
      if state.refusals.isEmpty { return }
      if isUrgent { state.refusals.retry(at: clock()) }
      send(&state)
    }
  }

  /// Publishes refused messages that are due. Returns false if the client accepts no more.
  func sendRefused(_ state: inout State) -> Bool {
    while let (parked, id) = state.refusals.next(at: clock()) {
      do throws(PublishError) {
        var message = parked.message
        // A retry needs an answer.
        if id >= Refusals.firstID { message.qos = .atLeastOnce }
        try publish(message, id: id, isOnTrial: id >= Refusals.firstID, &state)
      } catch .outstandingLimit, .stopped {
        return false
      } catch .notConnected {
        return true
      } catch {
        if let row = parked.row { state.outbox.acknowledge(row: row) }
      }
      state.refusals.sent(id)
    }
    return true
  }

  /// Publishes a QoS 0 message if its topic allows it now.
  func publishUnanswered(_ message: Message, _ state: inout State) throws(PublishError) {
    guard client.isConnected else { throw .notConnected }
    switch state.unanswered.way(of: message.topic, isRetained: message.retained, at: clock()) {
    case .notNow: return
    case .asItIs: try publish(message, id: 0, &state)
    case .asking(let id, let isOnTrial):
      var question = message
      question.qos = .atLeastOnce
      do throws(PublishError) {
        try publish(question, id: id, isOnTrial: isOnTrial, &state)
      } catch {
        state.unanswered.notAsked(id)
        throw error
      }
    }
  }

  func publish(
    _ message: Message, id: UInt64, isOnTrial: Bool = false, _ state: inout State
  ) throws(PublishError) {
    try client.publish(
      message.payload, to: message.topic, qos: message.qos,
      retain: message.retained, expiry: message.expiry.map { .nanoseconds($0.nanoseconds) }, id: id,
      isOnTrial: isOnTrial)
    logger.debug(
      "published",
      metadata: [
        "topic": "\(message.topic)", "qos": "\(message.qos.rawValue)", "octets": "\(message.payload.count)",
      ])
    note(message, id: id, isOnTrial: isOnTrial, &state)
  }
}

extension Message {
  fileprivate init(_ message: PublishedMessage) {
    self.init(
      topic: message.topic, payload: message.payload,
      qos: message.qos, retained: message.retain,
      expiry: message.expiry.map { .seconds($0 / .seconds(1)) })
  }
}

/// Messages that are worth nothing later.
extension Delivery {
  /// Publishes some at once, past everything that waits; without a connection they are dropped.
  func sendNow(_ messages: [Message]) {
    state.withLock { state in
      for message in messages { try? publishUnanswered(message, &state) }
    }
  }
}
