import Beacons

/// Where a beacon really was, as somebody noted it.
public struct RoomTruth: Sendable {
  private let marks: [MarkedWalk.Mark]

  /// - Parameter marks: in order of time.
  public init(_ marks: [MarkedWalk.Mark]) { self.marks = marks }

  /// nil: nobody says.
  public func room(at time: MonotonicTime) -> RoomIndex? { index(at: time).flatMap { marks[$0].room } }

  /// nil: nobody says. Between two points on the straight way, if they are close in time; else the one before.
  public func point(at time: MonotonicTime) -> Point? {
    index(at: time).flatMap { marks[$0].room == nil ? nil : MarkedWalk.point(at: time, marks, $0) }
  }

  /// The last mark up to a time.
  private func index(at time: MonotonicTime) -> Int? {
    var (low, high) = (0, marks.count)
    while low < high {
      let middle = (low + high) / 2
      if marks[middle].time <= time { low = middle + 1 } else { high = middle }
    }
    return low > 0 ? low - 1 : nil
  }
}
