import Beacons
import HeapModule

/// When that is told which was held back because something was told shortly before: heard again or not.
struct HeldBack: Sendable {
  private struct Entry: Comparable {
    var due: MonotonicTime
    var key: UInt64

    static func < (a: Self, b: Self) -> Bool { (a.due, a.key) < (b.due, b.key) }
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
  func snapshot(into writer: inout StateWriter) {
    let entries = heap.unordered.sorted()
    writer.count(entries.count)
    for entry in entries {
      writer.write(entry.due)
      writer.write(entry.key)
    }
  }

  mutating func restore(from reader: inout StateReader, isKey: (UInt64) -> Bool) throws(StateError) {
    for _ in 0..<(try reader.count()) {
      let due: MonotonicTime = try reader.read()
      let key: UInt64 = try reader.read()
      guard isKey(key) else { throw reader.damaged }
      add(key, due: due)
    }
  }
}
