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

  /// The cell of each moment; −1: unknown.
  mutating func places(of moments: [MarkedWalk.Moment], offset: Float) -> [Int] {
    var places: [Int] = []
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
  private mutating func smooth(_ moments: ArraySlice<MarkedWalk.Moment>, _ offset: Float) -> [Int] {
    let count = prior.count
    var forward: [[Float]] = []
    var belief = prior
    for index in moments.indices {
      if index > moments.startIndex { pass(&belief, from: moments[index - 1], to: moments[index]) }
      weigh(&belief, moments[index], offset)
      forward.append(belief)
    }
    var places = [Int](repeating: -1, count: moments.count)
    var backward = prior
    for (place, index) in zip(places.indices, moments.indices).reversed() {
      var both = backward
      for cell in 0..<count { both[cell] *= forward[place][cell] }
      places[place] = middle(of: both, in: moments[index].room) ?? -1
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

  /// The cell of the room nearest to the mean position.
  private func middle(of belief: [Float], in room: Int16) -> Int? {
    guard let grid = model.grid else { return nil }
    var (x, y, sum) = (0.0, 0.0, 0.0)
    for run in model.runs where run.room == Int(room) {
      for cell in run.places where belief[cell] > 0 {
        guard let point = grid.place(of: cell)?.point else { continue }
        let share = Double(belief[cell])
        (x, y, sum) = (x + share * point.x, y + share * point.y, sum + share)
      }
    }
    guard sum > 0 else { return nil }
    return grid.cell(nearest: Point(x: x / sum, y: y / sum), in: room)
  }
}
