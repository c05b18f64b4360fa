import Beacons
import Core
import HeapModule

/// The deadlines of numbered timers, ordered by time, then by number. A timer that moves to an earlier time leaves its old entry in
/// the heap, which skips it later.
struct DeadlineQueue: Sendable {
  private struct Entry: Comparable {
    var time: MonotonicTime
    var timer: Int32

    static func < (a: Self, b: Self) -> Bool { a.time < b.time || a.time == b.time && a.timer < b.timer }
  }

  private var heap = Heap<Entry>()
  /// When each timer fires; `distantFuture`: never.
  private var times: [MonotonicTime] = []

  /// The number of timers with a deadline.
  private(set) var count = 0
  /// The earliest deadline. It may be earlier than its timer needs.
  var first: MonotonicTime? { heap.min?.time }

  /// Adds a timer with the next number.
  mutating func add() { times.append(.distantFuture) }

  /// Whether any timer is due.
  @inline(__always) func isDue(at time: MonotonicTime) -> Bool { heap.min.map { $0.time <= time } ?? false }

  /// When a timer fires; nil: never.
  func time(of timer: Int32) -> MonotonicTime? {
    times[Int(timer)] == .distantFuture ? nil : times[Int(timer)]
  }

  /// Makes `timer` fire at `time` at the latest. If it fires too early, its owner reschedules it. That is cheaper than moving an
  /// entry at every sighting.
  mutating func schedule(_ timer: Int32, at time: MonotonicTime) {
    let earlier = times[Int(timer)]
    guard time < earlier else { return }
    if earlier == .distantFuture { count += 1 }
    times[Int(timer)] = time
    heap.insert(Entry(time: time, timer: timer))
    // Removes old entries. A flickering beacon would leave hundreds of them.
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
