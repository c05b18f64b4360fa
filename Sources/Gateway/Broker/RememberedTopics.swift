import Core
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
    /// Topics that are being cleared, and since when; the broker may not have the message yet.
    var cleared: [String: MonotonicTime] = [:]
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
    let lines = (text ?? "").split(separator: "\n").map(String.init)
    state = Mutex(State(topics: Set(lines.filter(Self.isTopic))))
  }

  /// After a power cut a file may contain zeros, or parts of other files.
  private static func isTopic(_ line: String) -> Bool {
    line.unicodeScalars.allSatisfy { $0.value >= 0x20 && !"\u{7F}\u{FFFD}+#".unicodeScalars.contains($0) }
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
        if state.topics.contains(topic) { state.cleared[topic] = LiveClock.now }
        return false
      }
      state.cleared[topic] = nil
      return state.topics.count < Self.topicLimit && state.topics.insert(topic).inserted
    }
  }

  /// How old the state may be with which a killed broker comes back. mosquitto writes what it retains every half hour.
  static let brokerMemory = TimeSpan.seconds(3600)

  /// Forgets topics that are cleared.
  ///
  /// - Parameters:
  ///   - isKept: whether a topic is forgotten only after `brokerMemory`, because only this memory finds it if the broker brings it
  ///     back.
  ///   - unsettled: returns those of the given topics whose newest message the broker may not have.
  func forgetCleared(
    at now: MonotonicTime, isKept: (String) -> Bool, except unsettled: (Set<String>) -> Set<String>
  ) {
    let cleared = state.withLock(\.cleared).filter { !isKept($0.key) || now - $0.value >= Self.brokerMemory }
    if cleared.isEmpty { return }
    let gone = Set(cleared.keys).subtracting(unsettled(Set(cleared.keys)))
    change { state in
      // Some topics may have been retained again meanwhile.
      let gone = gone.filter { state.cleared[$0] != nil }
      for topic in gone { state.cleared[topic] = nil }
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
