import Glibc
import Proximity

/// Reads `outline:` – the corners of a room in order, each `[east, north]`.
struct OutlineReader {
  private static let hint =
    "the corners in order, for example [[0 m, 0 m], [3 m, 0 m], [3 m, 4 m], [0 m, 4 m]]"
  /// m². Less than a cupboard is a wrong unit.
  private static let leastArea = 0.1

  /// nil, with a diagnostic, for anything but a plain polygon.
  func read(_ value: Value) -> Outline? {
    guard let entries = value.list(hint: Self.hint) else { return nil }
    guard entries.count <= RoomSettings.cornerLimit + 1 else {
      return value.refused(
        "\(value.name) has \(entries.count) corners", hint: "at most \(RoomSettings.cornerLimit) are possible"
      )
    }
    var corners = entries.compactMap { readPoint($0.named("a corner of \(value.name)")) }
    guard corners.count == entries.count, !entries.isEmpty else { return nil }
    // Some programs repeat the first corner at the end of a polygon.
    if corners.count > 1, corners.first == corners.last { corners.removeLast() }
    guard corners.count >= 3 else {
      return value.refused(
        "\(value.name) has \(corners.count) corners: that encloses nothing", hint: Self.hint)
    }
    for place in corners.indices where corners[place] == corners[(place + 1) % corners.count] {
      entries[(place + 1) % corners.count].error(
        "the corner \(words(corners[place])) is there twice in a row", hint: "remove one of them")
      return nil
    }
    let outline = Outline(corners)
    guard isFlat(outline) == false else {
      return value.refused(
        "\(value.name) encloses nothing: its corners are on one line",
        hint: "give them in order, around the room")
    }
    if let (first, second) = outline.crossing {
      let (a, b) = (outline.walls[first], outline.walls[second])
      return value.refused(
        "\(value.name) crosses itself: the side from \(words(a.from)) to \(words(a.to)) meets that from "
          + "\(words(b.from)) to \(words(b.to))",
        hint: "give the corners in order, around the room")
    }
    guard outline.area >= Self.leastArea else {
      return value.refused(
        "\(value.name) encloses only \(square(outline.area))", hint: "check the units: 3 m, 300 cm")
    }
    return outline
  }

  private func isFlat(_ outline: Outline) -> Bool {
    guard let first = outline.corners.first, let second = outline.corners.dropFirst().first else {
      return true
    }
    return outline.corners.allSatisfy { corner in
      (second.x - first.x) * (corner.y - first.y) == (second.y - first.y) * (corner.x - first.x)
    }
  }
}

/// Reads `[3 m, 4 m]`: east and north in the site's own coordinates.
func readPoint(_ value: Value) -> Point? {
  let hint = "east and north, for example [3 m, 4 m]"
  guard let entries = value.list(hint: hint) else { return nil }
  guard entries.count == 2 else {
    return value.refused("\(value.name) has \(entries.count) coordinates", hint: hint)
  }
  let metres = entries.compactMap { $0.measure(.distance) }
  guard metres.count == 2 else { return nil }
  guard metres.allSatisfy({ abs($0) <= farthest }) else {
    return value.refused(
      "\(value.name) is far away", hint: "at most \(Measure(.distance, farthest)) from [0 m, 0 m]")
  }
  return Point(x: metres[0], y: metres[1])
}

/// Metres. A site is smaller.
private let farthest = 5_000.0

/// A place as in the file.
func words(_ point: Point) -> String {
  "[\(Measure(.distance, point.x)), \(Measure(.distance, point.y))]"
}

/// An area, rounded for people: to 0.1 m² below 100 m².
func square(_ area: Double) -> String {
  let rounded = area < 100 ? (area * 10).rounded() / 10 : area.rounded()
  return rounded == rounded.rounded() ? "\(Int(rounded)) m²" : "\(rounded) m²"
}

extension Outline {
  var walls: [Side] { sides.map { Side(from: $0.from, to: $0.to) } }

  /// Metres to the nearest point of the room; 0 within.
  func gap(to point: Point) -> Double { contains(point) ? 0 : distance(to: point) }

  /// Two sides, by their first corners, that touch although they should not; nil: there are none.
  var crossing: (first: Int, second: Int)? {
    let walls = walls
    for first in walls.indices {
      for second in walls.indices.dropFirst(first + 1) {
        if second == first + 1 || (first == 0 && second == walls.count - 1) {
          // Neighbouring sides share a corner, but must not overlap.
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

/// How two outlines of one floor overlap or touch.
extension Outline {
  /// The area that both cover, m². Between the heights of two corners it is measured in a few strips, which is exact for walls
  /// at right angles.
  func overlap(with other: Outline) -> Double {
    let heights = (corners + other.corners).map(\.y).sorted()
    let strips = 4
    var area = 0.0
    for (low, high) in zip(heights, heights.dropFirst()) where high > low {
      let strip = (high - low) / Double(strips)
      for place in 0..<strips {
        let height = low + (Double(place) + 0.5) * strip
        area += strip * commonLength(spans(at: height), other.spans(at: height))
      }
    }
    return area
  }

  /// The parts of a horizontal line that are inside: pairs of coordinates, ascending.
  private func spans(at height: Double) -> [Double] {
    walls.filter { ($0.from.y > height) != ($0.to.y > height) }.map { $0.x(at: height) }.sorted()
  }

  /// The length of this outline that is no farther than `gap` from another, metres: a wall has some thickness.
  func sharedWall(with other: Outline, gap: Double = 0.4) -> Double {
    guard mayTouch(other, gap) else { return 0 }
    let step = 0.1
    // A long side is divided into at most this many steps.
    let most = 1_000.0
    return walls.reduce(0) { total, side in
      let steps = max(1, min(most, (side.length / step).rounded(.up)))
      let shared = (0..<Int(steps)).count { place in
        other.gap(to: side.point(at: (Double(place) + 0.5) / steps)) <= gap
      }
      return total + side.length * Double(shared) / steps
    }
  }

  private func mayTouch(_ other: Outline, _ gap: Double) -> Bool {
    func isApart(_ axis: (Point) -> Double) -> Bool {
      let (own, theirs) = (corners.map(axis), other.corners.map(axis))
      guard let least = own.min(), let most = own.max(), let low = theirs.min(), let high = theirs.max()
      else {
        return true
      }
      return least > high + gap || low > most + gap
    }
    return !isApart(\.x) && !isApart(\.y)
  }
}

private func commonLength(_ own: [Double], _ theirs: [Double]) -> Double {
  var length = 0.0
  var (first, second) = (0, 0)
  while first + 1 < own.count, second + 1 < theirs.count {
    length += max(0, min(own[first + 1], theirs[second + 1]) - max(own[first], theirs[second]))
    if own[first + 1] < theirs[second + 1] { first += 2 } else { second += 2 }
  }
  return length
}

/// One side of an outline: a wall, from corner to corner.
struct Side {
  var from: Point
  var to: Point

  /// Metres.
  var length: Double { hypot(to.x - from.x, to.y - from.y) }

  /// Its coordinate to the east at a height between those of its ends.
  func x(at y: Double) -> Double { from.x + (y - from.y) / (to.y - from.y) * (to.x - from.x) }

  /// The point at a part of its length, from 0 to 1.
  func point(at part: Double) -> Point {
    Point(x: from.x + part * (to.x - from.x), y: from.y + part * (to.y - from.y))
  }

  /// Whether the next side overlaps this one.
  func turnsBack(into next: Side) -> Bool {
    let forward = (to.x - from.x) * (next.to.x - next.from.x) + (to.y - from.y) * (next.to.y - next.from.y)
    return turn(next.to) == 0 && forward < 0
  }

  /// Whether the two touch.
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
