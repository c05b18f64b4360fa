import Contract
import DequeModule
import Pipeline

/// Messages that wait for the broker, with limits: transitions in order, never merged; of each state topic only the newest.
///
/// A transition is offered once it is on disk. Only a window of the transitions on disk is held in memory; more are read when
/// there is room. Without a disk, or while it fails, transitions wait in memory, after those on disk. Once the disk works
/// again, all transitions that the broker has not acknowledged are written, also those that are being sent or were refused. A
/// verdict waits behind every transition that was decided before it, because it refers to one. States come last: they describe
/// the present and may arrive later; the others may not.
package struct Outbox: Sendable {
  /// Transitions in memory while the disk fails, or without a disk; about 500 bytes each.
  static let transitionLimit = 100_000
  /// Transitions on disk that are also held in memory.
  static let window = 2_000
  /// Transitions per transaction.
  static let batchLimit = 2_000
  /// Verdicts held while the broker is unreachable.
  static let verdictLimit = 10_000
  /// State topics held. With 100,000 beacons each has two or three.
  static let stateLimit = 400_000

  package enum Item {
    case numbered(WaitingMessage)
    case verdict(VerdictMessage)
    case state(Message)
  }

  /// Whether transitions go to disk before they are offered.
  var isDurable: Bool
  /// The content of the next transaction.
  package var pending = OutboxStore.Batch()
  /// The gains of rooms' receivers as last saved; nil: not saved in this run.
  var gains: [String: Double]?
  /// On disk, and offered next.
  var ready: Deque<WaitingMessage> = []
  /// The last row that was added to `ready`.
  package var lastRow: Int64 = 0
  /// Whether the disk holds more than `ready`.
  var isBacklogged: Bool
  /// The batch being written. Later ones wait for it.
  var writing: OutboxStore.Batch?
  /// Whether the disk has not answered for long. Its rows stay there, and nothing waits for it.
  package var isStalled = false
  private var mayOfferUnstored: Bool {
    isStalled || !isBacklogged && writing?.transitions.isEmpty ?? true && pending.transitions.isEmpty
  }
  /// In memory only; offered once nothing on disk is left.
  var unstored: Deque<WaitingMessage> = []
  /// Transitions in memory only, given to the delivery and not acknowledged, by row: being sent, refused, or in doubt.
  package var handedOver: [Int64: WaitingMessage] = [:]
  /// Rows after `lastRow` that must not be read from disk, because their transitions were handled in memory.
  var passed: Set<Int64> = []
  /// The row of the next transition.
  private var nextRow: Int64
  /// Each with the number of transitions that were added before it.
  private var verdicts: Deque<(verdict: VerdictMessage, after: UInt64)> = []
  /// How many transitions were added, including those of an earlier run; below, how many of them were sent or dropped.
  var transitionsIn: UInt64
  var transitionsOut: UInt64 = 0
  /// By topic.
  private var states: [String: Message] = [:]
  /// The topics of `states`, longest waiting first.
  private var stateOrder: Deque<String> = []
  /// How many transitions were dropped, oldest first, because `transitionLimit` was reached.
  package var lostTransitions: UInt64 = 0
  /// How many rows on disk the broker has not acknowledged.
  var stored: Int

  /// - Parameters:
  ///   - isDurable: whether there is a disk.
  ///   - stored: how many transitions of an earlier run are on disk.
  ///   - foreignRow: the row of the last of them.
  package init(isDurable: Bool = false, stored: Int = 0, foreignRow: Int64 = 0) {
    self.isDurable = isDurable
    self.stored = stored
    nextRow = foreignRow + 1
    transitionsIn = UInt64(clamping: stored)
    isBacklogged = stored > 0
  }

  /// How many items the broker has not received, in memory or on disk.
  package var count: Int {
    let acknowledged = pending.acknowledged.count + (writing?.acknowledged.count ?? 0)
    // Once the disk has been given up, those being written are in memory as well.
    let written = isStalled ? 0 : writing?.transitions.count ?? 0
    return pending.transitions.count + written + max(0, stored - acknowledged) + unstored.count
      + handedOver.count + verdicts.count + states.count
  }

  /// - Parameters:
  ///   - key: the beacon's key.
  ///   - beacon: its new state, to be saved with the transition; nil: it is in no zone.
  package mutating func add(
    _ content: any NumberedMessage, key: String = "", beacon: SavedBeacon? = nil
  ) {
    transitionsIn += 1
    let transition = WaitingMessage(row: nextRow, content)
    nextRow += 1
    if !key.isEmpty { pending.beacons[key] = .some(beacon) }
    guard isDurable else { return wait(transition) }
    if pending.transitions.count >= Self.transitionLimit {
      pending.transitions.removeFirst()
      transitionsOut += 1
      lostTransitions += 1
    }
    pending.transitions.append(transition)
  }

  mutating func wait(_ transition: WaitingMessage) {
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

  /// Replaces a waiting state of the same topic, and keeps its place in the queue.
  package mutating func add(_ state: Message) {
    if states[state.topic] == nil {
      guard states.count < Self.stateLimit else { return }
      stateOrder.append(state.topic)
    }
    states[state.topic] = state
  }

  /// The item to send next. It stays until `removeFirst`.
  package var first: Item? {
    if let transition = ready.first ?? (mayOfferUnstored ? unstored.first : nil) {
      return .numbered(transition)
    }
    if let verdict = offeredVerdict { return .verdict(verdict) }
    return stateOrder.first.flatMap { states[$0] }.map(Item.state)
  }

  /// The first verdict, if no transition is waiting before it.
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
    if mayOfferUnstored, let transition = unstored.popFirst() {
      transitionsOut += 1
      handedOver[transition.row] = transition
      return
    }
    if offeredVerdict != nil {
      verdicts.removeFirst()
      return
    }
    if let topic = stateOrder.popFirst() { states[topic] = nil }
  }

  /// The broker acknowledged a transition that was handed over.
  package mutating func acknowledge(row: Int64) {
    if handedOver.removeValue(forKey: row) == nil { pending.acknowledged.append(row) }
  }

  /// It is unknown whether the broker has the transition, and there is no way to ask. If it is on disk, the next start sends it
  /// again.
  package mutating func believe(row: Int64) { handedOver[row] = nil }

  /// Memory has no room for it. If it is on disk, the next start sends it.
  package mutating func giveUp(row: Int64) {
    if handedOver.removeValue(forKey: row) != nil { lostTransitions += 1 }
  }

  /// Whether any transitions here are not on disk: they wait for the disk or, without one, for the broker.
  package var holdsTransitions: Bool {
    !pending.transitions.isEmpty || !unstored.isEmpty || !isStalled && writing?.transitions.isEmpty == false
  }

  /// How many transitions would be lost if the process ended now.
  package var unsafe: Int {
    let written = isStalled ? 0 : writing?.transitions.count ?? 0
    return pending.transitions.count + written + unstored.count + handedOver.count
  }
}

/// The outbox and its disk: batches to write, pages to fetch, and operation without a disk.
extension Outbox {
  /// Saves a beacon's state with the next transaction.
  package mutating func save(_ beacon: SavedBeacon) { pending.beacons[beacon.key] = .some(beacon) }

  /// Saves replay counters with the next transaction.
  package mutating func save(counters: [String: UInt32]) {
    if !counters.isEmpty { pending.counters.merge(counters) { $1 } }
  }

  /// Saves phones' records with the next transaction; nil: the phone is gone.
  package mutating func save(records: [String: [UInt8]?]) {
    if !records.isEmpty { pending.records.merge(records) { $1 } }
  }

  /// A smaller change of a gain, in dB, is not written.
  private static let notableGain = 0.25

  /// Saves the gains of rooms' receivers with the next transaction, if they have changed.
  ///
  /// - Parameter isLast: the run ends, and every change is written.
  package mutating func save(gains new: [String: Double], isLast: Bool = false) {
    let isKnown = gains.map { old in
      isLast
        ? old == new
        : old.keys == new.keys && old.allSatisfy { abs($1 - (new[$0] ?? 0)) < Self.notableGain }
    }
    if isKnown ?? false { return }
    gains = new
    pending.gains = new
  }

  /// Forgets a beacon.
  package mutating func forget(_ key: String) { pending.beacons[key] = .some(nil) }

  /// The next batch to write; a part if there is much.
  package mutating func takePending() -> OutboxStore.Batch {
    var batch = pending
    pending = OutboxStore.Batch()
    if batch.transitions.count > Self.batchLimit {
      // The states of beacons are then written with the last part.
      pending.transitions = Array(batch.transitions[Self.batchLimit...])
      pending.beacons = batch.beacons
      batch.transitions.removeSubrange(Self.batchLimit...)
      batch.beacons = [:]
    }
    batch.handedOver = handedOver.values.sorted { $0.row < $1.row }
    writing = batch
    return batch
  }

  /// A batch is on disk.
  package mutating func committed(_ batch: OutboxStore.Batch) {
    writing = nil
    stored += batch.transitions.count + batch.handedOver.count - batch.acknowledged.count
    for handed in batch.handedOver where handed.row > lastRow { passed.insert(handed.row) }
    if isStalled {
      // Its transitions are no longer awaited: they are in memory, perhaps with other numbers, or the broker has them. Those
      // that are left are written again by the transaction that deletes these rows.
      isStalled = false
      pending.acknowledged += (batch.handedOver + batch.transitions).map(\.row)
      for transition in batch.transitions where transition.row > lastRow {
        passed.insert(transition.row)
      }
      return
    }
    isDurable = true
    for handed in batch.handedOver where handedOver.removeValue(forKey: handed.row) == nil {
      // The broker acknowledged it meanwhile.
      pending.acknowledged.append(handed.row)
    }
    // These were decided while the batch was being written, so they come after all of it.
    pending.transitions += unstored
    unstored = []
    for transition in batch.transitions {
      passed.remove(transition.row)
      if isBacklogged || ready.count >= Self.window {
        isBacklogged = true
        continue
      }
      lastRow = transition.row
      ready.append(transition)
    }
    forgetPassed()
  }

  private mutating func forgetPassed() {
    if !passed.isEmpty { passed = passed.filter { $0 > lastRow } }
  }

  /// Rows were deleted although their batch could not be written.
  package mutating func removed(_ count: Int) { stored -= count }

  /// A batch could not be written. From now on transitions wait in memory.
  ///
  /// - Parameter restamp: called once for all transitions that were meant for the disk: after a crash their sequence
  ///   numbers may be used again, so they get new ones.
  package mutating func failed(
    _ batch: OutboxStore.Batch, restamp: (inout [WaitingMessage]) -> Void
  ) {
    writing = nil
    pending.beacons = batch.beacons.merging(pending.beacons) { _, newer in newer }
    pending.counters = batch.counters.merging(pending.counters) { _, newer in newer }
    pending.gains = pending.gains ?? batch.gains
    pending.records = batch.records.merging(pending.records) { _, newer in newer }
    pending.acknowledged = batch.acknowledged + pending.acknowledged
    // Its transitions are no longer awaited.
    if isStalled { return isStalled = false }
    var transitions = batch.transitions + pending.transitions
    if isDurable { restamp(&transitions) }
    wait(transitions)
  }

  /// The disk has not responded for long. From now on transitions wait in memory, and are sent before those on disk.
  ///
  /// - Parameter restamp: called once for those that get another epoch.
  package mutating func stall(restamp: (inout [WaitingMessage]) -> Void) {
    isStalled = true
    // The batch being written may reach the disk after all, and the next start may send it. So it keeps its numbers, and
    // receivers can recognise it. But if older rows stay behind on disk, these numbers would make them look out of date.
    var numbered = writing?.transitions ?? []
    var later = pending.transitions
    if isBacklogged {
      later = numbered + later
      numbered = []
    }
    if isDurable { restamp(&later) }
    wait(numbered + later)
  }

  /// Puts transitions into memory, before those already there.
  private mutating func wait(_ transitions: [WaitingMessage]) {
    isDurable = false
    pending.transitions = []
    let newer = unstored
    unstored = []
    for transition in transitions { wait(transition) }
    for transition in newer { wait(transition) }
  }

  /// Puts everything that is only in memory into the next transaction, in case the disk works again.
  package mutating func retry() {
    guard !isDurable, !isStalled else { return }
    pending.transitions += unstored
    unstored = []
  }

  /// Whether more should be fetched from disk now.
  package var wantsFetch: Bool { isBacklogged && ready.count < Self.window / 4 }

  /// Adds rows after `lastRow` that were read from disk. `isLast`: there are no more.
  ///
  /// - Parameter damaged: rows that cannot be read; they are dropped.
  package mutating func fetched(
    _ rows: [WaitingMessage], damaged: [Int64] = [], isLast: Bool
  ) {
    for entry in rows {
      lastRow = entry.row
      if !passed.contains(entry.row) { ready.append(entry) }
    }
    for row in damaged {
      lastRow = max(lastRow, row)
      if passed.contains(row) { continue }
      acknowledge(row: row)
      transitionsOut += 1
      lostTransitions += 1
    }
    forgetPassed()
    isBacklogged = !isLast
  }
}
