import Contract
import Core
import Dispatch
import Logging
import Mosquitto
import Outbox
import Pipeline
import Synchronization

/// The last write of an orderly shutdown. It takes a few seconds at most, however much waits and whatever the disk does:
/// everything that the broker lacks is already on disk, and the next start sends it.
extension Delivery {
  /// The limit for all work of the disk.
  private static let limit = TimeSpan.seconds(3)
  /// The limit for writing beacons again. This only makes their estimates more recent: their zones were saved with their last
  /// transition.
  private static let beaconLimit = TimeSpan.seconds(1)
  /// How long the shutdown waits for the disk to save the last transitions.
  private static let settling = TimeSpan.seconds(1)
  /// How long it then waits for the broker to accept what is not on disk.
  private static let handingOver = TimeSpan.milliseconds(500)

  /// Sends the last transitions to the broker before disconnecting: after they are on disk, or without the disk if it does not
  /// respond.
  func settle() async {
    let began = LiveClock.now
    remembered.settle()
    await wait(until: began + Self.settling)
    guard client.isConnected, state.withLock({ $0.outbox.holdsTransitions }) else { return }
    goOnWithoutDisk("the disk has not responded for \(Int(Self.settling.seconds)) s")
    await wait(until: LiveClock.now + Self.handingOver)
  }

  /// How long a broker that the gateway leaves may take to clear what is retained there.
  private static let leaving = TimeSpan.seconds(3)

  /// Clears all that it has retained at a broker to which it does not come back. Returns whether the broker has taken that.
  func leave(clearingFirst isFirst: (String) -> Bool) async -> Bool {
    guard client.isConnected else { return false }
    let all = remembered.all.union([topics.status, topics.instance, topics.health])
    let (first, others) = (all.filter(isFirst).sorted(), all.filter { !isFirst($0) }.sorted())
    send((first + others).map(Message.init(clearing:)))
    // It no longer matters which topics it may publish to. A topic that it may not clear, it has not
    // retained.
    func isTaken() -> Bool {
      state.withLock {
        $0.outbox.first == nil && $0.permissions.unacknowledgedTopics?.isDisjoint(with: all) == true
      }
    }
    let end = LiveClock.now + Self.leaving
    while client.isConnected, LiveClock.now < end, !isTaken() {
      await settlement.wait(until: min(end, LiveClock.now + .milliseconds(100)))
    }
    return client.isConnected && isTaken()
  }

  /// Returns when no transition waits, or the connection is gone.
  private func wait(until end: MonotonicTime) async {
    while client.isConnected, LiveClock.now < end, state.withLock({ $0.outbox.holdsTransitions }) {
      await settlement.wait(until: end)
      if Task.isCancelled { return }
    }
  }

  /// Returns how many transitions are lost: neither the broker nor the disk has them.
  ///
  /// - Parameter beacons: returns a part of the beacons in zones, from a number on, and the number of the next part; nil: no
  ///   more.
  func close(
    counters: [String: UInt32], gains: [String: Double]?,
    saving beacons: @escaping @Sendable (Int32) -> (saved: [SavedBeacon], next: Int32?)
  ) -> Int {
    if let disk {
      let end = DispatchSemaphore(value: 0)
      disk.perform { store in
        self.writeLast(store, counters, gains, beacons)
        store.close()
        end.signal()
      }
      if end.wait(timeout: .now() + .nanoseconds(Int(Self.limit.nanoseconds))) == .timedOut {
        logger.error("the disk does not respond; stopping without it")
      }
    }
    return state.withLock { state in
      // The next start sends those on disk again.
      for row in state.permissions.undecided { state.outbox.believe(row: row) }
      // What is kept in memory on purpose is not lost.
      return isKept || state.disk.fault != nil ? state.outbox.unsafe : 0
    }
  }

  private func writeLast(
    _ store: OutboxStore, _ counters: [String: UInt32], _ gains: [String: Double]?,
    _ beacons: (Int32) -> (saved: [SavedBeacon], next: Int32?)
  ) {
    state.withLock { state in
      state.outbox.retry()
      state.outbox.save(counters: counters)
      if let gains { state.outbox.save(gains: gains, isLast: true) }
    }
    let began = LiveClock.now
    var next: Int32? = 0
    while true {
      let batch = state.withLock { takePending(&$0) }
      do {
        try store.commit(batch)
        state.withLock { $0.outbox.committed(batch) }
      } catch {
        state.withLock { state in state.outbox.failed(batch) { _ in } }
        let what = batch.transitions.isEmpty ? "who is where" : "the last transitions"
        return logger.error("cannot save \(what) to disk: \(words(error))")
      }
      if state.withLock({ !$0.outbox.pending.transitions.isEmpty }) { continue }
      guard let from = next, LiveClock.now - began <= Self.beaconLimit else { return }
      let (saved, rest) = beacons(from)
      state.withLock { state in for beacon in saved { state.outbox.save(beacon) } }
      next = rest
    }
  }
}

/// An orderly shutdown that still lost transitions: neither the broker nor the disk has them.
package struct TransitionsLost: Error, CustomStringConvertible {
  let count: Int

  package var description: String {
    "\(count) \(count == 1 ? "transition is" : "transitions are") lost: the broker has not taken them, and they were not on disk"
  }
}
