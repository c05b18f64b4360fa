import MQTT
import Beacons
import DequeModule
import Messages

/// What a broker has acknowledged with MQTT 3.1.1, and may have dropped: in that version it cannot say that it forbids a topic.
///
/// So of each topic somebody asks whether it is allowed. Until there is an answer, a copy of what was sent there is kept, and the
/// acknowledgement does not count. What is not acknowledged is kept, too: the broker that gets it in the end may be another, or
/// have other rules. A function of its input and of the time that is passed in.
struct Doubts: Sendable {
  enum Answer: Sendable, Equatable {
    case allowed
    case refused(reason: String)
    /// Nobody can tell; ask again after this time.
    case unknown(TimeSpan)
  }

  /// What an acknowledgement of the broker's is worth.
  enum Worth: Equatable {
    case believed
    /// Nothing yet: wait for the answer.
    case undecided
    /// Nothing: the broker has dropped the message.
    case refused(Message, reason: String)
  }

  /// What an answer decides about messages that were sent before it came.
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
    /// The last answer that told anything, if it was no.
    var reason: String?
    var isRetained = false
  }

  /// Of more topics the rest is taken at the broker's word.
  static let topicLimit = 2_000
  /// Of them with retained messages, which are said again and again: the others shall find room.
  static let retainedLimit = 1_000
  static let octetLimit = 4 << 20
  /// For so long an answer holds where nobody can tell, and for topics with retained messages, which are said again.
  static let term = TimeSpan.seconds(3600)
  /// And for transitions, which are said once: what a broker forbids from one moment to the next is noticed after that time.
  static let transitionTerm = TimeSpan.seconds(5)

  private var topics: [String: Topic] = [:]
  /// Where to look for a message that is held. Transitions that are on no disk share one id.
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
    // Of what is retained the newest counts.
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

  /// Somebody else takes care of the message: it was taken back, or refused outright. Returns whether it was in doubt: then an
  /// acknowledgement, if there was one, did not count.
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

  /// How many with this id the broker has acknowledged, and nobody has judged.
  func undecided(_ id: UInt64) -> Int {
    Set(places[id] ?? []).reduce(0) { count, name in
      count + (topics[name]?.held.count { $0.copy.id == id && $0.isAcknowledged } ?? 0)
    }
  }

  // MARK: What is asked

  /// One message of each topic to ask about.
  mutating func takeQuestions(atMost limit: Int) -> [Message] {
    var questions: [Message] = []
    while questions.count < limit, let name = open.popFirst() {
      // There was no room for a copy, or it was taken back.
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
      // What was known to be refused stays so until somebody says otherwise.
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

  /// Whoever asked got no answer, and is to ask again.
  mutating func notAnswered(_ name: String) {
    guard case .asked? = topics[name]?.standing else { return }
    topics[name]?.standing = .open
    open.append(name)
  }

  /// The broker may allow other things than before.
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
