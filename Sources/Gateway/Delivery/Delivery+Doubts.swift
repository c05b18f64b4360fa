import Machine
import Messages
import Mosquitto
import Outbox
import Synchronization

/// MQTT 3.1.1 only: messages that the broker acknowledged but may have dropped.
extension Delivery {
  func note(_ message: Message, id: UInt64, isOnTrial: Bool, _ state: inout State) {
    state.doubts?.sent(message, id: id, isOnTrial: isOnTrial, at: clock())
    if state.doubts?.hasQuestions == true { inquiry.yield() }
  }

  var hasQuestions: Bool { client.isConnected && state.withLock { $0.doubts?.hasQuestions ?? false } }

  func takeReload() -> Bool {
    state.withLock { state in
      defer { state.isReloaded = false }
      return state.isReloaded
    }
  }

  /// One message of each topic to ask about.
  func takeQuestions(atMost limit: Int) -> [Message] {
    guard client.isConnected else { return [] }
    return state.withLock { $0.doubts?.takeQuestions(atMost: limit) ?? [] }
  }

  func take(_ report: AccessInquiry.Report, user: String?) {
    state.withLock { state in
      let now = clock()
      for (topic, answer) in report.answers {
        guard let decision = state.doubts?.answered(topic, answer, at: now) else { continue }
        for id in decision.believed { believe(id, &state) }
        for copy in decision.refused {
          take(
            refusalOf: copy.message, row: row(of: copy.id), id: copy.id, reason: decision.reason, user: user,
            &state)
        }
      }
      for topic in report.left { state.doubts?.notAnswered(topic) }
      if report.left.isEmpty { state.accessFault = report.fault }
      withdraw(&state)
      send(&state)
    }
  }

  /// No more questions will be asked. Acknowledged messages that could not be written either count as delivered. Those on disk are
  /// sent again by the next start.
  func believeAtTheEnd(_ state: inout State) {
    for id in state.doubts?.undecided ?? [] { state.outbox.believe(row: Int64(clamping: id)) }
    state.doubts = nil
  }
}
