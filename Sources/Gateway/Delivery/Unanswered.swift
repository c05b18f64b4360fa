import Beacons

/// How to publish what needs no answer (QoS 0). A broker that closes the connection at what it forbids would do so again and again,
/// and nobody could tell at what. So the first message of each topic on a connection asks for an answer (QoS 1), and until it has come
/// no other goes there. A function of its input and of the time that is passed in.
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

  /// Ids of what asks; those of others are smaller.
  static let firstID: UInt64 = 3 << 62
  /// Of more topics the rest is not asked about.
  static let limit = 10_000
  /// Before the broker is asked again about what it refused.
  static let pause = TimeSpan.seconds(600)

  private var topics: [String: Standing] = [:]
  private var asked: [UInt64: (topic: String, wasRefused: Bool)] = [:]
  private var questions: UInt64 = 0

  static func isQuestion(_ id: UInt64) -> Bool { id >= firstID }

  /// - Parameter isRetained: it stands until the next one comes, so that it must not be passed over.
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

  /// The broker has taken what asked. Returns the topic, if it was refused before.
  mutating func acknowledged(_ id: UInt64) -> String? {
    guard let question = asked.removeValue(forKey: id) else { return nil }
    topics[question.topic] = .taken
    return question.wasRefused ? question.topic : nil
  }

  /// The broker refused what asked. Returns whether that is news.
  ///
  /// - Parameter isParked: others see to it that the topic is tried again.
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

  /// On another connection it may be otherwise. What asks is sent again, until there is an answer.
  mutating func disconnected() { topics = topics.filter { $0.value != .taken } }

  /// Somebody may have mended what the broker allows.
  mutating func retry() {
    for topic in refusedTopics { topics[topic] = .refused(until: .zero) }
  }
}
