import Beacons
import HeapModule

/// The deadlines of all timers in order of time. A timer that moves to an earlier time leaves its old entry behind, which is
/// skipped later.
struct DeadlineQueue: Sendable {
  private struct Entry: Comparable {
    var time: MonotonicTime
    var timer: DeadlineTimer

    static func < (a: Self, b: Self) -> Bool { a.time < b.time || a.time == b.time && a.timer < b.timer }
  }

  private var heap = Heap<Entry>()
  /// When each timer fires; `distantFuture`: it does not.
  private var times = TimerTable<MonotonicTime>()

  /// How many timers fire.
  private(set) var count = 0
  /// The earliest deadline. Its timer may have to be rescheduled rather than acted on.
  var first: MonotonicTime? { heap.min?.time }

  mutating func addLink() { times.links.append(.distantFuture) }
  mutating func addPresence() { times.presences.append(.distantFuture) }

  /// Whether any timer is due.
  @inline(__always) func isDue(at time: MonotonicTime) -> Bool { heap.min.map { $0.time <= time } ?? false }

  /// When a timer fires; nil: it does not.
  func time(of timer: DeadlineTimer) -> MonotonicTime? {
    times[timer] == .distantFuture ? nil : times[timer]
  }

  /// Makes `timer` fire at `time` at the latest. If it fires too early, its owner reschedules it: that is cheaper than moving
  /// an entry at every sighting.
  mutating func schedule(_ timer: DeadlineTimer, at time: MonotonicTime) {
    let earlier = times[timer]
    guard time < earlier else { return }
    if earlier == .distantFuture { count += 1 }
    times[timer] = time
    heap.insert(Entry(time: time, timer: timer))
    // A beacon that flickers would leave hundreds behind.
    if heap.count > 2 * count + 64 { heap.removeAll { times[$0.timer] != $0.time } }
  }

  /// Removes and returns the first timer if it is due at `time` or before.
  mutating func popFirst(notAfter time: MonotonicTime) -> (time: MonotonicTime, timer: DeadlineTimer)? {
    guard let top = heap.min, top.time <= time else { return nil }
    heap.removeMin()
    times[top.timer] = .distantFuture
    count -= 1
    while let next = heap.min, times[next.timer] != next.time { heap.removeMin() }
    return (top.time, top.timer)
  }
}

/// What a deadline is about. At equal times links come before presences, so a silence that ends a dwell is noticed before the
/// dwell counts as complete.
struct DeadlineTimer: Hashable, Comparable, Sendable {
  private let rawValue: UInt32
  private static let presenceBit: UInt32 = 1 << 31

  static func link(_ index: Int32) -> Self { Self(rawValue: UInt32(index)) }
  static func presence(_ index: Int32) -> Self { Self(rawValue: UInt32(index) | presenceBit) }

  var isPresence: Bool { rawValue & Self.presenceBit != 0 }
  var index: Int { Int(rawValue & ~Self.presenceBit) }
  static func < (a: Self, b: Self) -> Bool { a.rawValue < b.rawValue }
}

/// One element per timer.
struct TimerTable<Element: Sendable>: Sendable {
  var links: [Element] = []
  var presences: [Element] = []

  subscript(timer: DeadlineTimer) -> Element {
    get { timer.isPresence ? presences[timer.index] : links[timer.index] }
    set {
      if timer.isPresence {
        presences[timer.index] = newValue
      } else {
        links[timer.index] = newValue
      }
    }
  }
}
