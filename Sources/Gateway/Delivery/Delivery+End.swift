import Outbox
import Pipeline
import Machine
import Beacons
import Dispatch
import Messages
import Mosquitto
import Synchronization

/// The last write of a proper end. It takes a few seconds at most, whatever waits and whatever the disk does: what the broker
/// has not got is on disk already, and is sent by the next start.
extension Delivery {
  /// For the disk as a whole.
  private static let limit = TimeSpan.seconds(3)
  /// Beacons are written anew for so long. They only grow more exact by that: where each is was kept with its last transition.
  private static let beaconLimit = TimeSpan.seconds(1)
  /// How long the good-bye waits for the disk to take what was decided last.
  private static let settling = TimeSpan.seconds(1)
  /// And for the broker to take what the disk did not.
  private static let handingOver = TimeSpan.milliseconds(500)
  private static let look = Duration.milliseconds(20)

  /// Hands the broker what was decided last, before the good-bye: by way of the disk, or past a disk that does not answer.
  func settle() async {
    let began = LiveClock.now
    await wait(until: began + Self.settling)
    guard client.isConnected, state.withLock({ $0.outbox.holdsTransitions }) else { return }
    goOnWithoutDisk("the disk has not responded for \(Int(Self.settling.seconds)) s")
    await wait(until: LiveClock.now + Self.handingOver)
  }

  /// Until no transition waits, or there is nobody to take it.
  private func wait(until end: MonotonicTime) async {
    while client.isConnected, LiveClock.now < end, state.withLock({ $0.outbox.holdsTransitions }) {
      do { try await Task.sleep(for: Self.look) } catch { return }
    }
  }

  /// Returns how many transitions are lost: neither has the broker taken them, nor has the disk.
  ///
  /// - Parameter beacons: some of those that are in a zone, from a number on, and from where to go on; nil: there are no more.
  func close(
    counters: [String: UInt32],
    saving beacons: @escaping @Sendable (Int32) -> (saved: [SavedBeacon], next: Int32?)
  ) -> Int {
    state.withLock { believeAtTheEnd(&$0) }
    guard let store else {
      // A demonstration leaves nothing behind.
      return state.withLock { $0.disk.fault == nil ? 0 : $0.outbox.unsafe }
    }
    let end = DispatchSemaphore(value: 0)
    disk.async {
      self.writeLast(store, counters, beacons)
      store.close()
      end.signal()
    }
    if end.wait(timeout: .now() + .nanoseconds(Int(Self.limit.nanoseconds))) == .timedOut {
      // To let go of it would be to wait for it.
      _ = Unmanaged.passRetained(store)
      onNotice("the disk does not respond; stopping without it")
    }
    return state.withLock { $0.outbox.unsafe }
  }

  private func writeLast(
    _ store: OutboxStore, _ counters: [String: UInt32],
    _ beacons: (Int32) -> (saved: [SavedBeacon], next: Int32?)
  ) {
    state.withLock { state in
      state.outbox.retry()
      state.outbox.save(counters: counters)
    }
    let began = LiveClock.now
    var next: Int32? = 0
    while true {
      let batch = state.withLock { $0.outbox.takePending() }
      do {
        let firstRow = try store.commit(batch)
        state.withLock { $0.outbox.committed(batch, firstRow: firstRow) }
      } catch {
        state.withLock { state in state.outbox.failed(batch) { _ in } }
        return onNotice("cannot save the last transitions to disk: \(words(error))")
      }
      if state.withLock({ !$0.outbox.pending.transitions.isEmpty }) { continue }
      guard let from = next, LiveClock.now - began <= Self.beaconLimit else { return }
      let (saved, rest) = beacons(from)
      state.withLock { state in for beacon in saved { state.outbox.save(beacon) } }
      next = rest
    }
  }
}

/// A proper end, and yet some transitions are neither with the broker nor on disk.
public struct TransitionsLost: Error, CustomStringConvertible {
  let count: Int

  public var description: String {
    "\(count) \(count == 1 ? "transition is" : "transitions are") lost: the broker has not taken them, and the disk cannot keep them"
  }
}
