import Beacons
import DequeModule
import Messages

/// Messages that the broker refuses, parked by topic until it accepts them: they delay nothing else and are not lost.
///
/// Of a retained topic only the newest message is kept. Transitions on disk stay there meanwhile. From time to time the first
/// message of a topic is offered again; once the broker accepts it, the others follow. A function of its input and of the time
/// that is passed in.
struct Refusals: Sendable {
  struct Parked: Sendable {
    var message: Message
    /// A transition's, in the outbox, which has it on disk or will.
    var row: Int64?
  }

  private struct Topic {
    var parked: Deque<Parked> = []
    /// How many of them, from the first on, were refused; the rest was not tried.
    var refused = 0
    /// Not refused itself, but other topics of its kind were.
    var isPresumed = false
  }

  static let topicLimit = 2_000
  static let octetLimit = 16 << 20
  /// Ids of retried messages; ids of rows are smaller.
  static let firstID: UInt64 = 1 << 63

  private var topics: [String: Topic] = [:]
  /// The next one to be offered comes first.
  private var turns: Deque<String> = []
  private var kinds: RefusedKinds
  private var released: Deque<Parked> = []
  private var offer: (id: UInt64, topic: String)?
  private var offers: UInt64 = 0
  private var schedule = RefusalSchedule()
  private var octets = 0
  /// Parked messages.
  private(set) var count = 0
  /// Messages without a row that were dropped for lack of room.
  private(set) var lost: UInt64 = 0
  /// The rows of others.
  private var dropped: [Int64] = []

  init(base: String) { kinds = RefusedKinds(base: base) }

  var isEmpty: Bool { topics.isEmpty && released.isEmpty }

  /// Some of the topics that were refused themselves.
  func refusedTopics(atMost limit: Int) -> [String] {
    Array(topics.lazy.filter { !$0.value.isPresumed }.map(\.key).sorted().prefix(limit))
  }

  // MARK: What comes

  /// Parks a message whose topic must not be tried now. Returns false if it should be published.
  mutating func park(_ message: Message, row: Int64?) -> Bool {
    if isEmpty { return false }
    let isKnown = topics[message.topic] != nil
    guard isKnown || kinds.isClosed(message.topic) else { return false }
    append(Parked(message: message, row: row), isPresumed: !isKnown)
    return true
  }

  /// Whether the topic is not to be tried now.
  func holds(_ topic: String) -> Bool { topics[topic] != nil || kinds.isClosed(topic) }

  /// The broker refused a message. Returns whether that is the topic's first refusal.
  mutating func refused(_ message: Message, row: Int64?, id: UInt64, at time: MonotonicTime) -> Bool {
    schedule.refused(at: time)
    kinds.refused(message.topic)
    let isNews = topics[message.topic]?.isPresumed ?? true
    topics[message.topic]?.isPresumed = false
    if let offer, offer.id == id {
      // It is still the first of its topic.
      self.offer = nil
      turns.removeAll { $0 == offer.topic }
      turns.append(offer.topic)
      schedule.failed(at: time, topics: turns.count)
    } else {
      append(Parked(message: message, row: row), isPresumed: false, isRefused: true)
    }
    return isNews
  }

  /// The broker accepted a retried message. nil: not an id of ours.
  mutating func acknowledged(_ id: UInt64, at time: MonotonicTime) -> (topic: String, row: Int64?)? {
    guard let offer, offer.id == id else { return nil }
    self.offer = nil
    schedule.succeeded(at: time)
    let row = topics[offer.topic]?.parked.first?.row
    // A retained message may have been replaced meanwhile; then the broker has an older one.
    if topics[offer.topic]?.parked.first?.message.retained != true { dropFirst(of: offer.topic) }
    release(offer.topic)
    if kinds.opened(by: offer.topic) {
      for (topic, entry) in topics where entry.isPresumed && kinds.isAlike(topic, offer.topic) {
        release(topic)
      }
    }
    return (offer.topic, row)
  }

  mutating func disconnected(at time: MonotonicTime) {
    guard schedule.disconnected(at: time) else { return }
    kinds.closeWhereRefused()
    if kinds.isPresuming { schedule.check(at: time) }
  }

  /// The broker's access rules may have been fixed.
  mutating func retry(at time: MonotonicTime) { schedule.retry(at: time) }

  /// The broker may have been restarted with other rules.
  mutating func connected(at time: MonotonicTime) { schedule.connected(at: time) }

  // MARK: What goes

  /// What to publish now.
  mutating func next(at time: MonotonicTime) -> (parked: Parked, id: UInt64)? {
    if let first = released.first { return (first, UInt64(clamping: first.row ?? 0)) }
    guard offer == nil, let topic = schedule.isDue(at: time) ? nextTopic : nil,
      let first = topics[topic]?.parked.first
    else { return nil }
    return (first, Self.firstID + offers)
  }

  /// The message returned by `next` was published.
  mutating func sent(_ id: UInt64) {
    if id < Self.firstID {
      released.removeFirst()
    } else if let topic = nextTopic {
      offer = (id, topic)
      offers += 1
    }
  }

  private var nextTopic: String? {
    turns.first { topics[$0]?.isPresumed == true && kinds.isPresumed($0) } ?? turns.first
  }

  // MARK: Room

  private mutating func append(_ parked: Parked, isPresumed: Bool, isRefused: Bool = false) {
    let topic = parked.message.topic
    if topics[topic] == nil {
      guard topics.count < Self.topicLimit else { return giveUp(parked) }
      topics[topic] = Topic(isPresumed: isPresumed)
      turns.append(topic)
    }
    if parked.message.retained, let entry = topics[topic], let known = entry.parked.first {
      // Refused messages are older than those that came since.
      if isRefused, entry.refused == 0 { return }
      forget(known)
      topics[topic]?.parked.removeAll()
      topics[topic]?.refused = 0
    }
    if isRefused, let place = topics[topic]?.refused {
      topics[topic]?.parked.insert(parked, at: place)
      topics[topic]?.refused += 1
    } else {
      topics[topic]?.parked.append(parked)
    }
    octets += parked.octets
    count += 1
    while octets > Self.octetLimit, let last = topics[topic]?.parked.popLast() {
      forget(last)
      giveUp(last)
      if let entry = topics[topic] { topics[topic]?.refused = min(entry.refused, entry.parked.count) }
    }
  }

  private mutating func giveUp(_ parked: Parked) {
    if let row = parked.row { dropped.append(row) } else { lost += 1 }
  }

  /// What there was no room for; it is only in the outbox now.
  mutating func takeDropped() -> [Int64] {
    defer { dropped = [] }
    return dropped
  }

  private mutating func forget(_ parked: Parked) {
    octets -= parked.octets
    count -= 1
  }

  private mutating func dropFirst(of topic: String) {
    guard let first = topics[topic]?.parked.popFirst() else { return }
    forget(first)
    if let refused = topics[topic]?.refused, refused > 0 { topics[topic]?.refused = refused - 1 }
  }

  private mutating func release(_ topic: String) {
    guard let entry = topics.removeValue(forKey: topic) else { return }
    turns.removeAll { $0 == topic }
    for parked in entry.parked { forget(parked) }
    released.append(contentsOf: entry.parked)
  }
}

extension Refusals.Parked {
  fileprivate var octets: Int { message.payload.count + message.topic.utf8.count + 100 }
}
