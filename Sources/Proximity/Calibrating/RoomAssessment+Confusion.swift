/// What goes wrong most.
extension RoomAssessment {
  /// A room, another that is told in its place, and how much of its time.
  public struct Mistake: Hashable, Sendable {
    public var room: RoomIndex
    public var told: RoomIndex
    /// 0 to 1.
    public var share: Double
  }

  /// The share of its time for which a room was told rightly; nil: nobody was in it.
  public func right(_ room: RoomIndex) -> Double? {
    let seconds = confusion[Int(room.rawValue)]
    let sum = seconds.reduce(0, +)
    return sum > 0 ? seconds[Int(room.rawValue)] / sum : nil
  }

  /// The room that is most often taken for one other room; nil: none is.
  public var mostMistaken: Mistake? {
    var worst: Mistake?
    for (room, seconds) in confusion.enumerated() {
      let sum = seconds.reduce(0, +)
      for told in confusion.indices where told != room && seconds[told] > 0 {
        let share = seconds[told] / sum
        if share > worst?.share ?? 0 {
          worst = Mistake(room: index(room), told: index(told), share: share)
        }
      }
    }
    return worst
  }

  /// Where a further receiver would help most: of the two rooms that are taken for each other for the longest time, the one that
  /// is told rightly for less of its time. nil: no two are.
  public var neediest: (room: RoomIndex, other: RoomIndex, seconds: Double)? {
    var worst: (room: RoomIndex, other: RoomIndex, seconds: Double)?
    for first in confusion.indices {
      for second in confusion.indices where second > first {
        let seconds = confusion[first][second] + confusion[second][first]
        guard seconds > worst?.seconds ?? 0 else { continue }
        let isFirst = (right(index(first)) ?? 1) <= (right(index(second)) ?? 1)
        worst = (index(isFirst ? first : second), index(isFirst ? second : first), seconds)
      }
    }
    return worst
  }

  private func index(_ room: Int) -> RoomIndex { RoomIndex(rawValue: Int32(clamping: room)) }
}
