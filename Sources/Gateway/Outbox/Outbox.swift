import DequeModule
import Messages

/// What waits for the broker, bounded: transitions in order, never merged; of each state topic only the newest.
///
/// A transition is offered once it is on disk. Only a window of those on disk is held here; the rest is fetched when
/// there is room. Without a disk, or while it fails, transitions wait in memory, behind those that the disk holds.
/// Verdicts go next, states last: a state says what is true now and may come later, the others may not.
struct Outbox: Sendable {
  /// Transitions kept in memory while the disk fails, or where there is none; about 500 bytes each.
  static let transitionLimit = 100_000
  /// Transitions of the disk held here.
  static let window = 2_000
  /// Verdicts kept while the broker is away.
  static let verdictLimit = 10_000
  /// State topics kept; with 100,000 beacons each has one.
  static let stateLimit = 200_000

  enum Item {
    /// With its row on disk; nil: in memory only.
    case transition(TransitionMessage, row: Int64?)
    case verdict(VerdictMessage)
    case state(Message)
  }

  /// Whether transitions go to disk before they are offered.
  private(set) var isDurable: Bool
  /// What the next transaction writes.
  private(set) var pending = OutboxStore.Batch()
  /// On disk, and next to be offered.
  private var ready: Deque<(row: Int64, transition: TransitionMessage)> = []
  /// The last row that was in `ready`.
  private(set) var lastRow: Int64 = 0
  /// Whether the disk holds more than `ready`.
  private(set) var isBacklogged: Bool
  /// Whether transitions are being written, or are about to be: what came later waits for them.
  private var isWriting = false
  private var mayOfferUnstored: Bool { !isBacklogged && !isWriting && pending.transitions.isEmpty }
  /// In memory only; offered once nothing of the disk is left.
  private var unstored: Deque<TransitionMessage> = []
  private var verdicts: Deque<VerdictMessage> = []
  /// By topic.
  private var states: [String: Message] = [:]
  /// The topics of `states`, longest waiting first.
  private var stateOrder: Deque<String> = []
  /// Transitions given up because `transitionLimit` was reached, oldest first.
  private(set) var lostTransitions: UInt64 = 0
  /// Rows on disk that the broker has not acknowledged.
  private(set) var stored: Int

  /// - Parameters:
  ///   - isDurable: whether there is a disk.
  ///   - stored: transitions of an earlier run that wait there.
  init(isDurable: Bool = false, stored: Int = 0) {
    self.isDurable = isDurable
    self.stored = stored
    isBacklogged = stored > 0
  }

  /// Everything that the broker has not got, in memory or on disk.
  var count: Int {
    pending.transitions.count + max(0, stored - pending.acknowledged.count) + unstored.count + verdicts.count
      + states.count
  }

  /// - Parameters:
  ///   - key: the beacon's.
  ///   - beacon: where it is now, to be kept with the transition; nil: in no zone.
  mutating func add(_ transition: TransitionMessage, key: String = "", beacon: SavedBeacon? = nil) {
    if !key.isEmpty { pending.beacons[key] = .some(beacon) }
    if isDurable { pending.transitions.append(transition) } else { wait(transition) }
  }

  private mutating func wait(_ transition: TransitionMessage) {
    if unstored.count == Self.transitionLimit {
      unstored.removeFirst()
      lostTransitions += 1
    }
    unstored.append(transition)
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
    if let (row, transition) = ready.first { return .transition(transition, row: row) }
    if mayOfferUnstored, let transition = unstored.first { return .transition(transition, row: nil) }
    if let verdict = verdicts.first { return .verdict(verdict) }
    return stateOrder.first.flatMap { states[$0] }.map(Item.state)
  }

  mutating func removeFirst() {
    if ready.popFirst() != nil { return }
    if mayOfferUnstored, unstored.popFirst() != nil { return }
    if verdicts.popFirst() != nil { return }
    if let topic = stateOrder.popFirst() { states[topic] = nil }
  }

  /// The broker has a transition of the disk.
  mutating func acknowledge(row: Int64) { pending.acknowledged.append(row) }

  // MARK: The disk

  /// Keeps where a beacon is with the next transaction.
  mutating func save(_ beacon: SavedBeacon) { pending.beacons[beacon.key] = .some(beacon) }

  /// What to write now.
  mutating func takePending() -> OutboxStore.Batch {
    defer { pending = OutboxStore.Batch() }
    isWriting = !pending.transitions.isEmpty
    return pending
  }

  /// A batch is on disk, its transitions from `firstRow` on.
  mutating func committed(_ batch: OutboxStore.Batch, firstRow: Int64) {
    isDurable = true
    isWriting = false
    // Decided while this was written, and later than all of it.
    pending.transitions = Array(unstored) + pending.transitions
    unstored = []
    stored += batch.transitions.count - batch.acknowledged.count
    for (offset, transition) in batch.transitions.enumerated() {
      if isBacklogged || ready.count >= Self.window {
        isBacklogged = true
        return
      }
      lastRow = firstRow + Int64(offset)
      ready.append((lastRow, transition))
    }
  }

  /// A batch could not be written. What was decided waits in memory from now on.
  ///
  /// - Parameter restamp: called once for all of them where they were to be on disk: their sequence numbers may be used
  ///   anew after a crash, so they take others.
  mutating func failed(_ batch: OutboxStore.Batch, restamp: (inout [TransitionMessage]) -> Void) {
    var transitions = batch.transitions + pending.transitions
    if isDurable { restamp(&transitions) }
    isDurable = false
    isWriting = false
    pending.transitions = []
    pending.beacons = batch.beacons.merging(pending.beacons) { _, newer in newer }
    pending.acknowledged = batch.acknowledged + pending.acknowledged
    let newer = unstored
    unstored = []
    for transition in transitions { wait(transition) }
    for transition in newer { wait(transition) }
  }

  /// Puts all that is only in memory into the next transaction: the disk may work again.
  mutating func retry() {
    guard !isDurable else { return }
    pending.transitions = Array(unstored) + pending.transitions
    unstored = []
  }

  /// Whether more should be fetched from disk now.
  var wantsFetch: Bool { isBacklogged && ready.count < Self.window / 4 }

  /// Rows after `lastRow` came from disk; fewer than were asked for: no more are there.
  ///
  /// - Parameter damaged: rows that cannot be read; they are given up.
  mutating func fetched(
    _ rows: [(row: Int64, transition: TransitionMessage)], damaged: [Int64] = [], isLast: Bool
  ) {
    for entry in rows {
      ready.append(entry)
      lastRow = entry.row
    }
    for row in damaged {
      lastRow = max(lastRow, row)
      acknowledge(row: row)
      lostTransitions += 1
    }
    isBacklogged = !isLast
  }
}
