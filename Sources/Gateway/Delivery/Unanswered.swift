import Beacons

/// Decides how QoS 0 messages are published. A broker that closes the connection at a forbidden topic would do so again and
/// again, and the topic would remain unknown. So the first message to each topic on a connection asks for an answer (QoS 1),
/// and no other message goes to that topic until the answer arrives. A function of its input and of the time passed in.
struct Unanswered: Sendable {
  enum Way: Equatable {
    case asItIs
    /// - isOnTrial: the broker refused it before.
    case asking(id: UInt64, isOnTrial: Bool)
    case notNow
  }

  private enum Standing: Equatable {
    case asked
    case taken
    case refused(until: MonotonicTime)
  }

  /// Ids of messages that ask; other ids are smaller.
  static let firstID: UInt64 = 3 << 62
  /// Beyond this many topics no answer is asked for.
  static let limit = 10_000
  /// How long to wait before a refused topic is tried again.
  static let pause = TimeSpan.seconds(600)

  private var topics: [String: Standing] = [:]
  private var asked: [UInt64: (topic: String, wasRefused: Bool)] = [:]
  private var questions: UInt64 = 0

  static func isQuestion(_ id: UInt64) -> Bool { id >= firstID }

  /// - Parameter isRetained: it remains until the next one, so it must not be skipped.
  mutating func way(of topic: String, isRetained: Bool, at time: MonotonicTime) -> Way {
    switch topics[topic] {
    case .taken: return .asItIs
    case .asked: return isRetained ? ask(topic, isOnTrial: false) : .notNow
    case .refused(let until): return time < until ? .notNow : ask(topic, isOnTrial: true)
    case nil: return topics.count < Self.limit ? ask(topic, isOnTrial: false) : .asItIs
    }
  }

  private mutating func ask(_ topic: String, isOnTrial: Bool) -> Way {
    topics[topic] = .asked
    let id = Self.firstID + questions
    questions += 1
    asked[id] = (topic, isOnTrial)
    return .asking(id: id, isOnTrial: isOnTrial)
  }

  /// It could not be published.
  mutating func notAsked(_ id: UInt64) {
    guard let question = asked.removeValue(forKey: id) else { return }
    if topics[question.topic] == .asked {
      topics[question.topic] = question.wasRefused ? .refused(until: .zero) : nil
    }
  }

  /// The broker accepted a message that asked. Returns the topic if it was refused before.
  mutating func acknowledged(_ id: UInt64) -> String? {
    guard let question = asked.removeValue(forKey: id) else { return nil }
    topics[question.topic] = .taken
    return question.wasRefused ? question.topic : nil
  }

  /// The broker refused a message that asked. Returns whether that is new.
  ///
  /// - Parameter isParked: the topic is retried elsewhere.
  mutating func refused(_ topic: String, id: UInt64, isParked: Bool, at time: MonotonicTime) -> Bool {
    let question = asked.removeValue(forKey: id)
    let isNews = question?.wasRefused != true && !isRefused(topic)
    topics[topic] = isParked ? nil : .refused(until: time + Self.pause)
    return isNews
  }

  func isRefused(_ topic: String) -> Bool {
    if case .refused = topics[topic] { true } else { false }
  }

  var refusedTopics: [String] { topics.keys.filter(isRefused) }

  /// A new connection may have other rules. Messages that ask are sent again until there is an answer.
  mutating func disconnected() { topics = topics.filter { $0.value != .taken } }

  /// The broker's access rules may have been fixed.
  mutating func retry() {
    for topic in refusedTopics { topics[topic] = .refused(until: .zero) }
  }
}
