import Beacons
import Core

/// Estimates where in its room the beacon was at each moment of a walk, from the levels before and after. So it is enough to mark
/// the rooms of a walk.
struct PlaceSmoother {
  private let model: RoomModel
  private let filter = RoomFilter()
  /// The probability of each place before anything was heard.
  private let prior: [Float]
  private let rooms: [Room]
  /// The likelihoods of levels in a room's cells, by room, receiver and level.
  private var tables: [Table: [Float]] = [:]
  /// The number of likelihoods in `tables`.
  private var size = 0

  private struct Table: Hashable {
    var room: Int16
    var hearer: Int16
    var level: Int16
  }

  /// The cells that a motion between two rooms reaches, by rooms and number of steps.
  private var ways: [Passage: Way] = [:]

  private struct Passage: Hashable {
    var from: Int16
    var to: Int16
    var steps: Int
  }

  private struct Way {
    /// The cells that the motion may reach, by row.
    var box: [Range<Int>]
    /// The reached cells of each neighbour of the new room.
    var inflows: [[Int]]
  }

  /// The belief of one room while motion is applied to it. Outside of that, all cells are 0.
  private var field: [Float]
  private var scratch: [Float]

  /// Maximum number of moments that are smoothed together. It bounds memory.
  private static let stretch = 1000
  /// A longer pause, in windows, starts a new stretch.
  private static let pause = Int64(5 / RoomWindows.length.seconds)

  /// The cells of a room. The walk says in which room the beacon was, so only these can hold it.
  private struct Room {
    var index: Int
    var floor = 0
    var cells: [Int] = []
    var points: [Point] = []
    var rows = 0...0
    var columns = 0...0
    var neighbours: [Int]
  }

  init(_ model: RoomModel) {
    self.model = model
    prior = model.prior
    field = [Float](repeating: 0, count: model.count)
    scratch = field
    var rooms = model.access.neighbours.enumerated().map { Room(index: $0, neighbours: $1) }
    for (cell, room) in model.rooms.enumerated() where rooms.indices.contains(Int(room)) {
      guard let grid = model.grid, let (point, floor) = grid.place(of: cell) else { continue }
      let (row, column, isFirst) = (cell / grid.stride, cell % grid.stride, rooms[Int(room)].cells.isEmpty)
      let (rows, columns) = (rooms[Int(room)].rows, rooms[Int(room)].columns)
      rooms[Int(room)].rows = isFirst ? row...row : min(rows.lowerBound, row)...max(rows.upperBound, row)
      rooms[Int(room)].columns =
        isFirst ? column...column : min(columns.lowerBound, column)...max(columns.upperBound, column)
      rooms[Int(room)].floor = floor
      rooms[Int(room)].cells.append(cell)
      rooms[Int(room)].points.append(point)
    }
    self.rooms = rooms
  }

  /// Where each moment may have been, as cells that are equally probable; empty: unknown. A single cell would be taken for certain,
  /// and maps made of it would confirm it.
  mutating func places(of moments: [MarkedWalk.Moment], offset: Float) -> [[Int]] {
    var places: [[Int]] = []
    var start = 0
    while start < moments.count {
      var end = start + 1
      while end < moments.count, end - start < Self.stretch,
        moments[end].window - moments[end - 1].window <= Self.pause
      { end += 1 }
      places += smooth(moments[start..<end], offset)
      start = end
    }
    return places
  }

  /// Forward-backward smoothing. The belief of a moment is the product of both passes.
  private mutating func smooth(_ moments: ArraySlice<MarkedWalk.Moment>, _ offset: Float) -> [[Int]] {
    var forward: [[Float]] = []
    for index in moments.indices {
      var belief =
        forward.last.map { pass($0, from: moments[index - 1], to: moments[index]) } ?? prior(moments[index])
      weigh(&belief, moments[index], offset)
      forward.append(belief)
    }
    var places = [[Int]](repeating: [], count: moments.count)
    guard let last = moments.last else { return places }
    var backward = prior(last)
    for (place, index) in zip(places.indices, moments.indices).reversed() {
      let both = zip(backward, forward[place]).map { $0 * $1 }
      places[place] = spread(of: both, in: rooms[Int(moments[index].room)])
      guard place > 0 else { break }
      weigh(&backward, moments[index], offset)
      backward = pass(backward, from: moments[index], to: moments[index - 1])
    }
    return places
  }

  private func prior(_ moment: MarkedWalk.Moment) -> [Float] {
    rooms[Int(moment.room)].cells.map { prior[$0] }
  }

  /// Derives the belief about the room of one moment from the belief of the moment before or after.
  private mutating func pass(_ belief: [Float], from: MarkedWalk.Moment, to: MarkedWalk.Moment) -> [Float] {
    guard let grid = model.grid else { return belief }
    let seconds = Double(abs(to.window - from.window)) * RoomWindows.length.seconds
    let motion = filter.motion(grid, seconds: seconds)
    let way = way(Passage(from: from.room, to: to.room, steps: motion.steps), grid)
    let (old, new, neighbours) = (
      rooms[Int(from.room)].cells, rooms[Int(to.room)].cells, rooms[Int(to.room)].neighbours
    )
    var moved = [Float](repeating: 0, count: new.count)
    let (rooms, prior) = (rooms, prior)
    field.withUnsafeMutableBufferPointer { field in
      scratch.withUnsafeMutableBufferPointer { scratch in
        for (place, cell) in old.enumerated() { field[cell] = belief[place] }
        RoomFilter.stray(field, scratch, grid, motion, in: way.box)
        var inflow = Float(0)
        for (other, cells) in zip(neighbours, way.inflows) {
          var share = Float(0)
          for cell in cells { share += field[cell] }
          inflow += motion.walking * share / (Float(rooms[other].neighbours.count) * Float(new.count))
        }
        let kept = neighbours.isEmpty ? 1 : 1 - motion.walking
        for (place, cell) in new.enumerated() {
          let share = kept * field[cell] + inflow
          moved[place] = share + motion.leak * (prior[cell] - share)
        }
        for cells in way.box {
          field[cells].update(repeating: 0)
          scratch[cells].update(repeating: 0)
        }
      }
    }
    return moved
  }

  private mutating func way(_ passage: Passage, _ grid: RoomGrid) -> Way {
    if let known = ways[passage] { return known }
    let old = rooms[Int(passage.from)]
    let box = grid.box(rows: old.rows, columns: old.columns, wider: passage.steps)
    let reached = Set(box.joined())
    let way = Way(
      box: box,
      inflows: rooms[Int(passage.to)].neighbours.map { rooms[$0].cells.filter(reached.contains) })
    ways[passage] = way
    return way
  }

  private mutating func weigh(_ belief: inout [Float], _ moment: MarkedWalk.Moment, _ offset: Float) {
    let cells = rooms[Int(moment.room)].cells
    if !normalise(&belief) { belief = prior(moment) }
    for (index, hearing) in moment.hearings.enumerated() {
      let level = RoomModel.whole(hearing.level - offset)
      let key = Table(room: moment.room, hearer: Int16(hearing.hearer), level: Int16(level))
      let table: [Float]
      if let known = tables[key] {
        table = known
      } else {
        table = model.likelihoods(hearing.hearer, level: level, in: cells)
        if size > LikelihoodTables.limit { (tables, size) = ([:], 0) }
        tables[key] = table
        size += table.count
      }
      belief.withUnsafeMutableBufferPointer { belief in
        table.withUnsafeBufferPointer { table in
          for place in belief.indices { belief[place] *= table[place] }
        }
      }
      if index % 4 == 3, !normalise(&belief) { break }
    }
    if !normalise(&belief) { belief = prior(moment) }
  }

  private func normalise(_ belief: inout [Float]) -> Bool {
    belief.withUnsafeMutableBufferPointer { filter.normalise($0) }
  }

  /// The cells of the room that are about one standard deviation of the belief away from its mean, in each
  /// direction.
  private func spread(of belief: [Float], in room: Room) -> [Int] {
    var (x, y, xx, yy, sum) = (0.0, 0.0, 0.0, 0.0, 0.0)
    for (point, share) in zip(room.points, belief) where share > 0 {
      let share = Double(share)
      sum += share
      (x, y) = (x + share * point.x, y + share * point.y)
      (xx, yy) = (xx + share * point.x * point.x, yy + share * point.y * point.y)
    }
    guard sum > 0 else { return [] }
    (x, y) = (x / sum, y / sum)
    let across = max(0, xx / sum - x * x).squareRoot()
    let along = max(0, yy / sum - y * y).squareRoot()
    return [(across, 0), (-across, 0), (0, along), (0, -along)].compactMap { dx, dy in
      nearest(to: Point(x: x + dx, y: y + dy), in: room)
    }
  }

  private func nearest(to point: Point, in room: Room) -> Int? {
    if let cell = model.grid?.cell(at: point, floor: room.floor), model.rooms[cell] == Int16(room.index) {
      return cell
    }
    var (best, least) = (Int?.none, Double.infinity)
    for (place, other) in room.points.enumerated() {
      let (dx, dy) = (other.x - point.x, other.y - point.y)
      let square = dx * dx + dy * dy
      if square < least { (best, least) = (place, square) }
    }
    return best.map { room.cells[$0] }
  }
}
