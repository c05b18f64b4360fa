import Beacons
import HeapModule

/// When messages are due that were held back because an earlier one was just published. They are published even if
/// the beacon is silent.
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

  /// When the first entry is due.
  var next: MonotonicTime? { heap.min?.due }

  mutating func add(_ key: UInt64, due: MonotonicTime) { heap.insert(Entry(due: due, key: key)) }

  mutating func popFirst(notAfter time: MonotonicTime) -> (due: MonotonicTime, key: UInt64)? {
    guard let first = heap.min, first.due <= time else { return nil }
    heap.removeMin()
    return (first.due, first.key)
  }
}

/// Obsolete entries are stored too, so that a restored pipeline is called at the same times.
extension HeldBack {
  /// - Parameter isKey: whether a key is valid.
  mutating func fields(_ coder: inout StateCoder, isKey: (UInt64) -> Bool) throws(StateError) {
    var entries = heap.unordered.sorted()
    try coder("entries", &entries)
    guard coder.isReading else { return }
    try coder.check(entries.allSatisfy { isKey($0.key) })
    heap = Heap(entries)
  }
}
