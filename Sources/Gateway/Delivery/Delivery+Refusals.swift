import Configuration
import Contract
import Core
import Logging
import Mosquitto
import Outbox
import Synchronization

/// Messages that the broker refuses, or accepts again later. `Permissions` decides.
extension Delivery {
  /// Publishes a refused message that is due. Returns false if the client has no room.
  func tryRefused(_ state: inout State) -> Bool {
    guard let item = state.permissions.dueTrial(at: clock()) else { return true }
    let message = item.message(topics)
    let result = publish(message, item, isAsking: true, isOnTrial: true)
    if result == .published {
      note(message, &state)
      state.permissions.tried(item)
    }
    if state.permissions.hasQuestions { inquiry.yield() }
    return result != .full
  }

  // MARK: The broker's answers

  /// The broker acknowledged this id; the client has room for another message.
  func acknowledged(_ id: UInt64) {
    state.withLock { state in
      carryOut(state.permissions.acknowledged(id, at: clock()), &state)
      send(&state)
    }
    settlement.ring()
  }

  /// The broker refused a message. It is parked from now on.
  func refused(_ refused: PublishedMessage, reason: String) {
    state.withLock { state in
      let outcomes = state.permissions.rejected(
        refused.id, Message(refused), reason: reason, isPassing: Client.isPassing(reason), at: clock())
      carryOut(outcomes, &state)
      withdraw(&state)
      send(&state)
    }
  }

  private func carryOut(_ outcomes: [Permissions.Outcome], _ state: inout State) {
    let who = user.map { "the user \($0)" } ?? "a client without user name"
    for outcome in outcomes {
      switch outcome {
      case .delivered(let row): if let row { state.outbox.acknowledge(row: row) }
      case .refused(let topic, let reason, let isLeftOut):
        let fate = isLeftOut ? "It is left out" : "It waits here"
        let size = "limit for the size of messages"
        let cause =
          Client.concernsSize(reason)
          ? size : Client.mayConcernSize(reason) ? "access list, and its \(size)" : "access list"
        tell(
          topic,
          """
          the broker refuses messages to \(topic) from \(who): \(reason). \(fate), everything else continues, and the \
          gateway tries again now and then. Check the broker's \(cause); `beaconkeeper doctor` lists everything it forbids
          """, &state)
      case .postponed(let topic, let reason):
        tell(
          topic,
          """
          the broker has no room for messages to \(topic) from \(who): \(reason). They wait here, everything else continues, \
          and the gateway tries again soon. Look at the broker's limits
          """, &state)
      case .accepted(let topic):
        logger.notice("the broker accepts messages to \(topic) again")
        if state.permissions.isEmpty { noteNews(&state) }
      }
    }
  }

  /// How many topics are reported by name.
  private static let tellLimit = 10

  private func tell(_ topic: String, _ text: String, _ state: inout State) {
    state.refusedTopics += 1
    if state.refusedTopics <= Self.tellLimit { noteNews(&state) }
    switch state.refusedTopics {
    case ...Self.tellLimit: logger.warning("\(text)", metadata: ["topic": "\(topic)"])
    case Self.tellLimit + 1:
      logger.warning("the broker refuses more topics; `health` counts the waiting messages")
    default: break
    }
  }

  /// Withdraws queued messages of refused topics, so that the broker need not refuse each one.
  private func withdraw(_ state: inout State) {
    let withdrawn = client.withdraw { _, topic in state.permissions.holds(topic) }
    for message in withdrawn { state.permissions.withdrawn(message.id, Message(message)) }
  }

  // MARK: The connection

  /// The broker accepted the connection, and its access rules may have changed.
  func connected() {
    state.withLock { state in
      state.permissions.connected(at: clock())
      inquiry.yield()
      sayOnline(&state)
    }
  }

  func disconnected() {
    state.withLock { state in
      state.permissions.disconnected(at: clock())
      withdraw(&state)
    }
    settlement.ring()
  }

  /// The configuration was reloaded. Perhaps the user has also changed the broker's access rules.
  func configure(_ new: Configuration) {
    state.withLock { state in
      state.permissions.mended(at: clock())
      send(&state)
    }
    inquiry.yield()
  }

  /// Tries refused messages that are due, and sends messages that wait for room.
  func retryRefused() {
    state.withLock { state in
      correctStatus(&state)
      send(&state)
    }
  }

  // MARK: Questions with MQTT 3.1.1, which has no refusals

  var hasQuestions: Bool { client.isConnected && state.withLock { $0.permissions.hasQuestions } }

  /// One message of each topic to ask about.
  func takeQuestions(atMost limit: Int) -> [Message] {
    guard client.isConnected else { return [] }
    return state.withLock { $0.permissions.takeQuestions(atMost: limit).map { $0.message(topics) } }
  }

  func take(_ report: AccessInquiry.Report) {
    state.withLock { state in
      for (topic, answer) in report.answers {
        carryOut(state.permissions.answered(topic, answer, at: clock()), &state)
      }
      for topic in report.left { _ = state.permissions.answered(topic, nil, at: clock()) }
      if report.left.isEmpty { state.accessFault = report.fault }
      withdraw(&state)
      send(&state)
    }
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
