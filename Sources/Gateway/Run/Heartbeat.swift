import Beacons
import Synchronization

/// The state of the decision loop for the watchdog, which needs no lock to read it, because it must notice a loop that hangs.
final class Heartbeat: Sendable {
  /// How late deadlines may be processed before the loop counts as stuck, because the machine may be busy.
  private static let tolerance = TimeSpan.seconds(30)

  private let nextLook = Atomic(Int64.max)
  private let beacons: Atomic<Int>
  private let waiting: Atomic<Int>

  init(beacons: Int, waiting: Int) {
    self.beacons = Atomic(beacons)
    self.waiting = Atomic(waiting)
  }

  /// The loop has processed its deadlines, and the delivery answers.
  func beat(nextLook: MonotonicTime, beacons: Int, waiting: Int) {
    self.nextLook.store(nextLook.nanoseconds, ordering: .relaxed)
    self.beacons.store(beacons, ordering: .relaxed)
    self.waiting.store(waiting, ordering: .relaxed)
  }

  /// Whether deadlines are processed in time.
  func isOnTime(at time: MonotonicTime) -> Bool {
    let next = MonotonicTime(nanoseconds: nextLook.load(ordering: .relaxed))
    return next == .distantFuture || time < next + Self.tolerance
  }

  /// The state, in a few words.
  var summary: String {
    let beacons = beacons.load(ordering: .relaxed)
    let waiting = waiting.load(ordering: .relaxed)
    let broker = waiting == 0 ? "the broker has everything" : "\(waiting) messages wait for the broker"
    return "\(beacons) \(beacons == 1 ? "beacon" : "beacons") known; \(broker)"
  }
}
