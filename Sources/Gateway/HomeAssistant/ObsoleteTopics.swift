import Beacons
import DequeModule

/// Topics to take back, each once, first come first; some not before a time. To take one costs the same however many there are.
struct ObsoleteTopics: Sendable {
  private var ready: Deque<String> = []
  private var later: Deque<(topic: String, from: MonotonicTime)> = []
  private var members: Set<String> = []

  var isEmpty: Bool { members.isEmpty }

  func contains(_ topic: String) -> Bool { members.contains(topic) }

  /// - Parameter time: when it may be removed; not earlier than the previous topic's time.
  mutating func append(_ topic: String, from time: MonotonicTime? = nil) {
    guard members.insert(topic).inserted else { return }
    if let time { later.append((topic, time)) } else { ready.append(topic) }
  }

  /// When there is one to take back; nil: there is none.
  func readyTime(after time: MonotonicTime) -> MonotonicTime? { ready.isEmpty ? later.first?.from : time }

  mutating func popFirst(at time: MonotonicTime) -> String? {
    if later.first.map({ $0.from <= time }) == true, let next = later.popFirst() { ready.append(next.topic) }
    guard let topic = ready.popFirst() else { return nil }
    members.remove(topic)
    return topic
  }

  mutating func removeAll() { self = ObsoleteTopics() }
}
