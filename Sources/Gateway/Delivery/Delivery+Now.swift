import Messages
import Mosquitto
import Synchronization

/// Messages that are worth nothing later.
extension Delivery {
  /// Publishes some at once, past everything that waits; without a connection they are dropped.
  func sendNow(_ messages: [Message]) {
    state.withLock { state in
      for message in messages { try? publishUnanswered(message, &state) }
    }
  }
}
