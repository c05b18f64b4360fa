import Contract
import Core
import Dispatch
import Logging
import Outbox
import Pipeline
import Synchronization
import Web

/// The outbox on disk. Transactions run one after another on their own thread, each with everything that arrived while the
/// previous one was written. At most one is running, and nothing waits for it: decisions, the API and the shutdown continue
/// while a disk hangs.
extension Delivery {
  /// Acknowledgements are written together with the next transition. At most this many wait for it.
  private static let acknowledgementLimit = 500
  /// How long acknowledgements wait at most. Transitions whose acknowledgement is not on disk are sent again if the process is
  /// killed.
  private static let acknowledgementPatience = TimeSpan.milliseconds(500)
  private static let fetchLimit = 1_000
  /// Transactions run at this distance while many transitions are decided, so that these share one.
  private static let spacing = TimeSpan.milliseconds(16)
  /// This many may run without a pause, if there were fewer on average before. So a few transitions never wait for each other.
  private static let burst = 20.0

  /// Starts a transaction if there is something to write or to read.
  func tendDisk(_ state: inout State) {
    guard let disk, !state.disk.isBusy else { return }
    let pending = state.outbox.pending
    let mustWrite =
      state.disk.fault == nil
      && (!pending.transitions.isEmpty || !pending.counters.isEmpty
        || !state.outbox.handedOver.isEmpty
        || pending.acknowledged.count >= Self.acknowledgementLimit)
    guard mustWrite || state.outbox.wantsFetch else { return gatherAcknowledgements(&state) }
    let now = LiveClock.now
    state.disk.since = now
    watchDisk()
    let pause = mustWrite ? state.disk.nextWrite.map { $0 - Self.spacing * Self.burst - now } ?? .zero : .zero
    disk.perform { store in
      Thread.sleep(for: pause)
      self.write(store, isWriting: mustWrite)
    }
  }

  /// Writes acknowledgements after a while, unless a transition comes first and takes them along.
  private func gatherAcknowledgements(_ state: inout State) {
    guard !state.outbox.pending.acknowledged.isEmpty, state.disk.fault == nil, !state.disk.isGathering else {
      return
    }
    state.disk.isGathering = true
    let patience = DispatchTimeInterval.nanoseconds(Int(Self.acknowledgementPatience.nanoseconds))
    DispatchQueue.global().asyncAfter(deadline: .now() + patience) { [weak self] in
      guard let self else { return }
      let isDue = self.state.withLock { state in
        state.disk.isGathering = false
        return !state.outbox.pending.acknowledged.isEmpty
      }
      if isDue { self.flushDisk() }
    }
  }

  /// Writes whatever is pending, retries a disk that failed, and releases unused disk space.
  func flushDisk() {
    state.withLock { state in
      guard let disk, !state.disk.isBusy else { return }
      state.outbox.retry()
      let mustWrite = state.disk.fault != nil || !state.outbox.pending.isEmpty
      guard mustWrite || state.disk.hasRoomToGiveBack else { return }
      state.disk.since = LiveClock.now
      watchDisk()
      disk.perform { store in
        try? store.giveRoomBack()
        self.write(store, isWriting: mustWrite)
      }
    }
  }

  private func write(_ store: OutboxStore, isWriting: Bool) {
    if isWriting { commit(store) }
    if let row = state.withLock({ $0.outbox.wantsFetch ? $0.outbox.lastRow : nil }) {
      fetch(store, after: row)
    }
    let hasRoomToGiveBack = store.hasRoomToGiveBack
    state.withLock { state in
      state.disk.since = nil
      state.disk.hasRoomToGiveBack = hasRoomToGiveBack
      send(&state)
    }
    settlement.ring()
  }

  private func commit(_ store: OutboxStore) {
    var batch = state.withLock { state in
      let batch = takePending(&state)
      // In a storm transactions are rarer still, so that each page of the file is written once for many transitions.
      let weight = Double(min(max(batch.transitions.count / 4, 1), 6))
      let now = LiveClock.now
      state.disk.nextWrite = max(state.disk.nextWrite ?? now, now) + Self.spacing * weight
      return batch
    }
    let result = Result { try store.commit(batch) }
    if case .failure(let error) = result, error is OutboxFull, !batch.acknowledged.isEmpty {
      // Deleting acknowledged transitions may free enough room.
      let made = OutboxStore.Batch(acknowledged: batch.acknowledged)
      if (try? store.commit(made)) != nil {
        batch.acknowledged = []
        state.withLock { $0.outbox.removed(made.acknowledged.count) }
      }
    }
    let epoch: UInt64? = state.withLock { state in
      switch result {
      case .success:
        let wasStalled = state.outbox.isStalled
        state.outbox.committed(batch)
        // Transitions that waited in memory meanwhile must still be written.
        if wasStalled || state.disk.fault == nil { return nil }
        state.disk.fault = nil
        logger.notice("transitions are being saved to disk again")
        noteNews(&state)
        return nil
      case .failure(let error):
        state.outbox.failed(batch) { renumber(&$0, &state.numbers) }
        tell(words(error), &state)
        return state.numbers.epoch
      }
    }
    if let epoch { mark?.set(epoch) }
  }

  /// The next batch to write, with the epoch that the next start must know.
  func takePending(_ state: inout State) -> OutboxStore.Batch {
    var batch = state.outbox.takePending()
    batch.epoch = state.numbers.epoch
    return batch
  }

  private func fetch(_ store: OutboxStore, after row: Int64) {
    let result = Result { try store.waiting(after: row, limit: Self.fetchLimit) }
    state.withLock { state in
      switch result {
      case .success(let page):
        state.outbox.fetched(page.rows, damaged: page.damaged, isLast: page.isLast)
        if !page.damaged.isEmpty {
          logger.error(
            "\(page.damaged.count) transitions waiting on disk are damaged and were dropped; their sequence numbers will be missing"
          )
        }
      case .failure(let error):
        // The transitions stay on disk; the next start may be able to read them.
        state.outbox.fetched([], isLast: true)
        logger.error("cannot read the transitions waiting on disk: \(words(error))")
      }
    }
  }

  /// How long one transaction may take. SD cards sometimes pause for several seconds.
  private static let patience = TimeSpan.seconds(10)

  /// Continues without the disk if the transaction that was just started does not finish in time.
  private func watchDisk() {
    let limit = Int((Self.patience + .milliseconds(100)).nanoseconds)
    DispatchQueue.global().asyncAfter(deadline: .now() + .nanoseconds(limit)) { [weak self] in
      guard let self else { return }
      let isLate = self.state.withLock { $0.disk.since.map { LiveClock.now - $0 > Self.patience } ?? false }
      if isLate { self.goOnWithoutDisk("the disk has not responded for \(Int(Self.patience.seconds)) s") }
    }
  }

  /// From now on, while the disk hangs, transitions wait in memory.
  func goOnWithoutDisk(_ fault: String) {
    let epoch: UInt64? = state.withLock { state in
      guard state.disk.isBusy, !state.outbox.isStalled else { return nil }
      state.outbox.stall { renumber(&$0, &state.numbers) }
      tell(fault, &state)
      send(&state)
      return state.numbers.epoch
    }
    // This write may hang, too, so it has a thread of its own.
    if let epoch, let mark { try? Thread.start { mark.set(epoch) } }
  }

  /// Renumbers transitions that are not on disk, with a new epoch, also for the page.
  private func renumber(
    _ transitions: inout [WaitingMessage], _ numbers: inout TransitionNumbers
  ) {
    numbers.begin(
      Epoch.next(after: numbers.epoch, wallTime: LiveClock.wallNow, chance: .random(in: 0 ... .max))
    )
    var renumbered: [RecentDecisions.Number: RecentDecisions.Number] = [:]
    for index in transitions.indices {
      // Swift 6.2 casts a value of any type only from a variable.
      var content = transitions[index].content
      let old = RecentDecisions.Number(content)
      numbers.number(&content)
      renumbered[old] = RecentDecisions.Number(content)
      transitions[index].content = content
    }
    recent.withLock { $0?.renumber(renumbered) }
    diary?.renumber(renumbered)
  }

  private func tell(_ fault: String, _ state: inout State) {
    guard state.disk.fault != fault else { return }
    logger.error(
      "cannot save transitions to disk: \(fault); until then they wait in memory, where a crash would lose them, under a new epoch"
    )
    state.disk.fault = fault
    noteNews(&state)
  }
}
