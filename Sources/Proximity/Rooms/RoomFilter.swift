import Glibc

/// The three steps of a Bayes filter for the belief of one beacon: a probability for each place.
struct RoomFilter: Sendable {
  /// Motion of a beacon in one second, metres (standard deviation of a random walk).
  let stride: Double
  /// Probability per second that the beacon appears anywhere, as if carried there unheard. Without outlines, this is the only way
  /// to change rooms.
  private static let leakOfCells = 0.0003
  private static let leakOfRooms = 0.02
  /// Probability per second that a beacon moves into an adjacent room (with outlines). The random walk alone is slower than people
  /// walk.
  private static let walks = 0.01
  /// Maximum number of steps. After that many, the belief is spread out anyway.
  private static let stepLimit = 60

  private var scratch: [Float] = []
  private var joint = JointLikelihood()
  /// Probability that flows into each cell of a room from adjacent rooms.
  private var inflow: [Float] = []
  /// Probability of each room.
  private var shares: [Float] = []

  /// Beacons stay long in rooms. Half a metre was best on a recorded flat.
  init(stride: Double = 0.5) { self.stride = stride }

  /// The motion during some seconds.
  struct Motion {
    /// Number of steps, and the part of a whole one that each is.
    var steps: Int
    var part: Float
    /// The share that moves into adjacent rooms, and that which appears anywhere.
    var walking: Float
    var leak: Float
  }

  func motion(_ grid: RoomGrid?, seconds: Double) -> Motion {
    let leak = Float(1 - pow(1 - (grid == nil ? Self.leakOfRooms : Self.leakOfCells), seconds))
    guard let grid else { return Motion(steps: 0, part: 0, walking: 0, leak: leak) }
    let exact = seconds / secondsOfStep(grid)
    // Large cells need a partial step. The tolerance absorbs rounding errors just above a whole step.
    let steps = max(1, Int(min((exact - 1e-6).rounded(.up), Double(Self.stepLimit))))
    return Motion(
      steps: steps, part: Float(min(exact / Double(steps), 1)),
      walking: Float(1 - pow(1 - Self.walks, seconds)), leak: leak)
  }

  /// Applies the motion model.
  ///
  /// - Parameter prior: see `Appearance`.
  mutating func move(
    _ belief: UnsafeMutableBufferPointer<Float>, _ model: RoomModel, prior: [Float], seconds: Double
  ) {
    let motion = motion(model.grid, seconds: seconds)
    if let grid = model.grid {
      if scratch.count != belief.count { scratch = [Float](repeating: 0, count: belief.count) }
      scratch.withUnsafeMutableBufferPointer {
        Self.stray(belief, $0, grid, motion, in: CollectionOfOne(grid.stride..<(belief.count - grid.stride)))
      }
    }
    let leak = motion.leak
    guard !model.access.neighbours.isEmpty else {
      for place in belief.indices { belief[place] += leak * (prior[place] - belief[place]) }
      return
    }
    sumInflow(belief, model, motion.walking)
    for run in model.runs {
      let kept = model.access.neighbours[run.room].isEmpty ? 1 : 1 - motion.walking
      let (inflow, prior) = (inflow[run.room], prior[run.room])
      for place in run.places {
        let share = kept * belief[place] + inflow
        belief[place] = share + leak * (prior - share)
      }
    }
  }

  /// Duration of one motion step, seconds.
  func secondsOfStep(_ grid: RoomGrid) -> Double {
    2 * grid.edge * grid.edge * Double(RoomGrid.share) / (stride * stride)
  }

  /// A part of each room's belief moves into the adjacent rooms, spread evenly there.
  private mutating func sumInflow(
    _ belief: UnsafeMutableBufferPointer<Float>, _ model: RoomModel, _ part: Float
  ) {
    let doors = model.access
    if inflow.count != doors.neighbours.count {
      inflow = [Float](repeating: 0, count: doors.neighbours.count)
      shares = inflow
    }
    for room in inflow.indices { (inflow[room], shares[room]) = (0, 0) }
    for run in model.runs { shares[run.room] += Self.sum(UnsafeBufferPointer(belief), run.places) }
    for (room, next) in doors.neighbours.enumerated() {
      for other in next {
        inflow[other] += part * shares[room] / (Float(next.count) * doors.sizes[other])
      }
    }
  }

  /// Applies the motion's steps, alternating between two buffers. Copying after each step would double the cost.
  ///
  /// - Parameter ranges: the cells that it may reach, by row or together. Beyond them both buffers are 0.
  static func stray(
    _ belief: UnsafeMutableBufferPointer<Float>, _ scratch: UnsafeMutableBufferPointer<Float>,
    _ grid: RoomGrid, _ motion: Motion, in ranges: some Collection<Range<Int>>
  ) {
    for step in 0..<motion.steps {
      if step % 2 == 0 {
        Self.step(from: belief, to: scratch, grid, motion.part, in: ranges)
      } else {
        Self.step(from: scratch, to: belief, grid, motion.part, in: ranges)
      }
    }
    guard motion.steps % 2 == 1 else { return }
    for cells in ranges { _ = belief.extracting(cells).update(fromContentsOf: scratch.extracting(cells)) }
  }

  /// One motion step. Both buffers are 0 on the border.
  private static func step(
    from belief: UnsafeMutableBufferPointer<Float>, to next: UnsafeMutableBufferPointer<Float>,
    _ grid: RoomGrid, _ part: Float, in ranges: some Collection<Range<Int>>
  ) {
    let (stride, end) = (grid.stride, belief.count - grid.stride)
    let belief = Lanes(belief)
    let next = Lanes(next)
    grid.right.withUnsafeBufferPointer { right in
      grid.down.withUnsafeBufferPointer { down in
        let (right, down) = (Lanes(right), Lanes(down))
        for cells in ranges {
          var start = cells.lowerBound
          while start < cells.upperBound {
            let place = min(start, end - Lanes.count)
            let here = belief[place]
            let along =
              right[place] * (belief[place + 1] - here) + right[place - 1] * (belief[place - 1] - here)
            let across = down[place] * (belief[place + stride] - here)
            let back = down[place - stride] * (belief[place - stride] - here)
            next[place] = here + part * (along + across + back)
            start += Lanes.count
          }
        }
      }
    }
  }

  /// The probability of some places.
  static func sum(_ belief: UnsafeBufferPointer<Float>, _ places: Range<Int>) -> Float {
    dot(UnsafeBufferPointer(rebasing: belief[places]), nil)
  }

  /// Multiplies the belief by the likelihoods of all receivers' levels; with outlines only.
  mutating func weigh(
    _ belief: UnsafeMutableBufferPointer<Float>, by levels: [(hearer: Int, level: Float, temper: Float)],
    _ model: RoomModel
  ) {
    joint.weigh(belief, by: levels, model)
  }

  /// Multiplies the belief by a receiver's likelihoods.
  func weigh(_ belief: UnsafeMutableBufferPointer<Float>, by likelihoods: [Float]) {
    likelihoods.withUnsafeBufferPointer { likelihoods in
      for place in 0..<belief.count { belief[place] *= likelihoods[place] }
    }
  }

  /// The same for two receivers in one pass over the belief.
  func weigh(
    _ belief: UnsafeMutableBufferPointer<Float>, by first: [Float], _ second: [Float]
  ) {
    first.withUnsafeBufferPointer { first in
      second.withUnsafeBufferPointer { second in
        for place in 0..<belief.count { belief[place] = belief[place] * first[place] * second[place] }
      }
    }
  }

  /// Normalises the sum to 1; false if it is 0 or not finite.
  func normalise(_ belief: UnsafeMutableBufferPointer<Float>) -> Bool {
    let sum = Self.dot(UnsafeBufferPointer(belief), nil)
    guard sum > 1e-30, sum.isFinite else { return false }
    let factor = 1 / sum
    for place in 0..<belief.count { belief[place] *= factor }
    return true
  }

  /// The mean of a map over the belief.
  func mean(_ belief: UnsafeBufferPointer<Float>, of map: [Float]) -> Float {
    map.withUnsafeBufferPointer { Self.dot(belief, $0) }
  }

  /// Uses eight partial sums, so that additions need not wait for each other.
  private static func dot(_ belief: UnsafeBufferPointer<Float>, _ map: UnsafeBufferPointer<Float>?) -> Float {
    var sums = SIMD8<Float>.zero
    let whole = belief.count & ~7
    let (lanes, mapped) = (Lanes(belief), map.map { Lanes($0) })
    for place in Swift.stride(from: 0, to: whole, by: Lanes.count) {
      sums += mapped.map { lanes[place] * $0[place] } ?? lanes[place]
    }
    var sum = sums.sum()
    for place in whole..<belief.count { sum += belief[place] * (map?[place] ?? 1) }
    return sum
  }
}

/// The probability of the places for a beacon that has just appeared: it is probably in a room with a receiver that hears it, or in a room without a working
/// receiver. Here a receiver that does not hear the beacon counts even if it may have failed. It never moves a beacon out of its
/// room; see `Hearability` for what does. Without outlines, a beacon cannot appear in a blind room.
struct Appearance: Sendable {
  /// By room: the probability of each of its places; with `NearbyRooms`, by place.
  private(set) var prior: [Float] = []
  private var hearers = HearerSet()
  private var blind = HearerSet()
  private var elsewhere = HearerSet()
  private var isUniform = true

  /// Share of the probability that is spread over all rooms.
  private static let anywhere: Float = 0.01

  /// - Parameters:
  ///   - hearers: receivers that hear the beacon.
  ///   - blind: receivers that are blind.
  ///   - elsewhere: receivers that were moved since the plan was made.
  ///   - nearby: the places of its belief; nil: those of the model.
  mutating func update(
    _ model: RoomModel, hearers: HearerSet, blind: HearerSet, elsewhere: HearerSet, nearby: NearbyRooms?
  ) {
    if let nearby { return update(nearby) }
    guard isUniform || hearers != self.hearers || blind != self.blind || elsewhere != self.elsewhere else {
      return
    }
    (self.hearers, self.blind, self.elsewhere, isUniform) = (hearers, blind, elsewhere, false)
    let access = model.access
    let all = access.sizes.reduce(0, +)
    let isLikely = access.sizes.indices.map { self.isLikely($0, model) }
    let likely = access.sizes.indices.reduce(Float(0)) { $0 + (isLikely[$1] ? access.sizes[$1] : 0) }
    let (rest, share) = Self.densities(likely: likely, all: all)
    prior.removeAll(keepingCapacity: true)
    for (isLikely, size) in zip(isLikely, access.sizes) {
      prior.append(size == 0 ? 0 : rest + (likely > 0 && isLikely ? share : 0))
    }
  }

  /// The belief of a beacon that has just appeared.
  func fill(_ belief: UnsafeMutableBufferPointer<Float>, _ model: RoomModel) {
    guard model.grid != nil else {
      for place in belief.indices { belief[place] = prior[place] }
      return
    }
    belief.update(repeating: 0)
    for run in model.runs { belief[run.places].update(repeating: prior[run.room]) }
  }

  private mutating func update(_ nearby: NearbyRooms) {
    let likely = Float(nearby.isHeard.count { $0 })
    let (rest, share) = Self.densities(likely: likely, all: Float(nearby.rooms.count) + nearby.otherCount)
    prior.removeAll(keepingCapacity: true)
    for isHeard in nearby.isHeard { prior.append(rest + (isHeard ? share : 0)) }
    prior.append(rest * nearby.otherCount)
  }

  /// The probability of each place, and what is added to it in likely rooms.
  private static func densities(likely: Float, all: Float) -> (rest: Float, share: Float) {
    likely > 0 ? (anywhere / max(all, 1), (1 - anywhere) / likely) : (1 / max(all, 1), 0)
  }

  private func isLikely(_ room: Int, _ model: RoomModel) -> Bool {
    let residents = model.access.residents[room].subtracting(elsewhere)
    let seeing = residents.subtracting(blind)
    return seeing.isEmpty ? model.grid != nil || residents.isEmpty : !seeing.intersection(hearers).isEmpty
  }
}

/// How well the levels of all receivers together fit each cell.
///
/// Most factors of a cell have the same exponent, so they are multiplied first, and the power is taken once. A table for each
/// receiver and level would be 150 MB for 64 receivers, and making it took most of the time.
struct JointLikelihood: Sendable {
  /// By cell: the logarithm of the likelihood so far, and the factors that are not in it.
  private var logs: [Float] = []
  private var products: [Float] = []

  /// More factors could overflow.
  private static let group = 8

  /// Multiplies the belief by the likelihoods of levels. The caller normalises it afterwards.
  ///
  /// - Parameter level: the level at each receiver, converted to a beacon of the maps' strength, and its
  ///   weight as an exponent.
  mutating func weigh(
    _ belief: UnsafeMutableBufferPointer<Float>, by levels: [(hearer: Int, level: Float, temper: Float)],
    _ model: RoomModel
  ) {
    let count = belief.count
    if logs.count != count {
      (logs, products) = ([Float](repeating: 0, count: count), Array(repeating: 1, count: count))
    }
    logs.withUnsafeMutableBufferPointer { logs in
      products.withUnsafeMutableBufferPointer { products in
        logs.update(repeating: 0)
        var factors = 0
        for (index, level) in levels.enumerated() {
          model.multiply(products, byFactorOf: level.hearer, level: level.level)
          factors += 1
          let isLast = index + 1 == levels.count || levels[index + 1].temper != level.temper
          guard isLast || factors == Self.group else { continue }
          factors = 0
          products.transform { $0.logarithm }
          let exponent = -(RoomModel.freedom + 1) / 2 * level.temper
          for place in 0..<count { logs[place] += exponent * products[place] }
          products.update(repeating: 1)
        }
        logs.exponentiate(most: logs.most(where: belief))
        for place in 0..<count { belief[place] *= logs[place] }
      }
    }
  }
}
