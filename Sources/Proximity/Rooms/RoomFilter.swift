import Glibc

/// The belief in where one beacon is: a probability for each place. The three steps of a Bayes filter over them.
struct RoomFilter: Sendable {
  /// Metres by which a beacon strays in a second (standard deviation of a random walk).
  let stride: Double
  /// What may turn up anywhere in a second, as if the beacon had been carried there unheard; with rooms that are just names, how
  /// it changes rooms at all.
  private static let leakOfCells = 0.0003
  private static let leakOfRooms = 0.02
  /// How often a beacon walks from a room with an outline into one next to it, each second: it strays by less than people walk.
  private static let walks = 0.01
  /// After so many steps the belief is spread out anyway.
  private static let stepLimit = 60

  private var scratch: [Float] = []
  /// What comes into each cell of a room from the rooms next to it.
  private var inflow: [Float] = []

  /// In rooms beacons stay for long: half a metre did best on a recorded flat.
  init(stride: Double = 0.5) { self.stride = stride }

  /// Lets time pass.
  ///
  /// - Parameter prior: where the beacon is if it turns up anew.
  mutating func move(
    _ belief: UnsafeMutableBufferPointer<Float>, _ model: RoomModel, prior: [Float], seconds: Double
  ) {
    if let grid = model.grid {
      let exact = seconds / secondsOfStep(grid)
      // Large cells take longer to pass than time went by; a little more than a whole step is a rounding error.
      let steps = max(1, Int(min((exact - 1e-6).rounded(.up), Double(Self.stepLimit))))
      let part = Float(min(exact / Double(steps), 1))
      stray(belief, grid, steps: steps, part)
      walk(belief, model, Float(1 - pow(1 - Self.walks, seconds)))
    }
    let rate = model.grid == nil ? Self.leakOfRooms : Self.leakOfCells
    let leak = Float(1 - pow(1 - rate, seconds))
    for place in 0..<belief.count { belief[place] += leak * (prior[place] - belief[place]) }
  }

  /// In which the belief spreads by one step.
  func secondsOfStep(_ grid: RoomGrid) -> Double {
    2 * grid.edge * grid.edge * Double(RoomGrid.share) / (stride * stride)
  }

  /// A part of each room's belief goes into the rooms next to it, anywhere there.
  private mutating func walk(
    _ belief: UnsafeMutableBufferPointer<Float>, _ model: RoomModel, _ part: Float
  ) {
    let doors = model.access
    guard !doors.neighbours.isEmpty else { return }
    if inflow.count != doors.neighbours.count {
      inflow = [Float](repeating: 0, count: doors.neighbours.count)
    }
    for room in inflow.indices { inflow[room] = 0 }
    for run in model.runs {
      var sum = Float(0)
      for place in run.places { sum += belief[place] }
      let next = doors.neighbours[run.room]
      for other in next { inflow[other] += part * sum / (Float(next.count) * doors.sizes[other]) }
    }
    for run in model.runs {
      let kept = doors.neighbours[run.room].isEmpty ? 1 : 1 - part
      for place in run.places { belief[place] = kept * belief[place] + inflow[run.room] }
    }
  }

  /// Several steps of the motion, each from one buffer into the other: a copy after each would cost as much again.
  private mutating func stray(
    _ belief: UnsafeMutableBufferPointer<Float>, _ grid: RoomGrid, steps: Int, _ part: Float
  ) {
    if scratch.count != belief.count { scratch = [Float](repeating: 0, count: belief.count) }
    scratch.withUnsafeMutableBufferPointer { scratch in
      for step in 0..<steps {
        if step % 2 == 0 {
          Self.step(from: belief, to: scratch, grid, part)
        } else {
          Self.step(from: scratch, to: belief, grid, part)
        }
      }
      if steps % 2 == 1 { _ = belief.update(from: scratch) }
    }
  }

  /// The border is 0 in both.
  private static func step(
    from belief: UnsafeMutableBufferPointer<Float>, to next: UnsafeMutableBufferPointer<Float>,
    _ grid: RoomGrid,
    _ part: Float
  ) {
    let (stride, end) = (grid.stride, belief.count - grid.stride)
    let belief = Lanes(belief)
    let next = Lanes(next)
    grid.right.withUnsafeBufferPointer { right in
      grid.down.withUnsafeBufferPointer { down in
        let (right, down) = (Lanes(right), Lanes(down))
        var start = stride
        while start < end {
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

  /// Weighs the belief by what a receiver says.
  func weigh(_ belief: UnsafeMutableBufferPointer<Float>, by likelihoods: [Float]) {
    likelihoods.withUnsafeBufferPointer { likelihoods in
      for place in 0..<belief.count { belief[place] *= likelihoods[place] }
    }
  }

  /// The same for two receivers: the belief is read and written once for both.
  func weigh(
    _ belief: UnsafeMutableBufferPointer<Float>, by first: [Float], _ second: [Float]
  ) {
    first.withUnsafeBufferPointer { first in
      second.withUnsafeBufferPointer { second in
        for place in 0..<belief.count { belief[place] = belief[place] * first[place] * second[place] }
      }
    }
  }

  /// Brings the sum to 1; false if nothing is left, because what was said contradicts itself.
  func normalise(_ belief: UnsafeMutableBufferPointer<Float>) -> Bool {
    let sum = dot(UnsafeBufferPointer(belief), nil)
    guard sum > 1e-30, sum.isFinite else { return false }
    let factor = 1 / sum
    for place in 0..<belief.count { belief[place] *= factor }
    return true
  }

  /// The mean of a map over the belief.
  func mean(_ belief: UnsafeBufferPointer<Float>, of map: [Float]) -> Float {
    map.withUnsafeBufferPointer { dot(belief, $0) }
  }

  /// Eight sums at a time: one sum would wait for each addition.
  private func dot(_ belief: UnsafeBufferPointer<Float>, _ map: UnsafeBufferPointer<Float>?) -> Float {
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

/// Eight neighbouring numbers of a buffer at a time: the compiler does not find them itself where a number needs its neighbours.
struct Lanes {
  static let count = 8
  private let bytes: UnsafeMutableRawBufferPointer

  init(_ buffer: UnsafeMutableBufferPointer<Float>) { bytes = UnsafeMutableRawBufferPointer(buffer) }

  /// To read from.
  init(_ buffer: UnsafeBufferPointer<Float>) {
    bytes = UnsafeMutableRawBufferPointer(mutating: UnsafeRawBufferPointer(buffer))
  }

  /// From a place to the seventh after it.
  subscript(place: Int) -> SIMD8<Float> {
    get { bytes.loadUnaligned(fromByteOffset: place * MemoryLayout<Float>.stride, as: SIMD8<Float>.self) }
    nonmutating set {
      bytes.storeBytes(of: newValue, toByteOffset: place * MemoryLayout<Float>.stride, as: SIMD8<Float>.self)
    }
  }
}
