import DequeModule
import Messages

/// What waits for the broker, in memory and bounded: transitions in order, never merged; of each state
/// topic only the newest.
///
/// Transitions go first, verdicts on them next: a state says what is true now and may come later, they may not.
struct Outbox: Sendable {
  /// Transitions kept while the broker is away; about 500 bytes each.
  static let transitionLimit = 100_000
  /// Verdicts kept while the broker is away.
  static let verdictLimit = 10_000
  /// State topics kept; with 100,000 beacons each has one.
  static let stateLimit = 200_000

  private var transitions: Deque<TransitionMessage> = []
  private var verdicts: Deque<VerdictMessage> = []
  /// By topic.
  private var states: [String: Message] = [:]
  /// The topics of `states`, longest waiting first.
  private var stateOrder: Deque<String> = []
  /// Transitions given up because `transitionLimit` was reached, oldest first.
  private(set) var lostTransitions: UInt64 = 0

  enum Item {
    case transition(TransitionMessage)
    case verdict(VerdictMessage)
    case state(Message)
  }

  var count: Int { transitions.count + verdicts.count + states.count }

  mutating func add(_ transition: TransitionMessage) {
    if transitions.count == Self.transitionLimit {
      transitions.removeFirst()
      lostTransitions += 1
    }
    transitions.append(transition)
  }

  mutating func add(_ verdict: VerdictMessage) {
    if verdicts.count == Self.verdictLimit { verdicts.removeFirst() }
    verdicts.append(verdict)
  }

  /// Replaces a state of the same topic that still waits, and keeps its place in the queue.
  mutating func add(_ state: Message) {
    if states[state.topic] == nil {
      guard states.count < Self.stateLimit else { return }
      stateOrder.append(state.topic)
    }
    states[state.topic] = state
  }

  /// The item to send next; it stays until `removeFirst`.
  var first: Item? {
    if let transition = transitions.first { return .transition(transition) }
    if let verdict = verdicts.first { return .verdict(verdict) }
    return stateOrder.first.flatMap { states[$0] }.map(Item.state)
  }

  mutating func removeFirst() {
    if transitions.popFirst() != nil || verdicts.popFirst() != nil { return }
    if let topic = stateOrder.popFirst() { states[topic] = nil }
  }
}
