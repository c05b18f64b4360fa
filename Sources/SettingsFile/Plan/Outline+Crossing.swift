import Proximity

extension Outline {
  var walls: [Side] { sides.map { Side(from: $0.from, to: $0.to) } }

  /// Metres to the nearest point of the room; 0 within.
  func gap(to point: Point) -> Double { contains(point) ? 0 : distance(to: point) }

  /// Two sides, by their first corners, that have a point in common where they should not; nil: there are none.
  var crossing: (first: Int, second: Int)? {
    let walls = walls
    for first in walls.indices {
      for second in walls.indices.dropFirst(first + 1) {
        if second == first + 1 || (first == 0 && second == walls.count - 1) {
          // They share a corner; they may not go back on each other.
          let (before, after) = second == first + 1 ? (first, second) : (second, first)
          if walls[before].turnsBack(into: walls[after]) { return (first, second) }
        } else if walls[first].meets(walls[second]) {
          return (first, second)
        }
      }
    }
    return nil
  }
}
