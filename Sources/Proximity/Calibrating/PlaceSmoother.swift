import Beacons
import Core

/// Estimates where in its room the beacon was at each moment of a walk, from the levels before and after. So it is enough to mark
/// the rooms of a walk.
struct PlaceSmoother {
  private var model: RoomModel
  private var filter = RoomFilter()
  private let prior: [Float]

  /// Maximum number of moments smoothed together. It bounds memory.
  private static let stretch = 1000
  /// A longer pause starts a new stretch. In windows.
  private static let pause = Int64(5 / RoomWindows.length.seconds)

  init(_ model: RoomModel) {
    self.model = model
    prior = model.prior
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
    let count = prior.count
    var forward: [[Float]] = []
    var belief = prior
    for index in moments.indices {
      if index > moments.startIndex { pass(&belief, from: moments[index - 1], to: moments[index]) }
      weigh(&belief, moments[index], offset)
      forward.append(belief)
    }
    var places = [[Int]](repeating: [], count: moments.count)
    var backward = prior
    for (place, index) in zip(places.indices, moments.indices).reversed() {
      var both = backward
      for cell in 0..<count { both[cell] *= forward[place][cell] }
      places[place] = spread(of: both, in: moments[index].room)
      guard place > 0 else { break }
      weigh(&backward, moments[index], offset)
      pass(&backward, from: moments[index - 1], to: moments[index])
    }
    return places
  }

  private mutating func pass(_ belief: inout [Float], from: MarkedWalk.Moment, to: MarkedWalk.Moment) {
    let seconds = Double(to.window - from.window) * RoomWindows.length.seconds
    let (model, prior) = (model, prior)
    var filter = filter
    belief.withUnsafeMutableBufferPointer { filter.move($0, model, prior: prior, seconds: seconds) }
    self.filter = filter
  }

  private mutating func weigh(_ belief: inout [Float], _ moment: MarkedWalk.Moment, _ offset: Float) {
    let tables = moment.hearings.map { model.likelihoods($0.hearer, level: $0.level - offset) }
    let (rooms, prior, filter) = (model.rooms, prior, filter)
    belief.withUnsafeMutableBufferPointer { belief in
      for cell in belief.indices where rooms[cell] != moment.room { belief[cell] = 0 }
      if !filter.normalise(belief) {
        for cell in belief.indices { belief[cell] = rooms[cell] == moment.room ? prior[cell] : 0 }
      }
      for (index, table) in tables.enumerated() {
        filter.weigh(belief, by: table)
        if index % 4 == 3, !filter.normalise(belief) { break }
      }
      if !filter.normalise(belief) {
        for cell in belief.indices { belief[cell] = rooms[cell] == moment.room ? prior[cell] : 0 }
      }
    }
  }

  /// The cells of the room that are a deviation of the belief away from its mean, to each side.
  private func spread(of belief: [Float], in room: Int16) -> [Int] {
    guard let grid = model.grid else { return [] }
    var (x, y, xx, yy, sum) = (0.0, 0.0, 0.0, 0.0, 0.0)
    for run in model.runs where run.room == Int(room) {
      for cell in run.places where belief[cell] > 0 {
        guard let point = grid.place(of: cell)?.point else { continue }
        let share = Double(belief[cell])
        sum += share
        (x, y) = (x + share * point.x, y + share * point.y)
        (xx, yy) = (xx + share * point.x * point.x, yy + share * point.y * point.y)
      }
    }
    guard sum > 0 else { return [] }
    (x, y) = (x / sum, y / sum)
    let across = max(0, xx / sum - x * x).squareRoot()
    let along = max(0, yy / sum - y * y).squareRoot()
    return [(across, 0), (-across, 0), (0, along), (0, -along)].compactMap { dx, dy in
      grid.cell(nearest: Point(x: x + dx, y: y + dy), in: room)
    }
  }
}
