import MQTT
import Beacons
import DequeModule
import Messages

/// Messages that a broker acknowledged with MQTT 3.1.1 but may have dropped: in that version it cannot say that it forbids a
/// topic.
///
/// So the gateway asks separately whether each topic is allowed. Until there is an answer, it keeps a copy of each message sent
/// there, and the acknowledgement does not count. Unacknowledged messages are kept, too: another broker, or one with other rules,
/// may receive them in the end. A function of its input and of the time that is passed in.
struct Doubts: Sendable {
  enum Answer: Sendable, Equatable {
    case allowed
    case refused(reason: String)
    /// Nobody can tell; ask again after this time.
    case unknown(TimeSpan)
  }

  /// What the broker's acknowledgement means.
  enum Worth: Equatable {
    case believed
    /// Nothing yet: wait for the answer.
    case undecided
    /// Nothing: the broker has dropped the message.
    case refused(Message, reason: String)
  }

  /// What an answer decides about messages that were sent before it arrived.
  struct Decision: Equatable {
    var believed: [UInt64] = []
    var refused: [Copy] = []
    var reason = ""
  }

  struct Copy: Sendable, Equatable {
    var message: Message
    var id: UInt64
  }

  private enum Standing {
    case open
    case asked
    case allowed(until: MonotonicTime)
    case refused(reason: String)
    case unknown(until: MonotonicTime)
  }

  private struct Topic {
    var standing = Standing.open
    var held: Deque<(copy: Copy, isAcknowledged: Bool)> = []
    /// The last usable answer, if it was no.
    var reason: String?
    var isRetained = false
  }

  /// Beyond this many topics the broker's acknowledgement is trusted.
  static let topicLimit = 2_000
  /// How many of them may be topics with retained messages, which are published repeatedly; the rest is for others.
  static let retainedLimit = 1_000
  static let octetLimit = 4 << 20
  /// How long an answer holds for topics with retained messages, which are published again, and if nobody can tell.
  static let term = TimeSpan.seconds(3600)
  /// How long it holds for transitions, which are published once: a broker's new rule is noticed after this time.
  static let transitionTerm = TimeSpan.seconds(5)

  private var topics: [String: Topic] = [:]
  /// Where a held message is found. Transitions that are not on disk share one id.
  private var places: [UInt64: [String]] = [:]
  /// Topics to ask about, longest waiting first.
  private var open: Deque<String> = []
  private var octets = 0

  var hasQuestions: Bool { !open.isEmpty }

  // MARK: What is sent

  /// A message is on its way.
  ///
  /// - Parameter isOnTrial: the topic was refused before, so whatever was answered is out of date.
  mutating func sent(_ message: Message, id: UInt64, isOnTrial: Bool, at time: MonotonicTime) {
    guard message.qos == .atLeastOnce else { return }
    let limit = message.retained ? Self.retainedLimit : Self.topicLimit
    guard var topic = topics[message.topic] ?? (topics.count < limit ? Topic() : nil) else { return }
    switch topic.standing {
    case .allowed(let until) where !isOnTrial && time < until: if id == 0 { return }
    case .unknown(let until) where !isOnTrial && time < until: if id == 0 { return }
    case .refused where !isOnTrial, .asked: break
    case .open where topics[message.topic] != nil: break
    default:
      topic.standing = .open
      open.append(message.topic)
    }
    topic.isRetained = message.retained
    let copy = Copy(message: message, id: id)
    // Of retained messages only the newest counts.
    if id == 0, let old = topic.held.firstIndex(where: { $0.copy.id == 0 }) {
      octets -= topic.held.remove(at: old).copy.octets
    }
    if octets + copy.octets <= Self.octetLimit {
      octets += copy.octets
      topic.held.append((copy, false))
      if id > 0 { places[id, default: []].append(message.topic) }
    }
    topics[message.topic] = topic
  }

  /// The broker says that it has the message with this id.
  mutating func acknowledged(_ id: UInt64) -> Worth {
    for name in places[id] ?? [] {
      let isMeant = { (entry: (copy: Copy, isAcknowledged: Bool)) in
        entry.copy.id == id && !entry.isAcknowledged
      }
      guard let place = topics[name]?.held.firstIndex(where: isMeant) else { continue }
      switch topics[name]?.standing {
      case .open, .asked, nil:
        topics[name]?.held[place].isAcknowledged = true
        return .undecided
      case .refused(let reason):
        return remove(place, of: name).map { .refused($0, reason: reason) } ?? .believed
      case .allowed, .unknown:
        remove(place, of: name)
        return .believed
      }
    }
    return .believed
  }

  /// The message was withdrawn, or refused outright. Returns whether it was in doubt; if so, an acknowledgement did not count.
  mutating func forget(_ id: UInt64, _ name: String) -> Bool {
    guard places[id]?.contains(name) == true,
      let place = topics[name]?.held.firstIndex(where: { $0.copy.id == id })
    else { return false }
    remove(place, of: name)
    return true
  }

  @discardableResult
  private mutating func remove(_ place: Int, of name: String) -> Message? {
    guard let (copy, _) = topics[name]?.held.remove(at: place) else { return nil }
    letGo(copy)
    return copy.message
  }

  private mutating func letGo(_ copy: Copy) {
    octets -= copy.octets
    guard copy.id > 0, let place = places[copy.id]?.firstIndex(of: copy.message.topic) else { return }
    places[copy.id]?.remove(at: place)
    if places[copy.id]?.isEmpty == true { places[copy.id] = nil }
  }

  /// The ids of messages that are acknowledged but still in doubt.
  var undecided: [UInt64] {
    topics.values.flatMap { $0.held.filter(\.isAcknowledged).map(\.copy.id) }
  }

  // MARK: What is asked

  /// One message of each topic to ask about.
  mutating func takeQuestions(atMost limit: Int) -> [Message] {
    var questions: [Message] = []
    while questions.count < limit, let name = open.popFirst() {
      // There was no room for a copy, or it was withdrawn.
      guard let message = topics[name]?.held.last?.copy.message else {
        topics[name]?.standing = .unknown(until: .zero)
        continue
      }
      topics[name]?.standing = .asked
      questions.append(message)
    }
    return questions
  }

  mutating func answered(_ name: String, _ answer: Answer, at time: MonotonicTime) -> Decision {
    guard let topic = topics[name], case .asked = topic.standing else { return Decision() }
    switch answer {
    case .refused(let reason): return refuse(name, reason)
    case .unknown:
      // A topic known to be refused stays refused until the broker says otherwise.
      if let reason = topic.reason { return refuse(name, reason) }
      fallthrough
    case .allowed:
      topics[name]?.reason = nil
      topics[name]?.standing =
        if case .unknown(let pause) = answer { .unknown(until: time + pause) } else {
          .allowed(until: time + (topic.isRetained ? Self.term : Self.transitionTerm))
        }
      let released = release(name) { $0.isAcknowledged || $0.copy.id == 0 }
      return Decision(believed: released.map(\.id).filter { $0 > 0 })
    }
  }

  private mutating func refuse(_ name: String, _ reason: String) -> Decision {
    topics[name]?.standing = .refused(reason: reason)
    topics[name]?.reason = reason
    // The others are still to be acknowledged.
    let refused = release(name) { $0.isAcknowledged || $0.copy.id == 0 }
    return Decision(refused: refused, reason: reason)
  }

  @discardableResult
  private mutating func release(
    _ name: String, _ isMeant: ((copy: Copy, isAcknowledged: Bool)) -> Bool
  ) -> [Copy] {
    guard let held = topics[name]?.held else { return [] }
    topics[name]?.held = Deque(held.filter { !isMeant($0) })
    let released = held.filter(isMeant).map(\.copy)
    for copy in released { letGo(copy) }
    return released
  }

  /// The question got no answer and must be asked again.
  mutating func notAnswered(_ name: String) {
    guard case .asked? = topics[name]?.standing else { return }
    topics[name]?.standing = .open
    open.append(name)
  }

  /// The broker's access rules may have changed.
  mutating func reset() {
    for (name, topic) in topics {
      switch topic.standing {
      case .allowed where topic.held.isEmpty, .unknown where topic.held.isEmpty: topics[name] = nil
      case .allowed, .unknown:
        topics[name]?.standing = .open
        open.append(name)
      // What is answered now may be out of date.
      case .asked: notAnswered(name)
      case .open, .refused: break
      }
    }
  }
}

extension Doubts.Copy {
  fileprivate var octets: Int { message.payload.count + message.topic.utf8.count + 100 }
}
