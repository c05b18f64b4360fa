import Beacons

/// A time series of bounded size: one value for each stretch of time with data. All stretches have the same length. When there are
/// too many, pairs are merged.
public struct ThinnedSeries<Value: Sendable>: Sendable {
  public struct Entry: Sendable {
    fileprivate var stretch: Int64
    public fileprivate(set) var value: Value
  }

  public private(set) var entries: [Entry] = []
  /// The length of a stretch.
  public private(set) var length: TimeSpan
  private let limit: Int
  private let merge: @Sendable (Value, Value) -> Value

  /// - Parameters:
  ///   - length: initial length of a stretch; more than zero.
  ///   - limit: maximum number of entries.
  ///   - merge: combines two values, the earlier one first.
  public init(
    every length: TimeSpan, limit: Int,
    merge: @escaping @Sendable (Value, Value) -> Value = { first, _ in first }
  ) {
    self.length = length
    self.limit = max(limit, 2)
    self.merge = merge
  }

  /// Adds a value. A time before the newest stretch counts in that stretch.
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
