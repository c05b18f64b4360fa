import Contract
import Core
import DequeModule
import Outbox

/// Which topics the broker allows, and the messages that wait because it does not.
///
/// A function of its input and of the time that is passed in. It decides; `Delivery` acts. It does not matter here how the
/// broker is asked about topics with MQTT 3.1.1.
struct Permissions: Sendable {
  /// A message, with what must be done once the broker has it.
  struct Item: Sendable {
    enum Content: Sendable {
      case numbered(WaitingMessage)
      case verdict(VerdictMessage)
      case plain(Message)
    }

    /// In the order of decision. It is also the message's id in the client.
    let number: UInt64
    let content: Content
    let topic: String
    let octets: Int
    /// Only the newest message of the topic matters.
    let isRetained: Bool
    /// The broker sends no answer to the message (QoS 0).
    let isUnanswered: Bool

    init(_ content: Content, _ message: Message, number: UInt64) {
      self.number = number
      self.content = content
      topic = message.topic
      octets = message.payload.count + message.topic.utf8.count + 100
      isRetained = message.retained
      isUnanswered = message.qos == .atMostOnce
    }

    /// Useless if it is late.
    var isMomentary: Bool { isUnanswered && !isRetained }

    /// The row of a transition in the outbox.
    var row: Int64? { if case .numbered(let waiting) = content { waiting.row } else { nil } }

    func message(_ topics: Topics) -> Message {
      switch content {
      case .numbered(let waiting): waiting.content.message(topics: topics)
      case .verdict(let verdict): verdict.message(topics: topics)
      case .plain(let message): message
      }
    }
  }

  /// What to do with a message.
  enum Way: Equatable {
    /// - Parameters:
    ///   - isAsking: the answer decides about the topic, so the message must have one.
    ///   - isOnTrial: the topic was refused.
    case publish(isAsking: Bool, isOnTrial: Bool)
    case park
    case skip
  }

  /// Whether a broker with MQTT 3.1.1 allows a topic, as far as that can be found out.
  enum Answer: Sendable, Equatable {
    case allowed
    case refused(reason: String)
    /// There is no way to find out; acknowledgements are believed for this time.
    case unknown(TimeSpan)
  }

  enum Outcome: Equatable {
    /// The broker has it, or must be believed. nil: it is in no outbox.
    case delivered(row: Int64?)
    /// - Parameter isLeftOut: further messages of the topic are not kept.
    case refused(topic: String, reason: String, isLeftOut: Bool)
    /// The broker has no room for it now.
    case postponed(topic: String, reason: String)
    case accepted(topic: String)
  }

  /// The state of a topic. Topics that are not in the table are unknown.
  private enum Standing {
    /// A message is being sent whose answer decides about the topic.
    case asking(Question)
    /// Acknowledgements are believed; with MQTT 3.1.1 until then.
    case open(until: MonotonicTime)
    case refused(Refusal)

    var refusal: Refusal? {
      switch self {
      case .asking(let question): question.refusal
      case .open: nil
      case .refused(let refusal): refusal
      }
    }
  }

  private struct Question {
    /// Whether the broker is being asked. An answer to an earlier question is out of date.
    var isAsked = false
    /// The topic is allowed until then, but a message on trial has no answer yet.
    var openUntil: MonotonicTime?
    /// The topic was refused: the message that is being sent is on trial, alone.
    var refusal: Refusal?
    /// An earlier answer allowed it.
    var wasOpen = false
  }

  private struct Refusal {
    enum Cause {
      /// Other topics of this kind were refused, and each refusal costs a connection.
      case presumed
      /// The broker had no room.
      case postponed
      case refused(reason: String)
    }

    var cause = Cause.presumed
    /// When a message that would be useless later may ask again.
    var until = MonotonicTime.zero

    var reason: String? { if case .refused(let reason) = cause { reason } else { nil } }
    var isPresumed: Bool { if case .presumed = cause { true } else { false } }
  }

  /// Beyond this many topics no further messages are parked, and with MQTT 3.1.1 acknowledgements are believed.
  static let topicLimit = 2_000
  /// How many of the topics to ask about may be retained ones, which are many; the rest is for others.
  static let retainedLimit = 1_000
  /// Beyond this many topics, QoS 0 topics are not asked about with MQTT 5.
  static let unansweredLimit = 10_000
  static let octetLimit = 16 << 20
  /// Octets of messages that MQTT 3.1.1 acknowledged and that wait for an answer.
  static let heldLimit = 4 << 20
  /// How long an answer is valid for retained topics, which are published again, and if the broker cannot be asked.
  static let term = TimeSpan.seconds(3600)
  /// How long an answer is valid for transitions, which are published once. A new rule of the broker is noticed after this
  /// time.
  static let transitionTerm = TimeSpan.seconds(5)
  /// How long messages of a refused QoS 0 topic are dropped.
  static let pause = TimeSpan.seconds(600)

  /// Whether the broker reports refusals: with MQTT 5.
  private let statesRefusals: Bool
  private var topics: [String: Standing] = [:]
  /// Sent messages that get an answer, by number.
  private var sent: [UInt64: Item] = [:]
  /// Messages that wait because their topic is refused, in the order of decision.
  private var parked: [String: Deque<Item>] = [:]
  /// Messages that MQTT 3.1.1 acknowledged. That proves nothing until the question about the topic is answered.
  private var held: [String: [Item]] = [:]
  /// The topics of `parked`, the next one to try first.
  private var turns: Deque<String> = []
  /// The topic whose first parked message has been sent, or with MQTT 3.1.1, about which the broker is asked.
  private var trial: String?
  private var kinds: RefusedKinds
  private var schedule = RefusalSchedule()
  /// Messages that no longer wait. They are sent before anything newer, in the same way.
  private var released: Deque<Item> = []
  /// Topics to ask about, longest waiting first.
  private var questions: Deque<String> = []
  private var octets = 0
  private var heldOctets = 0
  private var parkedCount = 0
  private var lastNumber: UInt64 = 0
  /// Messages without a row that were dropped for lack of room.
  private(set) var lost: UInt64 = 0
  /// The rows of dropped messages that have one.
  private var dropped: [Int64] = []

  init(base: String, statesRefusals: Bool) {
    kinds = RefusedKinds(base: base)
    self.statesRefusals = statesRefusals
  }

  // MARK: Publishing

  mutating func item(_ content: Item.Content, _ message: Message) -> Item {
    lastNumber += 1
    return Item(content, message, number: lastNumber)
  }

  func way(of item: Item, at time: MonotonicTime) -> Way {
    let publish = Way.publish(isAsking: false, isOnTrial: false)
    switch topics[item.topic] {
    case .refused(let refusal) where item.isMomentary && !refusal.isPresumed && refusal.until <= time:
      return .publish(isAsking: true, isOnTrial: true)
    case .refused: return item.isMomentary ? .skip : .park
    case .asking(let question) where question.refusal != nil: return item.isMomentary ? .skip : .park
    case .asking: return item.isMomentary ? .skip : .publish(isAsking: true, isOnTrial: false)
    case .open(let until) where time < until: return publish
    case .open, nil:
      if kinds.isClosed(item.topic) { return item.isMomentary ? .skip : .park }
      // With MQTT 5 each of the others gets an answer.
      if statesRefusals, !item.isUnanswered { return publish }
      let isAsking = topics[item.topic] != nil || topics.count < limit(of: item)
      return .publish(isAsking: isAsking, isOnTrial: false)
    }
  }

  private func limit(of item: Item) -> Int {
    statesRefusals ? Self.unansweredLimit : item.isRetained ? Self.retainedLimit : Self.topicLimit
  }

  /// The client has accepted it.
  ///
  /// - Parameter isAsking: see `Way`.
  mutating func sent(_ item: Item, isAsking: Bool) {
    if isAsking || !item.isUnanswered { sent[item.number] = item }
    guard isAsking else { return }
    switch topics[item.topic] {
    case .asking: break
    case .refused(let refusal): ask(item.topic, refusal)
    case .open: ask(item.topic, nil, wasOpen: true)
    case nil: ask(item.topic, nil)
    }
  }

  private mutating func ask(_ topic: String, _ refusal: Refusal?, wasOpen: Bool = false) {
    topics[topic] = .asking(Question(refusal: refusal, wasOpen: wasOpen))
    if !statesRefusals { questions.append(topic) }
  }

  /// The client has returned a message, because its topic must not be tried now.
  mutating func withdrawn(_ number: UInt64, _ message: Message) {
    guard let item = takeBack(number, message) else { return }
    park(item)
    guard item.isMomentary, case .asking(let question) = topics[item.topic] else { return }
    topics[item.topic] = question.refusal.map(Standing.refused)
  }

  /// Whether messages of the topic in the client must not be tried now.
  func holds(_ topic: String) -> Bool {
    switch topics[topic] {
    case .refused: true
    // The message on trial has no answer yet.
    case .asking(let question) where question.refusal != nil: false
    case .asking, .open, nil: kinds.isClosed(topic)
    }
  }

  // MARK: The broker's answers

  mutating func acknowledged(_ number: UInt64, at time: MonotonicTime) -> [Outcome] {
    guard let item = sent.removeValue(forKey: number) else { return [] }
    switch topics[item.topic] {
    case .asking(let question) where statesRefusals || question.openUntil != nil:
      return [.delivered(row: item.row)]
        + accept(item.topic, question, until: question.openUntil ?? .distantFuture, at: time)
    case .asking where heldOctets + item.octets <= Self.heldLimit:
      hold(item)
      return []
    case .refused(let refusal) where statesRefusals:
      // The topic is allowed again. An older retained message must not replace this one.
      if item.isRetained, let known = parked[item.topic]?.first, known.number < item.number {
        letGo(known)
        parked[item.topic] = nil
      }
      return [.delivered(row: item.row)]
        + accept(item.topic, Question(refusal: refusal), until: .distantFuture, at: time)
    // The broker has probably dropped the message.
    case .refused:
      park(item)
      return []
    case .asking, .open, nil: return [.delivered(row: item.row)]
    }
  }

  /// The broker refused a message, perhaps after MQTT 3.1.1 acknowledged it.
  ///
  /// - Parameter isPassing: the reason is temporary.
  mutating func rejected(
    _ number: UInt64, _ message: Message, reason: String, isPassing: Bool, at time: MonotonicTime
  ) -> [Outcome] {
    let cause = isPassing ? Refusal.Cause.postponed : .refused(reason: reason)
    return refuse(message.topic, takeBack(number, message), cause, reason, at: time)
  }

  /// A message that the client no longer has. nil: it already waits.
  private mutating func takeBack(_ number: UInt64, _ message: Message) -> Item? {
    let topic = message.topic
    if sent[number]?.topic == topic { return sent.removeValue(forKey: number) }
    let waiting = [Array(parked[topic] ?? []), held[topic] ?? []].joined()
    // The message counted as delivered; deliver it again.
    return waiting.contains { $0.number == number } ? nil : Item(.plain(message), message, number: number)
  }

  /// The answer for a topic of `takeQuestions`; nil: unknown, ask again.
  mutating func answered(_ topic: String, _ answer: Answer?, at time: MonotonicTime) -> [Outcome] {
    guard case .asking(var question) = topics[topic], question.isAsked else { return [] }
    question.isAsked = false
    topics[topic] = .asking(question)
    let until: MonotonicTime
    switch answer {
    case nil:
      questions.append(topic)
      return []
    case .refused(let reason):
      // The broker's rules have changed, so other answers may be out of date, too.
      if question.wasOpen {
        for case (let other, .open(let until)) in topics where until != .distantFuture {
          topics[other] = .open(until: time)
        }
      }
      return refuse(topic, nil, .refused(reason: reason), reason, at: time)
    case .unknown(let pause):
      // A refused topic stays refused until the broker allows it.
      if let cause = question.refusal?.cause, case .refused(let reason) = cause {
        return refuse(topic, nil, cause, reason, at: time)
      }
      until = time + pause
    case .allowed:
      let last = held[topic]?.last ?? newestSent[topic]
      until =
        last?.isMomentary == true
        ? .distantFuture : time + (last?.isRetained == true ? Self.term : Self.transitionTerm)
    }
    // The message on trial must be acknowledged, too.
    if question.refusal != nil, trial != topic, held[topic] == nil {
      question.openUntil = until
      topics[topic] = .asking(question)
      return []
    }
    return accept(topic, question, until: until, at: time)
  }

  private mutating func hold(_ item: Item) {
    heldOctets += item.octets
    if item.isRetained, let known = held[item.topic]?.first {
      let older = known.number < item.number ? known : item
      heldOctets -= older.octets
      held[item.topic] = [known.number < item.number ? item : known]
    } else {
      held[item.topic, default: []].append(item)
    }
  }

  private mutating func takeHeld(_ topic: String) -> [Item] {
    let items = held.removeValue(forKey: topic) ?? []
    for item in items { heldOctets -= item.octets }
    return items
  }

  /// The rows of messages that MQTT 3.1.1 acknowledged, without an answer for their topics.
  var undecided: [Int64] { held.values.flatMap { $0.compactMap(\.row) } }

  private mutating func accept(
    _ topic: String, _ question: Question, until: MonotonicTime, at time: MonotonicTime
  ) -> [Outcome] {
    topics[topic] = .open(until: until)
    var outcomes = takeHeld(topic).map { Outcome.delivered(row: $0.row) }
    guard let refusal = question.refusal else { return outcomes }
    if trial == topic {
      trial = nil
      schedule.succeeded(at: time)
    }
    release(topic)
    if kinds.opened(by: topic) {
      for case (let other, .refused(let refusal)) in topics
      where refusal.isPresumed && kinds.isAlike(other, topic) {
        topics[other] = nil
        release(other)
      }
    }
    if !refusal.isPresumed { outcomes.append(.accepted(topic: topic)) }
    return outcomes
  }

  private mutating func refuse(
    _ topic: String, _ item: Item?, _ cause: Refusal.Cause, _ reason: String, at time: MonotonicTime
  ) -> [Outcome] {
    let items = takeHeld(topic) + (item.map { [$0] } ?? [])
    var refusal = topics[topic]?.refusal ?? Refusal()
    let known = refusal.cause
    // A temporary lack of room does not mean that the topic is allowed.
    if case (.refused, .postponed) = (known, cause) {} else { refusal.cause = cause }
    let isLeftOut = isOfTheMoment(topic, items)
    if isLeftOut {
      refusal.until = time + Self.pause
    } else if parked[topic] == nil, turns.count >= Self.topicLimit {
      for item in items { giveUp(item) }
      topics[topic] = nil
      return []
    }
    topics[topic] = .refused(refusal)
    for item in items { park(item) }
    if !isLeftOut { tryLater(topic, cause, at: time) }
    switch (known, cause) {
    case (.presumed, .refused), (.postponed, .refused):
      return [.refused(topic: topic, reason: reason, isLeftOut: isLeftOut)]
    case (.presumed, .postponed): return [.postponed(topic: topic, reason: reason)]
    default: return []
    }
  }

  /// Whether all messages of the topic are useless if they are late.
  private func isOfTheMoment(_ topic: String, _ items: [Item]) -> Bool {
    if trial == topic || parked[topic] != nil || !items.allSatisfy(\.isMomentary) { return false }
    return !items.isEmpty || newestSent[topic]?.isMomentary == true
  }

  private mutating func tryLater(_ topic: String, _ cause: Refusal.Cause, at time: MonotonicTime) {
    if parked[topic] != nil {
      turns.removeAll { $0 == topic }
      turns.append(topic)
    }
    let wasOnTrial = trial == topic
    if wasOnTrial { trial = nil }
    if case .postponed = cause {
      if !wasOnTrial { schedule.check(at: time) }
    } else {
      schedule.refused(at: time)
      kinds.refused(topic)
    }
    if wasOnTrial { schedule.failed(at: time, topics: turns.count) }
  }

  // MARK: Parked messages

  mutating func park(_ item: Item) {
    let topic = item.topic
    if item.isMomentary { return }
    if parked[topic] == nil {
      guard turns.count < Self.topicLimit else { return giveUp(item) }
      turns.append(topic)
    }
    // Messages of the topic were perhaps acknowledged and then dropped; they are parked as well.
    let doubtful = topics[topic]?.refusal == nil ? takeHeld(topic) : []
    if topics[topic]?.refusal == nil { topics[topic] = .refused(Refusal()) }
    for item in doubtful + [item] { insert(item) }
  }

  private mutating func insert(_ item: Item) {
    let topic = item.topic
    if item.isRetained, let known = parked[topic]?.first {
      // The refused message may be older than a newer one that waits.
      if known.number > item.number { return }
      letGo(known)
      parked[topic] = [item]
    } else {
      let place = (parked[topic]?.lastIndex { $0.number < item.number } ?? -1) + 1
      parked[topic, default: []].insert(item, at: place)
    }
    octets += item.octets
    parkedCount += 1
    while octets > Self.octetLimit, let last = parked[topic]?.popLast() {
      letGo(last)
      giveUp(last)
    }
  }

  private mutating func letGo(_ item: Item) {
    octets -= item.octets
    parkedCount -= 1
  }

  private mutating func giveUp(_ item: Item) {
    if let row = item.row { dropped.append(row) } else { lost += 1 }
  }

  private mutating func release(_ topic: String) {
    turns.removeAll { $0 == topic }
    let items = parked.removeValue(forKey: topic) ?? []
    for item in items { letGo(item) }
    released.append(contentsOf: items)
  }

  /// Rows of messages that did not fit. They are only in the outbox now.
  mutating func takeDropped() -> [Int64] {
    defer { dropped = [] }
    return dropped
  }

  // MARK: Messages to send now

  var firstReleased: Item? { released.first }

  mutating func removeFirstReleased() { released.removeFirst() }

  /// The next parked message to try; nil: there is none, or with MQTT 3.1.1, its topic must be asked about first. An
  /// acknowledgement from before the answer would prove nothing.
  mutating func dueTrial(at time: MonotonicTime) -> Item? {
    guard trial == nil, schedule.isDue(at: time), let topic = nextTurn else { return nil }
    if statesRefusals { return parked[topic]?.first }
    trial = topic
    ask(topic, topics[topic]?.refusal ?? Refusal())
    return nil
  }

  /// The client has accepted the message of `dueTrial`.
  mutating func tried(_ item: Item) {
    guard case .refused(let refusal) = topics[item.topic], let first = parked[item.topic]?.popFirst() else {
      return
    }
    letGo(first)
    trial = item.topic
    sent[item.number] = item
    ask(item.topic, refusal)
  }

  private var nextTurn: String? {
    let waiting = turns.lazy.filter { parked[$0]?.isEmpty == false }
    return waiting.first { topics[$0]?.refusal?.isPresumed == true && kinds.isPresumed($0) } ?? waiting.first
  }

  // MARK: Questions

  var hasQuestions: Bool { !questions.isEmpty }

  /// The newest message of each topic to ask about.
  mutating func takeQuestions(atMost limit: Int) -> [Item] {
    var asked: [Item] = []
    let newest = newestSent
    while asked.count < limit, let topic = questions.popFirst() {
      guard case .asking(var question) = topics[topic] else { continue }
      guard let item = newest[topic] ?? held[topic]?.last ?? parked[topic]?.first else {
        // The message was withdrawn.
        topics[topic] = question.refusal.map(Standing.refused)
        if trial == topic { trial = nil }
        continue
      }
      question.isAsked = true
      topics[topic] = .asking(question)
      asked.append(item)
    }
    return asked
  }

  private var newestSent: [String: Item] {
    Dictionary(sent.values.map { ($0.topic, $0) }) { $0.number > $1.number ? $0 : $1 }
  }

  // MARK: The connection

  /// The broker may have restarted with other rules.
  mutating func connected(at time: MonotonicTime) {
    schedule.connected(at: time)
    forgetAnswers()
  }

  mutating func disconnected(at time: MonotonicTime) {
    guard schedule.disconnected(at: time) else { return }
    kinds.closeWhereRefused()
    if kinds.isPresuming { schedule.check(at: time) }
  }

  /// The broker's access rules may have been changed.
  mutating func mended(at time: MonotonicTime) {
    schedule.retry(at: time)
    for (topic, standing) in topics {
      guard case .refused(var refusal) = standing else { continue }
      refusal.until = .zero
      topics[topic] = .refused(refusal)
    }
    if !statesRefusals { forgetAnswers() }
  }

  /// Answers may be out of date; with MQTT 3.1.1 also those for messages that are being sent.
  private mutating func forgetAnswers() {
    for (topic, standing) in topics {
      switch standing {
      case .open: topics[topic] = nil
      case .asking(var question):
        (question.isAsked, question.openUntil) = (false, nil)
        topics[topic] = .asking(question)
      case .refused: break
      }
    }
    if statesRefusals { return }
    for topic in Set(sent.values.map(\.topic)) where topics[topic] == nil {
      topics[topic] = .asking(Question())
    }
    questions = Deque(topics.keys.filter { if case .asking = topics[$0] { true } else { false } })
  }

  // MARK: Figures

  /// Topics that the broker refused.
  var refusedTopics: [String] {
    topics.compactMap { $1.refusal?.reason == nil ? nil : $0 }
  }

  /// How many messages wait because their topic is refused.
  var count: Int { parkedCount + (trial == nil || !statesRefusals ? 0 : 1) }

  /// Topics with a message that the broker may not have; nil: there are too many to know all.
  var unsettledTopics: Set<String>? { unacknowledgedTopics?.union(held.keys) }

  /// Topics with a message that the broker has not acknowledged; nil: there are too many to know all.
  var unacknowledgedTopics: Set<String>? {
    guard turns.count < Self.topicLimit else { return nil }
    return Set(sent.values.map(\.topic)).union(released.map(\.topic)).union(turns)
  }

  /// Whether no message waits.
  var isEmpty: Bool { turns.isEmpty && released.isEmpty }
}
