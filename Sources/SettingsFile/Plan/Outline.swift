import Proximity

/// A room's outline: a polygon of at least three corners in order, the last side leads back to the first corner.
struct Outline {
  let corners: [Point]

  var sides: [Side] {
    corners.indices.map { Side(from: corners[$0], to: corners[($0 + 1) % corners.count]) }
  }

  /// m². Of an outline that crosses itself it means nothing.
  var area: Double { abs(sides.reduce(0) { $0 + ($1.from.x * $1.to.y - $1.to.x * $1.from.y) }) / 2 }

  func isInside(_ point: Point) -> Bool {
    // A ray to the east crosses the outline an odd number of times.
    sides.count { side in
      (side.from.y > point.y) != (side.to.y > point.y) && point.x < side.x(at: point.y)
    } % 2 == 1
  }

  /// Metres to the nearest side, from within too.
  func distanceToWall(from point: Point) -> Double {
    sides.map { $0.distance(from: point) }.min() ?? .infinity
  }

  /// Metres to the nearest point of the room; 0 within.
  func distance(from point: Point) -> Double { isInside(point) ? 0 : distanceToWall(from: point) }

  /// Two sides, by their first corners, that have a point in common where they should not; nil: there are none.
  var crossing: (first: Int, second: Int)? {
    let sides = sides
    for first in sides.indices {
      for second in sides.indices.dropFirst(first + 1) {
        if second == first + 1 || (first == 0 && second == sides.count - 1) {
          // They share a corner; they may not go back on each other.
          let (before, after) = second == first + 1 ? (first, second) : (second, first)
          if sides[before].turnsBack(into: sides[after]) { return (first, second) }
        } else if sides[first].meets(sides[second]) {
          return (first, second)
        }
      }
    }
    return nil
  }
}
