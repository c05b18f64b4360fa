import Dispatch
import FoundationEssentials
import Synchronization

/// The topics that this gateway has retained at the broker, also in earlier runs and configurations. They are in a file beside
/// the outbox.
///
/// Topics that are no longer configured are found at the broker. But some brokers send no retained messages to a subscription
/// with wildcards (RabbitMQ), or do not let the gateway read. Then the remembered topics are cleared without being read.
package final class RememberedTopics: Sendable {
  private let path: String?
  private let state: Mutex<State>
  private let disk = DispatchQueue(label: "remembered topics")

  private struct State {
    var topics: Set<String>
    /// Topics that are being cleared; the broker may not have the message yet.
    var cleared: Set<String> = []
    /// A write is planned, and will write the topics of that moment, so another one is not needed. The disk may hang.
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

  /// A limit, because anybody can invent members of regions, and so topics.
  private static let topicLimit = 50_000

  /// The whole file is written, so the more topics there are, the more changes wait for the next write.
  private static let topicsASecond = 1000

  /// A retained message has been sent; an empty one clears the topic.
  func note(_ topic: String, isCleared: Bool) {
    change { state in
      if isCleared {
        if state.topics.contains(topic) { state.cleared.insert(topic) }
        return false
      }
      state.cleared.remove(topic)
      return state.topics.count < Self.topicLimit && state.topics.insert(topic).inserted
    }
  }

  /// Forgets topics that are cleared.
  ///
  /// - Parameter unsettled: returns those of the given topics whose newest message the broker may not have.
  func forgetCleared(except unsettled: (Set<String>) -> Set<String>) {
    let cleared = state.withLock(\.cleared)
    if cleared.isEmpty { return }
    let gone = cleared.subtracting(unsettled(cleared))
    change { state in
      // Some topics may have been retained again meanwhile.
      let gone = state.cleared.intersection(gone)
      state.cleared.subtract(gone)
      state.topics.subtract(gone)
      return !gone.isEmpty
    }
  }

  /// - Parameter change: returns whether the topics have changed.
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

  /// Without the file the gateway relies on the broker alone, so a fault of the disk here is not reported.
  private func write() {
    let topics = state.withLock { state in
      state.isWaiting = false
      return state.topics
    }
    guard let path else { return }
    try? NewFile(path: path, mode: 0o600).write(topics.sorted().joined(separator: "\n") + "\n", .isDropped)
  }
}
