import Outbox
import Machine
import Beacons
import Messages
import Mosquitto
import Radio
import Synchronization

/// What the broker refuses, and what it takes after all.
extension Station {
  /// So many topics are told by name.
  private static let tellLimit = 10

  /// The broker refused a message, which waits from now on.
  func refused(_ refused: PublishedMessage, reason: String, user: String?) {
    state.withLock { state in
      let now = LiveClock.now
      // What is of the moment is not worth keeping; what is retained is.
      let isOfTheMoment = Unanswered.isQuestion(refused.id) && !refused.retain
      var isNews = false
      if Unanswered.isQuestion(refused.id) {
        isNews = state.unanswered.refused(
          refused.topic, id: refused.id, isParked: !isOfTheMoment, at: now)
      }
      if !isOfTheMoment {
        isNews = state.refusals.refused(Message(refused), row: row(of: refused), id: refused.id, at: now)
      }
      if isNews {
        tell(refused.topic, reason, user, isOfTheMoment ? "It is left out" : "It waits here", &state)
      }
      withdraw(&state)
      send(&state)
    }
  }

  /// Takes back what goes where the broker refuses it, so that it need not refuse each.
  private func withdraw(_ state: inout State) {
    let (refusals, unanswered) = (state.refusals, state.unanswered)
    let withdrawn = client.withdraw { id, topic in
      if Unanswered.isQuestion(id) { return refusals.holds(topic) || unanswered.isRefused(topic) }
      return id < Refusals.firstID && refusals.holds(topic)
    }
    for message in withdrawn {
      state.unanswered.notAsked(message.id)
      _ = state.refusals.park(Message(message), row: row(of: message))
    }
  }

  private func row(of message: PublishedMessage) -> Int64? {
    let isRow = message.id > 0 && message.id < Refusals.firstID
    return isRow && !message.isAcknowledged ? Int64(clamping: message.id) : nil
  }

  private func tell(
    _ topic: String, _ reason: String, _ user: String?, _ fate: String, _ state: inout State
  ) {
    state.refusedTopics += 1
    let who = user.map { "the user \($0)" } ?? "a client without user name"
    switch state.refusedTopics {
    case ...Self.tellLimit:
      onNotice(
        "the broker does not take what goes to \(topic), from \(who): \(reason). \(fate), everything else goes on, and it is "
          + "tried again now and then. Look at the broker's access list; `beaconkeeper doctor` tells all that it forbids"
      )
    case Self.tellLimit + 1: onNotice("the broker refuses more topics; health counts what waits for them")
    default: break
    }
  }

  /// The broker has the message with this id; there is room for another.
  func acknowledged(_ id: UInt64) {
    state.withLock { state in
      if Unanswered.isQuestion(id) {
        if let topic = state.unanswered.acknowledged(id) { tellTaken(topic) }
      } else if let accepted = state.refusals.acknowledged(id, at: LiveClock.now) {
        if let row = accepted.row { state.outbox.acknowledge(row: row) }
        tellTaken(accepted.topic)
      } else if id > 0 {
        state.outbox.acknowledge(row: Int64(clamping: id))
      }
      send(&state)
    }
  }

  func disconnected() {
    state.withLock { state in
      state.refusals.disconnected(at: LiveClock.now)
      state.unanswered.disconnected()
      withdraw(&state)
    }
  }

  private func tellTaken(_ topic: String) { onNotice("the broker takes what goes to \(topic) again") }

  /// Offers what was refused again, where it is time; at once, where somebody may have changed what the broker allows.
  func retryRefused(isUrgent: Bool = false) {
    state.withLock { state in
      correctStatus(&state)
      if isUrgent { state.unanswered.retry() }
      if state.refusals.isEmpty { return }
      if isUrgent { state.refusals.retry(at: LiveClock.now) }
      send(&state)
    }
  }

  /// Publishes what was refused and may go now. False: the client takes nothing more.
  func sendRefused(_ state: inout State) -> Bool {
    while let (parked, id) = state.refusals.next(at: LiveClock.now) {
      do throws(PublishError) {
        var message = parked.message
        // Of an offer there must be word.
        if id >= Refusals.firstID { message.qos = .atLeastOnce }
        try publish(message, id: id, isOnTrial: id >= Refusals.firstID)
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

  /// Publishes what needs no answer, if it may go now.
  func publishUnanswered(_ message: Message, _ state: inout State) throws(PublishError) {
    guard client.isConnected else { throw .notConnected }
    switch state.unanswered.way(of: message.topic, isRetained: message.retained, at: LiveClock.now) {
    case .notNow: return
    case .asItIs: try publish(message, id: 0)
    case .asking(let id, let isOnTrial):
      var question = message
      question.qos = .atLeastOnce
      do throws(PublishError) {
        try publish(question, id: id, isOnTrial: isOnTrial)
      } catch {
        state.unanswered.notAsked(id)
        throw error
      }
    }
  }

  func publish(_ message: Message, id: UInt64, isOnTrial: Bool = false) throws(PublishError) {
    try client.publish(
      message.payload, to: message.topic, qos: message.qos == .atMostOnce ? .atMostOnce : .atLeastOnce,
      retain: message.retained, expiry: message.expiry.map { .nanoseconds($0.nanoseconds) }, id: id,
      isOnTrial: isOnTrial)
  }
}

extension Message {
  fileprivate init(_ message: PublishedMessage) {
    self.init(
      topic: message.topic, payload: message.payload,
      qos: message.qos == .atMostOnce ? .atMostOnce : .atLeastOnce, retained: message.retain,
      expiry: message.expiry.map { .seconds($0 / .seconds(1)) })
  }
}
