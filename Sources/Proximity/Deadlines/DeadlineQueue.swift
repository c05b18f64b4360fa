import Beacons
import HeapModule

/// The deadlines of numbered timers in order of time; at equal times the smaller number comes first. A timer that moves to an
/// earlier time leaves its old entry behind, which is skipped later.
struct DeadlineQueue: Sendable {
  private struct Entry: Comparable {
    var time: MonotonicTime
    var timer: Int32

    static func < (a: Self, b: Self) -> Bool { a.time < b.time || a.time == b.time && a.timer < b.timer }
  }

  private var heap = Heap<Entry>()
  /// When each timer fires; `distantFuture`: it does not.
  private var times: [MonotonicTime] = []

  /// How many timers fire.
  private(set) var count = 0
  /// The earliest deadline. Its timer may have to be rescheduled rather than acted on.
  var first: MonotonicTime? { heap.min?.time }

  /// One more timer, with the next number.
  mutating func add() { times.append(.distantFuture) }

  /// Whether any timer is due.
  @inline(__always) func isDue(at time: MonotonicTime) -> Bool { heap.min.map { $0.time <= time } ?? false }

  /// When a timer fires; nil: it does not.
  func time(of timer: Int32) -> MonotonicTime? {
    times[Int(timer)] == .distantFuture ? nil : times[Int(timer)]
  }

  /// Makes `timer` fire at `time` at the latest. If it fires too early, its owner reschedules it: that is cheaper than moving
  /// an entry at every sighting.
  mutating func schedule(_ timer: Int32, at time: MonotonicTime) {
    let earlier = times[Int(timer)]
    guard time < earlier else { return }
    if earlier == .distantFuture { count += 1 }
    times[Int(timer)] = time
    heap.insert(Entry(time: time, timer: timer))
    // A beacon that flickers would leave hundreds behind.
    if heap.count > 2 * count + 64 { heap.removeAll { times[Int($0.timer)] != $0.time } }
  }

  /// Removes and returns the first timer if it is due at `time` or before.
  mutating func popFirst(notAfter time: MonotonicTime) -> (time: MonotonicTime, timer: Int32)? {
    guard let top = heap.min, top.time <= time else { return nil }
    heap.removeMin()
    times[Int(top.timer)] = .distantFuture
    count -= 1
    while let next = heap.min, times[Int(next.timer)] != next.time { heap.removeMin() }
    return (top.time, top.timer)
  }
}
