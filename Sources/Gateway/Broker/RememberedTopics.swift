import Core
import Dispatch
import FoundationEssentials
import Synchronization

/// The topics that this gateway retains at the broker, of earlier runs and configurations, too, in a file beside the outbox.
///
/// What is no longer configured is found at the broker. But some brokers send nothing of what they retain to a subscription with
/// wildcards (RabbitMQ), or do not let the gateway read; there the topics are cleared without being read.
package final class RememberedTopics: Sendable {
  private let path: String?
  private let state: Mutex<State>
  private let disk = DispatchQueue(label: "remembered topics")

  private struct State {
    var topics: Set<String>
    /// Those of them that are cleared, and since when; perhaps the broker does not know yet.
    var cleared: [String: MonotonicTime] = [:]
    /// A write will begin that takes the topics of then, so another is not needed: a disk may hang.
    var isWaiting = false
  }

  /// A file of ours is much smaller.
  private static let limit = 16 << 20

  /// - Parameter path: nil: nothing is kept on disk.
  package init(path: String?) {
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

  /// The whole file is written, so the more topics there are, the more changes wait for the next write.
  private static let topicsASecond = 1000

  /// A retained message has been sent; an empty one clears the topic.
  func note(_ topic: String, isCleared: Bool) {
    change { state in
      if isCleared {
        if state.topics.contains(topic) { state.cleared[topic] = LiveClock.now }
        return false
      }
      state.cleared[topic] = nil
      return state.topics.count < Self.topicLimit && state.topics.insert(topic).inserted
    }
  }

  /// A broker that was killed has what it last wrote to its disk: with mosquitto's settings, of half an hour ago at most.
  static let brokerMemory = TimeSpan.seconds(3600)

  /// Forgets what is cleared.
  ///
  /// - Parameters:
  ///   - isKept: whether the broker may bring a topic back, and only this memory would then find it: it is forgotten later.
  ///   - unsettled: those of some topics of which the broker may not have the newest message.
  func forgetCleared(
    at now: MonotonicTime, isKept: (String) -> Bool, except unsettled: (Set<String>) -> Set<String>
  ) {
    let cleared = state.withLock(\.cleared).filter { !isKept($0.key) || now - $0.value >= Self.brokerMemory }
    if cleared.isEmpty { return }
    let gone = Set(cleared.keys).subtracting(unsettled(Set(cleared.keys)))
    change { state in
      // Others have been retained anew meanwhile.
      let gone = gone.filter { state.cleared[$0] != nil }
      for topic in gone { state.cleared[topic] = nil }
      state.topics.subtract(gone)
      return !gone.isEmpty
    }
  }

  /// - Parameter change: returns whether the topics are others now.
  private func change(_ change: (inout State) -> Bool) {
    let pause = state.withLock { state -> Int? in
      guard change(&state), !state.isWaiting else { return nil }
      state.isWaiting = true
      return state.topics.count / Self.topicsASecond
    }
    if let pause { disk.asyncAfter(deadline: .now() + .seconds(pause)) { self.write() } }
  }

  /// Writes what waits, at the end of the run.
  func settle() {
    if state.withLock(\.isWaiting) { disk.async { self.write() } }
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
