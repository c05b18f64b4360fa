import Beacons

/// A value for each stretch of time in which there was one, all stretches equally long. When they become too many, two become
/// one, so that a series of any length has a bounded size.
public struct ThinnedSeries<Value: Sendable>: Sendable {
  public struct Entry: Sendable {
    fileprivate var stretch: Int64
    public fileprivate(set) var value: Value
  }

  public private(set) var entries: [Entry] = []
  /// Of a stretch.
  public private(set) var length: TimeSpan
  private let limit: Int
  private let merge: @Sendable (Value, Value) -> Value

  /// - Parameters:
  ///   - length: of the first stretches; more than zero.
  ///   - limit: so many are kept at most.
  ///   - merge: makes one value of two, the earlier one first.
  public init(
    every length: TimeSpan, limit: Int,
    merge: @escaping @Sendable (Value, Value) -> Value = { first, _ in first }
  ) {
    self.length = length
    self.limit = max(limit, 2)
    self.merge = merge
  }

  /// Times must not go back by more than a stretch; what does joins the latest stretch.
  public mutating func add(_ value: Value, at time: MonotonicTime) {
    let stretch = time.nanoseconds / length.nanoseconds
    if let last = entries.last, last.stretch >= stretch {
      entries[entries.count - 1].value = merge(last.value, value)
    } else {
      entries.append(Entry(stretch: stretch, value: value))
    }
    while entries.count > limit { halve() }
  }

  private mutating func halve() {
    length = length + length
    var kept: [Entry] = []
    kept.reserveCapacity(limit + 1)
    for entry in entries {
      let stretch = entry.stretch / 2
      if let last = kept.last, last.stretch == stretch {
        kept[kept.count - 1].value = merge(last.value, entry.value)
      } else {
        kept.append(Entry(stretch: stretch, value: entry.value))
      }
    }
    entries = kept
  }
}
