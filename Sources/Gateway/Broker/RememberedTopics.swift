import Dispatch
import FoundationEssentials
import Synchronization

/// The retained topics of earlier configurations, in a file beside the outbox.
///
/// What is no longer configured is found at the broker. But some brokers send nothing of what they retain to a subscription with
/// wildcards (RabbitMQ), or do not let the gateway read; there the topics are cleared without being read.
final class RememberedTopics: Sendable {
  private let path: String?
  private let state: Mutex<State>
  private let disk = DispatchQueue(label: "remembered topics")

  private struct State {
    var topics: Set<String>
    /// A write will begin that takes the topics of then, so another is not needed: a disk may hang.
    var isWaiting = false
  }

  /// A file of ours is much smaller.
  private static let limit = 16 << 20

  /// - Parameter path: nil: nothing is kept on disk.
  init(path: String?) {
    self.path = path
    let text = path.flatMap { path -> String? in
      guard let octets = FileManager.default.contents(atPath: path), octets.count <= Self.limit else {
        return nil
      }
      return String(decoding: octets, as: UTF8.self)
    }
    state = Mutex(State(topics: Set((text ?? "").split(separator: "\n").map(String.init))))
  }

  var all: Set<String> { state.withLock(\.topics) }

  /// Whoever invents members of regions makes no more.
  private static let topicLimit = 50_000

  /// The gateway may publish to these, too.
  func add(_ more: [String]) {
    change { topics in
      for topic in more where topics.count < Self.topicLimit { topics.insert(topic) }
    }
  }

  /// All others are cleared.
  func keepOnly(_ present: [String]) { change { $0 = Set(present) } }

  private func change(_ change: (inout Set<String>) -> Void) {
    let mustWrite = state.withLock { state in
      let before = state.topics
      change(&state.topics)
      guard state.topics != before, !state.isWaiting else { return false }
      state.isWaiting = true
      return true
    }
    if mustWrite { disk.async { self.write() } }
  }

  /// Without the file, the broker must be able to tell what it retains; so a fault of the disk is none of the gateway.
  private func write() {
    let topics = state.withLock { state in
      state.isWaiting = false
      return state.topics
    }
    guard let path else { return }
    try? NewFile(path: path, mode: 0o600).write(topics.sorted().joined(separator: "\n") + "\n", .isDropped)
  }
}
