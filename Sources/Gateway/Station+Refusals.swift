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
      let isNews = state.refusals.refused(
        Message(refused), row: row(of: refused), id: refused.id, at: LiveClock.now)
      if isNews { tell(refused.topic, reason, user, &state) }
      withdraw(&state)
      send(&state)
    }
  }

  /// Takes back what goes where the broker refuses it, so that it need not refuse each.
  private func withdraw(_ state: inout State) {
    let refusals = state.refusals
    for message in client.withdraw({ id, topic in id < Refusals.firstID && refusals.holds(topic) }) {
      _ = state.refusals.park(Message(message), row: row(of: message))
    }
  }

  private func row(of message: PublishedMessage) -> Int64? {
    let isRow = message.id > 0 && message.id < Refusals.firstID
    return isRow && !message.isAcknowledged ? Int64(clamping: message.id) : nil
  }

  private func tell(_ topic: String, _ reason: String, _ user: String?, _ state: inout State) {
    state.refusedTopics += 1
    let who = user.map { "the user \($0)" } ?? "a client without user name"
    switch state.refusedTopics {
    case ...Self.tellLimit:
      onNotice(
        "the broker does not take what goes to \(topic), from \(who): \(reason). It waits here, everything else goes on, and it is "
          + "tried again now and then. Look at the broker's access list; `beaconkeeper doctor` tells all that it forbids"
      )
    case Self.tellLimit + 1: onNotice("the broker refuses more topics; health counts what waits for them")
    default: break
    }
  }

  /// The broker has the message with this id; there is room for another.
  func acknowledged(_ id: UInt64) {
    state.withLock { state in
      if let accepted = state.refusals.acknowledged(id, at: LiveClock.now) {
        if let row = accepted.row { state.outbox.acknowledge(row: row) }
        onNotice("the broker takes what goes to \(accepted.topic) again")
      } else if id > 0 {
        state.outbox.acknowledge(row: Int64(clamping: id))
      }
      send(&state)
    }
  }

  func disconnected() {
    state.withLock { state in
      state.refusals.disconnected(at: LiveClock.now)
      withdraw(&state)
    }
  }

  /// Offers what was refused again, where it is time; at once, where somebody may have changed what the broker allows.
  func retryRefused(isUrgent: Bool = false) {
    state.withLock { state in
      if state.refusals.isEmpty { return }
      if isUrgent { state.refusals.retry(at: LiveClock.now) }
      send(&state)
    }
  }

  /// Publishes what was refused and may go now. False: the client takes nothing more.
  func sendRefused(_ state: inout State) -> Bool {
    while let (parked, id) = state.refusals.next(at: LiveClock.now) {
      do throws(PublishError) {
        try publish(parked.message, id: id, isOnTrial: id >= Refusals.firstID)
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
