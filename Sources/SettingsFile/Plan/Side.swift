import Glibc
import Proximity

/// One side of an outline: a wall, from corner to corner.
struct Side {
  var from: Point
  var to: Point

  /// Metres.
  var length: Double { hypot(to.x - from.x, to.y - from.y) }

  /// How far east it is at a height on the plan between those of its ends.
  func x(at y: Double) -> Double { from.x + (y - from.y) / (to.y - from.y) * (to.x - from.x) }

  /// The point at a part of its length, from 0 to 1.
  func point(at part: Double) -> Point {
    Point(x: from.x + part * (to.x - from.x), y: from.y + part * (to.y - from.y))
  }

  /// Whether the next side goes back on this one.
  func turnsBack(into next: Side) -> Bool {
    let forward = (to.x - from.x) * (next.to.x - next.from.x) + (to.y - from.y) * (next.to.y - next.from.y)
    return turn(next.to) == 0 && forward < 0
  }

  /// Whether the two have a point in common.
  func meets(_ other: Side) -> Bool {
    let (first, second) = (turn(other.from), turn(other.to))
    let (third, fourth) = (other.turn(from), other.turn(to))
    let isProper = first != 0 && second != 0 && third != 0 && fourth != 0
    if isProper { return (first > 0) != (second > 0) && (third > 0) != (fourth > 0) }
    return (first == 0 && spans(other.from)) || (second == 0 && spans(other.to))
      || (third == 0 && other.spans(from)) || (fourth == 0 && other.spans(to))
  }

  /// On which side a point is: positive on the left, 0 on the line through both corners.
  private func turn(_ point: Point) -> Double {
    (to.x - from.x) * (point.y - from.y) - (to.y - from.y) * (point.x - from.x)
  }

  /// Whether a point on the line through both corners is between them.
  private func spans(_ point: Point) -> Bool {
    (min(from.x, to.x)...max(from.x, to.x)).contains(point.x)
      && (min(from.y, to.y)...max(from.y, to.y)).contains(point.y)
  }
}
