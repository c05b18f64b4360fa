import Pipeline
import DequeModule
import Messages

/// The outbox and its disk: batches to write, pages to fetch, and operation without a disk.
extension Outbox {
  /// Saves a beacon's state with the next transaction.
  package mutating func save(_ beacon: SavedBeacon) { pending.beacons[beacon.key] = .some(beacon) }

  /// Saves replay counters with the next transaction.
  package mutating func save(counters: [String: UInt32]) {
    if !counters.isEmpty { pending.counters.merge(counters) { $1 } }
  }

  /// A smaller change of a gain is not worth a write, dB.
  private static let notableGain = 0.25

  /// Saves what rooms learnt of their receivers with the next transaction, if it has changed.
  ///
  /// - Parameter isLast: the run ends, and every change is worth a write.
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

  /// What to write now; only a part if there is much.
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
      // Nobody waits for it any more: its transitions are in memory, perhaps with other numbers, or gone to the broker. Those that
      // are left are written anew by the transaction that deletes these rows.
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
    // They were decided while this was being written, so they come after all of it.
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
