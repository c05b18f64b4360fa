import Beacons
import Synchronization

/// What the watchdog knows of the decision loop, without waiting for anybody: it must see a loop that waits for ever.
final class Heartbeat: Sendable {
  /// A deadline may be looked at this much late before the loop counts as stuck: the machine may have been busy.
  private static let tolerance = TimeSpan.seconds(30)

  private let nextLook = Atomic(Int64.max)
  private let beacons: Atomic<Int>
  private let waiting: Atomic<Int>

  init(beacons: Int, waiting: Int) {
    self.beacons = Atomic(beacons)
    self.waiting = Atomic(waiting)
  }

  /// The loop has looked at its deadlines, and the delivery answers.
  func beat(nextLook: MonotonicTime, beacons: Int, waiting: Int) {
    self.nextLook.store(nextLook.nanoseconds, ordering: .relaxed)
    self.beacons.store(beacons, ordering: .relaxed)
    self.waiting.store(waiting, ordering: .relaxed)
  }

  /// Whether deadlines are looked at when they are due.
  func isOnTime(at time: MonotonicTime) -> Bool {
    let next = MonotonicTime(nanoseconds: nextLook.load(ordering: .relaxed))
    return next == .distantFuture || time < next + Self.tolerance
  }

  /// How things stand, in a few words.
  var summary: String {
    let beacons = beacons.load(ordering: .relaxed)
    let waiting = waiting.load(ordering: .relaxed)
    let broker = waiting == 0 ? "the broker has everything" : "\(waiting) messages wait for the broker"
    return "\(beacons) \(beacons == 1 ? "beacon" : "beacons") known; \(broker)"
  }
}
