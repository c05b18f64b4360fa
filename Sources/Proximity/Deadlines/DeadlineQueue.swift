import Beacons

/// The deadlines of all timers in order of time: a 4-ary heap that knows the place of every timer. It holds each timer at
/// most once, however often a beacon is heard. (swift-collections' heap cannot move an entry. A rescheduled timer would
/// leave its old entry behind: 300 entries for a beacon that flickers.)
struct DeadlineQueue: Sendable {
  private static let branches = 4

  private struct Entry {
    var time: MonotonicTime
    var timer: DeadlineTimer

    func isBefore(_ other: Entry) -> Bool {
      time < other.time || time == other.time && timer < other.timer
    }
  }

  private var heap: [Entry] = []
  /// Place in `heap`; −1: not in it.
  private var places = TimerTable<Int32>()

  var count: Int { heap.count }
  /// The earliest deadline. Its timer may have to be rescheduled rather than acted on.
  var first: MonotonicTime? { heap.first?.time }

  mutating func addLink() { places.links.append(-1) }
  mutating func addPresence() { places.presences.append(-1) }

  /// Whether any timer is due.
  @inline(__always) func isDue(at time: MonotonicTime) -> Bool { !heap.isEmpty && heap[0].time <= time }

  /// When a timer fires; nil: it does not.
  func time(of timer: DeadlineTimer) -> MonotonicTime? {
    let place = Int(places[timer])
    return place < 0 ? nil : heap[place].time
  }

  /// Makes `timer` fire at `time` at the latest. If it fires too early, its owner reschedules it: that is cheaper than moving
  /// an entry at every sighting.
  mutating func schedule(_ timer: DeadlineTimer, at time: MonotonicTime) {
    let place = Int(places[timer])
    if place < 0 {
      heap.append(Entry(time: time, timer: timer))
      rise(heap.count - 1)
    } else if time < heap[place].time {
      heap[place].time = time
      rise(place)
    }
  }

  /// Removes and returns the first timer if it is due at `time` or before.
  mutating func popFirst(notAfter time: MonotonicTime) -> (time: MonotonicTime, timer: DeadlineTimer)? {
    guard let top = heap.first, top.time <= time else { return nil }
    places[top.timer] = -1
    let last = heap.removeLast()
    if !heap.isEmpty {
      heap[0] = last
      sink(0)
    }
    return (top.time, top.timer)
  }

  private mutating func rise(_ start: Int) {
    var place = start
    let entry = heap[place]
    while place > 0 {
      let parent = (place - 1) / Self.branches
      guard entry.isBefore(heap[parent]) else { break }
      settle(heap[parent], at: place)
      place = parent
    }
    settle(entry, at: place)
  }

  private mutating func sink(_ start: Int) {
    var place = start
    let entry = heap[place]
    while true {
      var child = Self.branches * place + 1
      guard child < heap.count else { break }
      for other in child..<min(child + Self.branches, heap.count) where heap[other].isBefore(heap[child]) {
        child = other
      }
      guard heap[child].isBefore(entry) else { break }
      settle(heap[child], at: place)
      place = child
    }
    settle(entry, at: place)
  }

  private mutating func settle(_ entry: Entry, at place: Int) {
    heap[place] = entry
    places[entry.timer] = Int32(place)
  }
}
