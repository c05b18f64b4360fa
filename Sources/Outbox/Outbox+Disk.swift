import Pipeline
import DequeModule
import Messages

/// The outbox and its disk: batches to write, pages fetched, and working without a disk.
extension Outbox {
  /// Keeps where a beacon is with the next transaction.
  package mutating func save(_ beacon: SavedBeacon) { pending.beacons[beacon.key] = .some(beacon) }

  /// Keeps replay counters with the next transaction.
  package mutating func save(counters: [String: UInt32]) {
    if !counters.isEmpty { pending.counters.merge(counters) { $1 } }
  }

  /// Forgets a beacon.
  package mutating func forget(_ key: String) { pending.beacons[key] = .some(nil) }

  /// What to write now, or a part of it if there is much.
  package mutating func takePending() -> OutboxStore.Batch {
    var batch = pending
    pending = OutboxStore.Batch()
    if batch.transitions.count > Self.batchLimit {
      // The beacons' zones are then written with the last part.
      pending.transitions = Array(batch.transitions[Self.batchLimit...])
      pending.beacons = batch.beacons
      batch.transitions.removeSubrange(Self.batchLimit...)
      batch.beacons = [:]
    }
    writing = batch
    return batch
  }

  /// A batch is on disk, its transitions from `firstRow` on.
  package mutating func committed(_ batch: OutboxStore.Batch, firstRow: Int64) {
    writing = nil
    stored += batch.transitions.count - batch.acknowledged.count
    if isStalled {
      // Nobody waits for them any more.
      isStalled = false
      let rows = firstRow..<firstRow + Int64(batch.transitions.count)
      pending.acknowledged += rows
      if !rows.isEmpty { outdated.append(rows) }
      return
    }
    isDurable = true
    // Decided while this was being written, and later than all of it.
    pending.transitions += unstored
    unstored = []
    for (offset, transition) in batch.transitions.enumerated() {
      if isBacklogged || ready.count >= Self.window {
        isBacklogged = true
        return
      }
      lastRow = firstRow + Int64(offset)
      ready.append((lastRow, transition))
    }
  }

  /// Rows were deleted although their batch could not be written.
  package mutating func removed(_ count: Int) { stored -= count }

  /// A batch could not be written. From now on transitions wait in memory.
  ///
  /// - Parameter restamp: called once for all of them where they were to be on disk: their sequence numbers may be used
  ///   anew after a crash, so they take others.
  package mutating func failed(_ batch: OutboxStore.Batch, restamp: (inout [TransitionMessage]) -> Void) {
    writing = nil
    pending.beacons = batch.beacons.merging(pending.beacons) { _, newer in newer }
    pending.counters = batch.counters.merging(pending.counters) { _, newer in newer }
    pending.acknowledged = batch.acknowledged + pending.acknowledged
    // Nobody waits for its transitions any more.
    if isStalled { return isStalled = false }
    var transitions = batch.transitions + pending.transitions
    if isDurable { restamp(&transitions) }
    wait(transitions)
  }

  /// The disk has not answered for long. What was decided waits in memory from now on, and goes out past what the disk holds.
  ///
  /// - Parameter restamp: called once for those that come under another epoch.
  package mutating func stall(restamp: (inout [TransitionMessage]) -> Void) {
    isStalled = true
    // What is being written may be on disk for all that, and be sent by the next start: it keeps its numbers, so that nobody
    // takes it for something else. But where older ones stay behind on disk, they would seem to be old.
    var numbered = writing?.transitions ?? []
    var later = pending.transitions
    if isBacklogged {
      later = numbered + later
      numbered = []
    }
    if isDurable { restamp(&later) }
    wait(numbered + later)
  }

  /// Puts transitions into memory, before those that are there.
  private mutating func wait(_ transitions: [TransitionMessage]) {
    isDurable = false
    pending.transitions = []
    let newer = unstored
    unstored = []
    for transition in transitions { wait(transition) }
    for transition in newer { wait(transition) }
  }

  /// Puts everything that is only in memory into the next transaction, because the disk may work again.
  package mutating func retry() {
    guard !isDurable, !isStalled else { return }
    pending.transitions += unstored
    unstored = []
  }

  /// Whether more should be fetched from disk now.
  package var wantsFetch: Bool { isBacklogged && ready.count < Self.window / 4 }

  /// Rows after `lastRow` came from disk; fewer than were asked for: no more are there.
  ///
  /// - Parameter damaged: rows that cannot be read; they are dropped.
  package mutating func fetched(
    _ rows: [(row: Int64, transition: TransitionMessage)], damaged: [Int64] = [], isLast: Bool
  ) {
    for entry in rows {
      lastRow = entry.row
      if !outdated.contains(where: { $0.contains(entry.row) }) { ready.append(entry) }
    }
    for row in damaged {
      lastRow = max(lastRow, row)
      acknowledge(row: row)
      transitionsOut += 1
      lostTransitions += 1
    }
    isBacklogged = !isLast
  }
}
