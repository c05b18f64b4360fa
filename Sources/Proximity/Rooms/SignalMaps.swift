import Glibc

/// The expected level of each receiver at each place, and its standard deviation.
struct SignalMaps: Sendable {
  /// By hearer, then place.
  var levels: [[Float]]
  var deviations: [[Float]]

  /// Path-loss exponent and wall loss (dB) without a calibration. They fit data of two homes and an office to about a decibel
  /// (fitted exponents 1.3 to 2, 4 to 6 dB a wall). A receiver's power cancels out against the beacon's learnt strength.
  static let usualExponent = 1.6
  static let usualWall = 4.5
  /// Loss of one ceiling in a house at 2.4 GHz, dB (ITU-R P.1238: 10 to 15 dB).
  static let usualFloor = 13.0
  static let usualDeviation: Float = 7
  /// Without outlines: loss to a beacon in another room relative to one in the receiver's own room, dB.
  static let otherRoom = 16.0
  static let otherRoomDeviation: Float = 6

  /// How far a sample counts, metres: the width of its kernel.
  static let reach = 0.5
  /// How many seconds of signal the path-loss model counts as.
  static let doubt = 1.7
  private static let deviationBounds: ClosedRange<Double> = 2.5...10
  private static let measuredDeviation = 6.0

  /// No maps.
  init() { (levels, deviations) = ([], []) }

  /// Maps of rooms without outlines.
  init(namesOf plan: RoomPlan) {
    levels = plan.hearers.map { hearer in
      plan.rooms.map {
        Float(hearer.gain) - ($0.receivers.contains(hearer.receiver) ? 0 : Float(Self.otherRoom))
      }
    }
    deviations = levels.map { $0.map { _ in Self.otherRoomDeviation } }
    for (index, hearer) in plan.hearers.enumerated()
    where !plan.rooms.contains(where: { $0.receivers.contains(hearer.receiver) }) {
      // A receiver in none of the rooms gives no information.
      levels[index] = plan.rooms.map { _ in 0 }
    }
  }

  /// - Parameters:
  ///   - loss: path loss by hearer.
  ///   - deviation: standard deviation by hearer, dB.
  init(
    _ plan: RoomPlan, _ paths: SitePaths, deviation: (Int) -> Float = { _ in SignalMaps.usualDeviation },
    loss: (Int) -> PathLoss
  ) {
    levels = []
    deviations = []
    let grid = paths.grid
    for hearer in plan.hearers.indices {
      let loss = loss(hearer)
      levels.append(
        (0..<grid.count).map { cell in
          guard grid.rooms[cell] >= 0, let path = paths.path(from: hearer, to: cell) else {
            return Float(loss.power)
          }
          return Float(loss.level(path))
        })
      deviations.append([Float](repeating: deviation(hearer), count: grid.count))
    }
  }

  /// Corrects the maps with measured samples.
  ///
  /// - Parameters:
  ///   - receivers: names by hearer; nil: not in the calibration.
  ///   - floors: names, by floor.
  ///   - reach: kernel width of a sample, metres.
  mutating func learn(
    _ calibration: RoomCalibration, receivers: [String?], floors: [String?], _ grid: RoomGrid,
    reach: Double = SignalMaps.reach
  ) {
    for (hearer, name) in receivers.enumerated() where levels.indices.contains(hearer) {
      let samples = calibration.samples.filter { $0.receiver == name }.compactMap { sample in
        let floor = sample.floor.flatMap { name in floors.firstIndex { $0 == name } } ?? 0
        return grid.cell(at: Point(x: sample.x, y: sample.y), floor: floor).map {
          (cell: $0, level: sample.level, spread: sample.spread, weight: sample.weight)
        }
      }
      if !samples.isEmpty { learn(hearer, samples, grid, reach: reach) }
    }
  }

  private struct ResidualSum {
    var weight: Double
    var sum = 0.0
    var squares = 0.0
  }

  /// Corrects the map of one receiver: path loss plus the mean residual of nearby samples.
  private mutating func learn(
    _ hearer: Int, _ samples: [(cell: Int, level: Double, spread: Double, weight: Double)], _ grid: RoomGrid,
    reach: Double
  ) {
    let base = levels[hearer]
    var sums = [ResidualSum](repeating: ResidualSum(weight: Self.doubt), count: grid.count)
    for sample in samples {
      guard let here = grid.place(of: sample.cell) else { continue }
      let residual = sample.level - Double(base[sample.cell])
      let (row, column) = sample.cell.quotientAndRemainder(dividingBy: grid.stride)
      for cell in grid.box(
        rows: row...row, columns: column...column, wider: Int((3 * reach / grid.edge).rounded(.up))
      ).joined() {
        guard let place = grid.place(of: cell), place.floor == here.floor else { continue }
        let (dx, dy) = (here.point.x - place.point.x, here.point.y - place.point.y)
        let square = dx * dx + dy * dy
        guard square < 9 * reach * reach else { continue }
        let share = exp(-square / (2 * reach * reach)) * min(sample.weight, 2)
        sums[cell].weight += share
        sums[cell].sum += share * residual
        sums[cell].squares += share * (sample.spread * sample.spread + residual * residual)
      }
    }
    for cell in 0..<grid.count where grid.rooms[cell] >= 0 {
      let (weight, sum, squares) = (sums[cell].weight, sums[cell].sum, sums[cell].squares)
      let mean = sum / weight
      let variance =
        (squares + Self.doubt * Self.measuredDeviation * Self.measuredDeviation) / weight - mean * mean
      levels[hearer][cell] = base[cell] + Float(mean)
      let bounds = Self.deviationBounds
      deviations[hearer][cell] = Float(
        min(max(max(variance, 0).squareRoot(), bounds.lowerBound), bounds.upperBound))
    }
  }
}

/// `level = power − 10 · exponent · log10(distance) − wall · walls − floor · floors`, in dBm.
struct PathLoss: Hashable, Sendable {
  var power: Double
  var exponent: Double
  var wall: Double

  init(power: Double, exponent: Double, wall: Double) {
    self.power = power
    self.exponent = exponent
    self.wall = wall
  }

  /// What is known of a receiver before anything was measured.
  init(usual hearer: RoomPlan.Hearer) {
    self.init(
      power: Calibration.defaultMeasuredPower + hearer.gain,
      exponent: hearer.exponent ?? SignalMaps.usualExponent, wall: SignalMaps.usualWall)
  }

  func level(_ path: PathGeometry) -> Double {
    power - 10 * exponent * log10(path.distance) - wall * path.walls
      - SignalMaps.usualFloor * Double(path.floors)
  }
}

/// What lies between a receiver and a cell.
struct PathGeometry: Hashable, Sendable {
  /// Metres.
  var distance: Double
  /// Number of walls; fractional near doors.
  var walls: Double
  var floors: Int

  /// Minimum distance of the model, metres.
  private static let closest = 0.3

  init(distance: Double, walls: Double, floors: Int = 0) {
    (self.distance, self.walls, self.floors) = (distance, walls, floors)
  }

  init(from receiver: (position: Position, floor: Int), to cell: Int, _ plan: RoomPlan, _ grid: RoomGrid) {
    guard let place = grid.place(of: cell), let metres = Self.distance(from: receiver, to: cell, plan, grid)
    else {
      (distance, walls, floors) = (1, 0, 0)
      return
    }
    distance = metres
    floors = abs(receiver.floor - place.floor)
    let start = Point(x: receiver.position.x, y: receiver.position.y)
    walls = floors == 0 ? grid.walls(from: start, to: cell, plan.doors) : 0
  }

  /// nil: it is a cell of the border.
  static func distance(
    from receiver: (position: Position, floor: Int), to cell: Int, _ plan: RoomPlan, _ grid: RoomGrid
  ) -> Double? {
    guard let place = grid.place(of: cell) else { return nil }
    let (dx, dy) = (place.point.x - receiver.position.x, place.point.y - receiver.position.y)
    let height =
      plan.floorHeights[receiver.floor] + receiver.position.z - plan.floorHeights[place.floor]
      - Position.beaconHeight
    return max((dx * dx + dy * dy + height * height).squareRoot(), closest)
  }
}

/// The cells of a plan, and what lies between each receiver and each cell.
struct SitePaths: Sendable {
  let grid: RoomGrid
  private let plan: RoomPlan
  private let places: [(position: Position, floor: Int)?]
  /// By hearer, then cell; empty: paths are computed on demand.
  private var known: [[PathGeometry]] = []

  init(_ plan: RoomPlan, _ grid: RoomGrid) { (self.plan, self.grid, places) = (plan, grid, plan.places) }

  init(_ plan: RoomPlan) { self.init(plan, RoomGrid(plan)) }

  /// The same with all paths computed once: a calibration makes dozens of models of one plan.
  static func kept(of plan: RoomPlan) -> SitePaths {
    var paths = SitePaths(plan)
    paths.known = plan.hearers.indices.map { hearer in
      paths.places[hearer] == nil
        ? [] : (0..<paths.grid.count).compactMap { paths.path(from: hearer, to: $0) }
    }
    return paths
  }

  /// nil: the receiver's position is unknown.
  func path(from hearer: Int, to cell: Int) -> PathGeometry? {
    guard let place = places[hearer] else { return nil }
    return known.isEmpty ? PathGeometry(from: place, to: cell, plan, grid) : known[hearer][cell]
  }
}
