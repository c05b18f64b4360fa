import Beacons

/// When each timer next wants attention: a binary heap that knows where every timer sits in it, so that it
/// holds each timer once at most.
struct DeadlineQueue: Sendable {
  /// What a deadline is about. Links come before presences at the same time: silence is noticed before a
  /// dwell that it ends is counted as served.
  struct Timer: Hashable, Comparable {
    private(set) var rawValue: UInt32
    private static let presenceBit: UInt32 = 1 << 31

    static func link(_ index: Int32) -> Self { Self(rawValue: UInt32(index)) }
    static func presence(_ index: Int32) -> Self { Self(rawValue: UInt32(index) | presenceBit) }

    var isPresence: Bool { rawValue & Self.presenceBit != 0 }
    var index: Int { Int(rawValue & ~Self.presenceBit) }
    static func < (a: Self, b: Self) -> Bool { a.rawValue < b.rawValue }
  }

  private struct Entry {
    var time: MonotonicTime
    var timer: Timer

    func isBefore(_ other: Entry) -> Bool {
      time < other.time || time == other.time && timer < other.timer
    }
  }

  private var heap: [Entry] = []
  /// Place in `heap` by link and by presence; −1: not in it.
  private var linkPlaces: [Int32] = []
  private var presencePlaces: [Int32] = []

  var count: Int { heap.count }
  var first: MonotonicTime? { heap.first?.time }

  mutating func addLink() { linkPlaces.append(-1) }
  mutating func addPresence() { presencePlaces.append(-1) }

  /// Whether any timer has come up.
  @inline(__always) func isDue(at time: MonotonicTime) -> Bool { !heap.isEmpty && heap[0].time <= time }

  /// Sees to it that `timer` comes up at `time` at the latest. What comes up too early is put back by its owner:
  /// cheaper than moving an entry each time a beacon is heard.
  mutating func schedule(_ timer: Timer, at time: MonotonicTime) {
    let place = Int(self[place: timer])
    if place < 0 {
      heap.append(Entry(time: time, timer: timer))
      rise(heap.count - 1)
    } else if time < heap[place].time {
      heap[place].time = time
      rise(place)
    }
  }

  /// Takes out the first timer if it is due at `time` or before.
  mutating func popFirst(notAfter time: MonotonicTime) -> (time: MonotonicTime, timer: Timer)? {
    guard let top = heap.first, top.time <= time else { return nil }
    self[place: top.timer] = -1
    let last = heap.removeLast()
    if !heap.isEmpty {
      heap[0] = last
      sink(0)
    }
    return (top.time, top.timer)
  }

  private subscript(place timer: Timer) -> Int32 {
    get { timer.isPresence ? presencePlaces[timer.index] : linkPlaces[timer.index] }
    set {
      if timer.isPresence {
        presencePlaces[timer.index] = newValue
      } else {
        linkPlaces[timer.index] = newValue
      }
    }
  }

  private mutating func rise(_ start: Int) {
    var place = start
    let entry = heap[place]
    while place > 0 {
      let parent = (place - 1) / 2
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
      var child = 2 * place + 1
      guard child < heap.count else { break }
      if child + 1 < heap.count, heap[child + 1].isBefore(heap[child]) { child += 1 }
      guard heap[child].isBefore(entry) else { break }
      settle(heap[child], at: place)
      place = child
    }
    settle(entry, at: place)
  }

  private mutating func settle(_ entry: Entry, at place: Int) {
    heap[place] = entry
    self[place: entry.timer] = Int32(place)
  }
}
