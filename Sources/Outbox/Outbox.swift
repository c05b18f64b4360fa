import Pipeline
import DequeModule
import Messages

/// What waits for the broker, within bounds: transitions in order, never merged; of each state topic only the newest.
///
/// A transition is offered once it is on disk. Only a window of those on disk is held here; the rest is fetched when
/// there is room. Without a disk, or while it fails, transitions wait in memory, behind those that the disk holds.
/// A verdict waits behind every transition that was decided before it, for it speaks of one. States come last: a state says what
/// is true now and may come later, the others may not.
package struct Outbox: Sendable {
  /// Transitions kept in memory while the disk fails, or where there is none; about 500 bytes each.
  static let transitionLimit = 100_000
  /// Transitions of the disk held here.
  static let window = 2_000
  /// Transitions that go to disk in one transaction.
  static let batchLimit = 2_000
  /// Stands for the row of a transition that has none, with the broker's acknowledgement.
  package static let noRow = Int64.max
  /// Verdicts kept while the broker is away.
  static let verdictLimit = 10_000
  /// State topics kept; with 100,000 beacons each has two or three.
  static let stateLimit = 400_000

  package enum Item {
    /// With its row on disk; nil: in memory only.
    case transition(TransitionMessage, row: Int64?)
    case verdict(VerdictMessage)
    case state(Message)
  }

  /// Whether transitions go to disk before they are offered.
  var isDurable: Bool
  /// What the next transaction writes.
  package var pending = OutboxStore.Batch()
  /// On disk, and next to be offered.
  var ready: Deque<(row: Int64, transition: TransitionMessage)> = []
  /// The last row that was in `ready`.
  package var lastRow: Int64 = 0
  /// Whether the disk holds more than `ready`.
  var isBacklogged: Bool
  /// What is being written now: what came later waits for it.
  var writing: OutboxStore.Batch?
  /// Whether the disk has not responded for long: its rows stay there, and nothing waits for it.
  package var isStalled = false
  private var mayOfferUnstored: Bool {
    isStalled || !isBacklogged && writing?.transitions.isEmpty ?? true && pending.transitions.isEmpty
  }
  /// In memory only; offered once nothing of the disk is left.
  var unstored: Deque<TransitionMessage> = []
  /// In memory only, offered and not acknowledged.
  var unstoredUnderWay = 0
  /// Rows that were written after all, although their transitions were sent from memory meanwhile.
  var outdated: [Range<Int64>] = []
  /// With how many transitions had come in when it did.
  private var verdicts: Deque<(verdict: VerdictMessage, after: UInt64)> = []
  /// Transitions that came in, also in an earlier run, and those of them that were sent or given up.
  var transitionsIn: UInt64
  var transitionsOut: UInt64 = 0
  /// By topic.
  private var states: [String: Message] = [:]
  /// The topics of `states`, longest waiting first.
  private var stateOrder: Deque<String> = []
  /// Transitions given up because `transitionLimit` was reached, oldest first.
  package var lostTransitions: UInt64 = 0
  /// Rows on disk that the broker has not acknowledged.
  var stored: Int

  /// - Parameters:
  ///   - isDurable: whether there is a disk.
  ///   - stored: transitions of an earlier run that wait there.
  package init(isDurable: Bool = false, stored: Int = 0) {
    self.isDurable = isDurable
    self.stored = stored
    transitionsIn = UInt64(clamping: stored)
    isBacklogged = stored > 0
  }

  /// Everything that the broker has not got, in memory or on disk.
  package var count: Int {
    pending.transitions.count + max(0, stored - pending.acknowledged.count) + unstored.count + verdicts.count
      + states.count
  }

  /// - Parameters:
  ///   - key: the beacon's.
  ///   - beacon: where it is now, to be kept with the transition; nil: in no zone.
  package mutating func add(_ transition: TransitionMessage, key: String = "", beacon: SavedBeacon? = nil) {
    transitionsIn += 1
    if !key.isEmpty { pending.beacons[key] = .some(beacon) }
    guard isDurable else { return wait(transition) }
    if pending.transitions.count >= Self.transitionLimit {
      pending.transitions.removeFirst()
      transitionsOut += 1
      lostTransitions += 1
    }
    pending.transitions.append(transition)
  }

  mutating func wait(_ transition: TransitionMessage) {
    if unstored.count == Self.transitionLimit {
      unstored.removeFirst()
      transitionsOut += 1
      lostTransitions += 1
    }
    unstored.append(transition)
  }

  package mutating func add(_ verdict: VerdictMessage) {
    if verdicts.count == Self.verdictLimit { verdicts.removeFirst() }
    verdicts.append((verdict, transitionsIn))
  }

  /// Replaces a state of the same topic that still waits, and keeps its place in the queue.
  package mutating func add(_ state: Message) {
    if states[state.topic] == nil {
      guard states.count < Self.stateLimit else { return }
      stateOrder.append(state.topic)
    }
    states[state.topic] = state
  }

  /// The item to send next; it stays until `removeFirst`.
  package var first: Item? {
    if let (row, transition) = ready.first { return .transition(transition, row: row) }
    if mayOfferUnstored, let transition = unstored.first { return .transition(transition, row: nil) }
    if let verdict = offeredVerdict { return .verdict(verdict) }
    return stateOrder.first.flatMap { states[$0] }.map(Item.state)
  }

  /// The first verdict, if no transition before it waits.
  private var offeredVerdict: VerdictMessage? {
    guard let (verdict, after) = verdicts.first else { return nil }
    let isNoneWaiting = mayOfferUnstored && unstored.isEmpty && ready.isEmpty
    return after <= transitionsOut || isNoneWaiting ? verdict : nil
  }

  package mutating func removeFirst() {
    if ready.popFirst() != nil {
      transitionsOut += 1
      return
    }
    if mayOfferUnstored, unstored.popFirst() != nil {
      transitionsOut += 1
      unstoredUnderWay += 1
      return
    }
    if offeredVerdict != nil {
      verdicts.removeFirst()
      return
    }
    if let topic = stateOrder.popFirst() { states[topic] = nil }
  }

  /// The broker has a transition.
  package mutating func acknowledge(row: Int64) {
    if row == Self.noRow {
      unstoredUnderWay = max(0, unstoredUnderWay - 1)
    } else {
      pending.acknowledged.append(row)
    }
  }

  /// Whether transitions wait here that are not on disk: for the disk, or in its stead for the broker.
  package var holdsTransitions: Bool {
    !pending.transitions.isEmpty || !unstored.isEmpty || !isStalled && writing?.transitions.isEmpty == false
  }

  /// Transitions that an end now would lose.
  package var unsafe: Int { pending.transitions.count + unstored.count + unstoredUnderWay }
}
