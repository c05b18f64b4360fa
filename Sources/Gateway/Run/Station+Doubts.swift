import Machine
import Messages
import Mosquitto
import Outbox
import Synchronization

/// Why the broker may have to be asked what it allows.
enum InquiryReason: Sendable {
  /// There are topics of which it is not known.
  case questions
  /// Somebody may have mended what kept us from asking.
  case reload
}

/// With MQTT 3.1.1: what the broker acknowledged, and may have dropped.
extension Station {
  func note(_ message: Message, id: UInt64, isOnTrial: Bool, _ state: inout State) {
    state.doubts?.sent(message, id: id, isOnTrial: isOnTrial, at: LiveClock.now)
    if state.doubts?.hasQuestions == true { inquiry.yield(.questions) }
  }

  /// One message of each topic to ask about.
  func takeQuestions(atMost limit: Int) -> [Message] {
    guard client.isConnected else { return [] }
    return state.withLock { $0.doubts?.takeQuestions(atMost: limit) ?? [] }
  }

  func take(_ report: AccessInquiry.Report, user: String?) {
    state.withLock { state in
      let now = LiveClock.now
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
}
