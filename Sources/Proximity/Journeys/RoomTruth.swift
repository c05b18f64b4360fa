import Beacons

/// The true rooms and positions of a beacon, from marks.
public struct RoomTruth: Sendable {
  private let marks: [MarkedWalk.Mark]

  /// - Parameter marks: in order of time.
  public init(_ marks: [MarkedWalk.Mark]) { self.marks = marks }

  /// nil: unknown.
  public func room(at time: MonotonicTime) -> RoomIndex? { index(at: time).flatMap { marks[$0].room } }

  /// The position at `time`, interpolated between two points close in time, else the last point; nil: unknown.
  public func point(at time: MonotonicTime) -> Point? {
    index(at: time).flatMap { marks[$0].room == nil ? nil : MarkedWalk.point(at: time, marks, $0) }
  }

  /// The index of the last mark up to `time`.
  private func index(at time: MonotonicTime) -> Int? {
    var (low, high) = (0, marks.count)
    while low < high {
      let middle = (low + high) / 2
      if marks[middle].time <= time { low = middle + 1 } else { high = middle }
    }
    return low > 0 ? low - 1 : nil
  }
}
