import Beacons
import HeapModule

/// When that is told which was held back because something was told shortly before: heard again or not.
struct HeldBack: Sendable {
  private struct Entry: Comparable, StateElement {
    var due = MonotonicTime.zero
    var key: UInt64 = 0

    static func < (a: Self, b: Self) -> Bool { (a.due, a.key) < (b.due, b.key) }

    mutating func fields(_ coder: inout StateCoder) throws(StateError) {
      try coder("due", &due)
      try coder("key", &key)
    }
  }

  private var heap = Heap<Entry>()

  /// When the first is due.
  var next: MonotonicTime? { heap.min?.due }

  mutating func add(_ key: UInt64, due: MonotonicTime) { heap.insert(Entry(due: due, key: key)) }

  mutating func popFirst(notAfter time: MonotonicTime) -> (due: MonotonicTime, key: UInt64)? {
    guard let first = heap.min, first.due <= time else { return nil }
    heap.removeMin()
    return (first.due, first.key)
  }
}

/// With entries that turn out to have nothing: a pipeline that is read back is called at the same times.
extension HeldBack {
  /// - Parameter isKey: which ones there can be.
  mutating func fields(_ coder: inout StateCoder, isKey: (UInt64) -> Bool) throws(StateError) {
    var entries = heap.unordered.sorted()
    try coder("entries", &entries)
    guard coder.isReading else { return }
    try coder.check(entries.allSatisfy { isKey($0.key) })
    heap = Heap(entries)
  }
}
