import CMosquitto
import Core
import Glibc

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
