import Glibc

/// A room's outline: a polygon that does not cross itself.
public struct Outline: Hashable, Sendable {
  public let corners: [Point]

  public init(_ corners: [Point]) { self.corners = corners }

  /// Square metres.
  public var area: Double { abs(signedArea) }

  private var signedArea: Double {
    sides.reduce(0) { $0 + ($1.from.x * $1.to.y - $1.to.x * $1.from.y) / 2 }
  }

  public var sides: [(from: Point, to: Point)] {
    corners.indices.map { (corners[$0], corners[($0 + 1) % corners.count]) }
  }

  public var centroid: Point {
    let area = signedArea
    guard abs(area) > 1e-9 else { return corners.first ?? Point(x: 0, y: 0) }
    var (x, y) = (0.0, 0.0)
    for (a, b) in sides {
      let cross = a.x * b.y - b.x * a.y
      x += (a.x + b.x) * cross
      y += (a.y + b.y) * cross
    }
    return Point(x: x / (6 * area), y: y / (6 * area))
  }

  /// Whether a point lies inside. A point on a side shared by two rooms belongs to one of them.
  public func contains(_ point: Point) -> Bool {
    var isInside = false
    for (a, b) in sides where (a.y > point.y) != (b.y > point.y) {
      if point.x < (b.x - a.x) * (point.y - a.y) / (b.y - a.y) + a.x { isInside.toggle() }
    }
    return isInside
  }

  /// Metres from a point to the nearest side.
  public func distance(to point: Point) -> Double {
    sides.reduce(.infinity) { nearest, side in
      let (dx, dy) = (side.to.x - side.from.x, side.to.y - side.from.y)
      let square = dx * dx + dy * dy
      let along = ((point.x - side.from.x) * dx + (point.y - side.from.y) * dy) / max(square, 1e-12)
      let part = min(max(along, 0), 1)
      return min(nearest, hypot(point.x - side.from.x - part * dx, point.y - side.from.y - part * dy))
    }
  }
}

/// Whether two line segments intersect.
func meet(_ a: (from: Point, to: Point), _ b: (from: Point, to: Point)) -> Bool {
  func side(_ p: Point, _ line: (from: Point, to: Point)) -> Double {
    (line.to.x - line.from.x) * (p.y - line.from.y) - (line.to.y - line.from.y) * (p.x - line.from.x)
  }
  return side(a.from, b) * side(a.to, b) <= 0 && side(b.from, a) * side(b.to, a) <= 0
}

/// A place on a floor, in the site's own coordinates: metres, as the `x` and `y` of a `Position`.
public struct Point: Hashable, Sendable {
  public var x: Double
  public var y: Double

  public init(x: Double, y: Double) {
    self.x = x
    self.y = y
  }
}
