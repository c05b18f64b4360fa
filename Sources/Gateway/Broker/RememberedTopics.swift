import Dispatch
import FoundationEssentials
import Synchronization

/// The retained topics of earlier configurations, in a file beside the outbox.
///
/// What is no longer configured is found at the broker. But some brokers send nothing of what they retain to a subscription with
/// wildcards (RabbitMQ), or do not let the gateway read; there the topics are cleared without being read.
final class RememberedTopics: Sendable {
  private let path: String?
  private let topics: Mutex<Set<String>>
  private let disk = DispatchQueue(label: "remembered topics")

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
    topics = Mutex(Set((text ?? "").split(separator: "\n").map(String.init)))
  }

  var all: Set<String> { topics.withLock { $0 } }

  /// Whoever invents members of regions makes no more.
  private static let topicLimit = 50_000

  /// The gateway may publish to these, too.
  func add(_ more: [String]) {
    let grown: Set<String>? = topics.withLock { topics in
      let count = topics.count
      for topic in more where topics.count < Self.topicLimit { topics.insert(topic) }
      return topics.count == count ? nil : topics
    }
    if let grown { write(grown) }
  }

  /// All others are cleared.
  func keepOnly(_ present: [String]) {
    let kept = Set(present)
    let isNew = topics.withLock { topics in
      defer { topics = kept }
      return topics != kept
    }
    if isNew { write(kept) }
  }

  /// Without the file, the broker must be able to tell what it retains; so a fault of the disk is none of the gateway.
  private func write(_ topics: Set<String>) {
    guard let path else { return }
    // A disk may hang.
    disk.async {
      try? NewFile(path: path, mode: 0o600).write(
        topics.sorted().joined(separator: "\n") + "\n", .isDropped)
    }
  }
}
