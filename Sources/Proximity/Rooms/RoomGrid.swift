import Glibc

/// The floors divided into square cells. All floors have the same columns and rows, so that a cell's neighbours are at fixed
/// offsets. An empty border keeps neighbours within bounds.
struct RoomGrid: Hashable, Sendable {
  /// Edge of a cell, metres.
  let edge: Double
  private let origin: Point
  /// Number of cells from one row to the next.
  let stride: Int
  private let rowsOfFloor: Int
  /// Room of each cell; −1: none. The surroundings count as an additional room.
  private(set) var rooms: [Int16]
  private let hasWalls: Bool
  /// The share that moves to the next cell in the row, and to the same cell of the next row, in one motion step. It is 0 where a
  /// wall is between.
  private(set) var right: [Float]
  private(set) var down: [Float]

  /// Cells are 0.25 m wide, or larger on a large site. More cells cost time and improve nothing.
  static let finest = 0.25
  static let cellLimit = 4000
  /// The share that moves to each of four neighbours in one step. The motion is stable up to 0.25.
  static let share: Float = 0.2

  /// - Parameters:
  ///   - surroundings: width in metres of the area around rooms and receivers that is included.
  ///   - finest: the least edge of a cell, metres.
  init(_ plan: RoomPlan, surroundings: Double = 0, finest: Double = RoomGrid.finest) {
    let receivers = plan.hearers.compactMap(\.position).map { Point(x: $0.x, y: $0.y) }
    let corners = plan.rooms.flatMap(\.outline) + (surroundings > 0 ? receivers : [])
    let low = Point(
      x: (corners.map(\.x).min() ?? 0) - surroundings, y: (corners.map(\.y).min() ?? 0) - surroundings)
    let high = Point(
      x: (corners.map(\.x).max() ?? 1) + surroundings, y: (corners.map(\.y).max() ?? 1) + surroundings)
    let floors = plan.floorHeights.count
    let area = (high.x - low.x) * (high.y - low.y) * Double(floors)
    edge = max(finest, (area / Double(Self.cellLimit)).squareRoot())
    hasWalls = !plan.rooms.isEmpty
    origin = low
    let columns = max(1, Int(((high.x - low.x) / edge).rounded(.up)))
    // A row has room for eight cells, because the motion processes eight at a time.
    stride = max(columns + 2, Lanes.count)
    rowsOfFloor = max(1, Int(((high.y - low.y) / edge).rounded(.up))) + 1
    let count = stride * (rowsOfFloor * floors + 1)
    rooms = [Int16](repeating: -1, count: count)
    right = [Float](repeating: 0, count: count)
    down = right
    let outlines = plan.rooms.map { Outline($0.outline) }
    let boxes = outlines.map { Self.box(around: $0.corners) }
    for cell in rooms.indices {
      guard let place = place(of: cell) else { continue }
      // Few outlines are near a cell, and asking all of them would take most of the time on a large site.
      let here = boxes.indices.filter {
        plan.rooms[$0].floor == place.floor && boxes[$0].x.contains(place.point.x)
          && boxes[$0].y.contains(place.point.y)
      }
      let room =
        here.first { outlines[$0].contains(place.point) } ?? Self.nearest(to: place.point, here, outlines)
      if let room {
        rooms[cell] = Int16(room)
      } else if surroundings > 0 {
        rooms[cell] = Int16(plan.rooms.count)
      }
    }
    // A small room may lie between the middles of large cells. It gets one cell.
    for room in outlines.indices where plan.rooms[room].outline.count > 2 && !rooms.contains(Int16(room)) {
      guard let cell = cell(at: outlines[room].centroid, floor: plan.rooms[room].floor) else { continue }
      if rooms[cell] < 0 || rooms[cell] == Int16(plan.rooms.count) { rooms[cell] = Int16(room) }
    }
    for cell in rooms.indices where rooms[cell] >= 0 {
      right[cell] = passes(from: cell, to: cell + 1, plan)
      down[cell] = passes(from: cell, to: cell + stride, plan)
    }
  }

  /// If outlines follow the inner faces of walls, half of each wall belongs to each of the two rooms. Metres.
  private static let halfWall = 0.2

  /// A rectangle around corners and half of their walls.
  private static func box(around corners: [Point]) -> (x: ClosedRange<Double>, y: ClosedRange<Double>) {
    func range(_ values: [Double]) -> ClosedRange<Double> {
      ((values.min() ?? 0) - 2 * halfWall)...((values.max() ?? 0) + 2 * halfWall)
    }
    return (range(corners.map(\.x)), range(corners.map(\.y)))
  }

  private static func nearest(to point: Point, _ rooms: [Int], _ outlines: [Outline]) -> Int? {
    let distances = rooms.map { (room: $0, metres: outlines[$0].distance(to: point)) }
    guard let nearest = distances.min(by: { $0.metres < $1.metres }), nearest.metres <= halfWall else {
      return nil
    }
    return nearest.room
  }

  var count: Int { rooms.count }

  /// The middle of a cell; nil on the border.
  func place(of cell: Int) -> (point: Point, floor: Int)? {
    let (row, column) = (cell / stride - 1, cell % stride - 1)
    guard row >= 0, column >= 0, column < stride - 2, row % rowsOfFloor < rowsOfFloor - 1 else { return nil }
    let point = Point(
      x: origin.x + (Double(column) + 0.5) * edge, y: origin.y + (Double(row % rowsOfFloor) + 0.5) * edge)
    return (point, row / rowsOfFloor)
  }

  /// The cells of a rectangle and around it, by row.
  func box(rows: ClosedRange<Int>, columns: ClosedRange<Int>, wider: Int) -> [Range<Int>] {
    let (west, east) = (max(columns.lowerBound - wider, 1), min(columns.upperBound + wider, stride - 2))
    return (max(rows.lowerBound - wider, 1)...min(rows.upperBound + wider, count / stride - 2)).map {
      ($0 * stride + west)..<($0 * stride + east + 1)
    }
  }

  /// The cell of a point; nil: outside.
  func cell(at point: Point, floor: Int) -> Int? {
    let column = (point.x - origin.x) / edge
    let row = (point.y - origin.y) / edge
    // Conversion to an integer rounds numbers that are not below 0 down, and `floor` would be a call of the C
    // library.
    guard column >= 0, row >= 0, column < Double(stride - 2), row < Double(rowsOfFloor - 1) else {
      return nil
    }
    let cell = (floor * rowsOfFloor + Int(row) + 1) * stride + Int(column) + 1
    return rooms.indices.contains(cell) ? cell : nil
  }

  /// The cell of a room whose middle is nearest to a point.
  func cell(nearest point: Point, in room: Int16) -> Int? {
    var best: (cell: Int, square: Double)?
    for cell in rooms.indices where rooms[cell] == room {
      guard let place = place(of: cell) else { continue }
      let (dx, dy) = (place.point.x - point.x, place.point.y - point.y)
      let square = dx * dx + dy * dy
      if square < best?.square ?? .infinity { best = (cell, square) }
    }
    return best?.cell
  }

  /// The number of walls between a point and a cell on the same floor; a line through a door crosses none. A signal bends round the
  /// edges of a door, so on a floor with doors the result is the mean over points around the cell.
  func walls(from start: Point, to cell: Int, _ doors: [RoomPlan.Door]) -> Double {
    guard hasWalls, let end = place(of: cell) else { return 0 }
    let doors = doors.filter { $0.floor == end.floor }
    guard !doors.isEmpty else { return Double(walls(from: start, to: end.point, floor: end.floor)) }
    var (sum, weights) = (0.0, 0.0)
    for (right, down) in Self.around {
      let point = Point(x: end.point.x + right * Self.bend, y: end.point.y + down * Self.bend)
      guard let other = self.cell(at: point, floor: end.floor), rooms[other] == rooms[cell] else { continue }
      let walls = walls(from: start, to: point, floor: end.floor)
      let open = walls == 0 ? 0 : doors.count { meet((start, point), ($0.from, $0.to)) }
      let weight = exp(-(right * right + down * down) / 2)
      sum += weight * Double(max(walls - open, 0))
      weights += weight
    }
    return sum / weights
  }

  private static let around = (-1...1).flatMap { right in (-1...1).map { (Double(right), Double($0)) } }
  /// Width of the first Fresnel zone of a 2.4 GHz signal over a few metres, metres.
  private static let bend = 0.75

  /// The number of walls that a straight line on one floor crosses: each change from one room to another. Gaps between outlines are
  /// the walls themselves.
  private func walls(from start: Point, to end: Point, floor: Int) -> Int {
    guard hasWalls else { return 0 }
    let length = hypot(end.x - start.x, end.y - start.y)
    let steps = max(1, Int((length / (edge / 2)).rounded(.up)))
    var last: Int16 = -1
    var walls = 0
    for step in 0...steps {
      let part = Double(step) / Double(steps)
      let point = Point(x: start.x + (end.x - start.x) * part, y: start.y + (end.y - start.y) * part)
      guard let cell = cell(at: point, floor: floor), rooms[cell] >= 0 else { continue }
      if last >= 0, rooms[cell] != last { walls += 1 }
      last = rooms[cell]
    }
    return walls
  }

  private func passes(from cell: Int, to other: Int, _ plan: RoomPlan) -> Float {
    guard rooms.indices.contains(other), rooms[other] >= 0, let a = place(of: cell), let b = place(of: other)
    else { return 0 }
    if rooms[cell] == rooms[other] { return Self.share }
    let doors = plan.doors.filter { $0.floor == a.floor }
    if doors.isEmpty { return Self.share }
    let isOpen = doors.contains { meet((a.point, b.point), ($0.from, $0.to)) }
    return isOpen ? Self.share : 0
  }
}
