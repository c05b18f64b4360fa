import Beacons
import Glibc
import Synchronization

/// The expected level of each receiver at each place, and its standard deviation.
///
/// A map is made when its receiver hears something for the first time. To make all of them at the start would delay it by a second
/// on a large site. All copies share the maps.
final class SignalMaps: Sendable {
  /// Number of receivers.
  let count: Int
  private let make: @Sendable (Int) -> SignalMap
  private let made: Mutex<[SignalMap?]>

  /// Path-loss exponent and wall loss (dB) without a calibration. They fit data of two homes and an office to about a decibel
  /// (fitted exponents 1.3 to 2, 4 to 6 dB a wall). A receiver's power cancels out against the beacon's learnt strength.
  static let usualExponent = 1.6
  static let usualWall = 4.5
  /// Loss of one ceiling in a house at 2.4 GHz, dB (ITU-R P.1238: 10 to 15 dB).
  static let usualFloor = 13.0
  static let usualDeviation: Float = 7
  /// Without outlines: loss to a beacon in another room relative to one in the receiver's own room, dB.
  static let otherRoom = 16.0
  private static let otherRoomDeviation: Float = 6

  /// - Parameter make: makes the map of a receiver; always the same.
  init(_ count: Int, _ make: @escaping @Sendable (Int) -> SignalMap) {
    self.count = count
    self.make = make
    made = Mutex([SignalMap?](repeating: nil, count: count))
  }

  subscript(hearer: Int) -> SignalMap {
    made.withLock { made in
      if let map = made[hearer] { return map }
      let map = make(hearer)
      made[hearer] = map
      return map
    }
  }

  /// Maps of rooms without outlines.
  convenience init(namesOf plan: RoomPlan) {
    self.init(plan.hearers.count) { hearer in
      let receiver = plan.hearers[hearer].receiver
      let isHome = plan.rooms.map { $0.receivers.contains(receiver) }
      let gain = Float(plan.hearers[hearer].gain)
      // A receiver in none of the rooms gives no information.
      let levels =
        isHome.contains(true) ? isHome.map { gain - ($0 ? 0 : Float(Self.otherRoom)) } : isHome.map { _ in 0 }
      return SignalMap(levels, rooms: levels, deviation: Self.otherRoomDeviation)
    }
  }
}

/// The map of one receiver.
final class SignalMap: Sendable {
  /// By place, in whole lanes: the expected level, dBm.
  let levels: [Float]
  /// By room: the mean over its places.
  let roomLevels: [Float]
  let spread: Spread

  /// The likelihood of an error e in dB is `(base + slope · e²)` to a power that is the same for all receivers; see `Misfits`.
  enum Spread: Sendable {
    case everywhere(base: Float, slope: Float)
    case byPlace(bases: [Float], slopes: [Float])
    /// By level, then place: the base.
    case counted([Float])
  }

  init(_ levels: [Float], rooms: [Float], deviation: Float) {
    self.levels = Lanes.padded(levels, with: 0)
    roomLevels = rooms
    let spread = Self.spread(of: deviation)
    self.spread = .everywhere(base: spread.base, slope: spread.slope)
  }

  init(_ levels: [Float], rooms: [Float], deviations: [Float]) {
    self.levels = Lanes.padded(levels, with: 0)
    roomLevels = rooms
    let spreads = Lanes.padded(deviations, with: 1).map(Self.spread)
    spread = .byPlace(bases: spreads.map(\.base), slopes: spreads.map(\.slope))
  }

  /// - Parameter densities: of each level in each room, as counted there.
  init(_ densities: [[Float]]) {
    roomLevels = densities.map(RoomLevels.mean)
    levels = Lanes.padded(roomLevels, with: 0)
    let width = levels.count
    var bases = [Float](repeating: 1, count: RoomModel.levelCount * width)
    for (room, density) in densities.enumerated() {
      for (level, share) in density.enumerated() {
        bases[level * width + room] = pow(share, 1 / Misfits.exponent)
      }
    }
    spread = .counted(bases)
  }

  private static func spread(of deviation: Float) -> (base: Float, slope: Float) {
    let base = pow(deviation, -1 / Misfits.exponent)
    return (base, base / (RoomModel.freedom * deviation * deviation))
  }
}

/// Makes maps of rooms with outlines: path loss, corrected by measured samples.
struct MapMaker: Sendable {
  let plan: RoomPlan
  let grid: RoomGrid
  /// By hearer.
  let losses: [PathLoss]
  let deviations: [Float]
  private let places: [(position: Position, floor: Int)?]
  /// By hearer.
  private var samples: [[Sample]]
  private var reach = Self.reach

  private struct Sample {
    var place: (point: Point, floor: Int)
    var cell: Int
    var level: Double
    var spread: Double
    var weight: Double
  }

  /// Kernel width of a sample, metres, and the weight of the path-loss model, seconds of signal.
  private static let reach = 0.5
  private static let doubt = 1.7
  private static let deviationBounds: ClosedRange<Double> = 2.5...10
  private static let measuredDeviation = 6.0

  /// - Parameters:
  ///   - losses: path loss by hearer.
  ///   - deviations: standard deviation by hearer, dB; nil: the usual one.
  init(_ plan: RoomPlan, _ grid: RoomGrid, _ losses: [PathLoss], deviations: [Float]? = nil) {
    (self.plan, self.grid, self.losses) = (plan, grid, losses)
    self.deviations = deviations ?? losses.map { _ in SignalMaps.usualDeviation }
    places = plan.places
    samples = losses.map { _ in [] }
  }

  /// Corrects the maps with measured samples.
  ///
  /// - Parameters:
  ///   - receivers: names by hearer; nil: not in the calibration.
  ///   - floors: names, by floor.
  ///   - reach: kernel width of a sample, metres.
  mutating func learn(
    _ calibration: RoomCalibration, receivers: [String?], floors: [String?], reach: Double = Self.reach
  ) {
    self.reach = reach
    var hearers: [String: [Int]] = [:]
    for (hearer, name) in receivers.enumerated() where samples.indices.contains(hearer) {
      if let name { hearers[name, default: []].append(hearer) }
    }
    for sample in calibration.samples {
      let floor = sample.floor.flatMap { name in floors.firstIndex { $0 == name } } ?? 0
      guard let cell = grid.cell(at: Point(x: sample.x, y: sample.y), floor: floor),
        let place = grid.place(of: cell)
      else { continue }
      for hearer in hearers[sample.receiver] ?? [] {
        samples[hearer].append(
          Sample(place: place, cell: cell, level: sample.level, spread: sample.spread, weight: sample.weight))
      }
    }
  }

  /// The level at a cell, dBm, without samples.
  func level(_ hearer: Int, at cell: Int) -> Float {
    guard let place = places[hearer], grid.rooms[cell] >= 0 else { return Float(losses[hearer].power) }
    return Float(losses[hearer].level(PathGeometry(from: place, to: cell, plan, grid)))
  }

  /// - Parameter roomCount: further rooms are the surroundings.
  func map(_ hearer: Int, roomCount: Int) -> SignalMap {
    let base = (0..<grid.count).map { level(hearer, at: $0) }
    guard !samples[hearer].isEmpty else {
      return SignalMap(base, rooms: means(base, roomCount), deviation: deviations[hearer])
    }
    var (levels, spreads) = (base, [Float](repeating: deviations[hearer], count: grid.count))
    let points = samples[hearer].map { (sample: $0, residual: $0.level - Double(base[$0.cell])) }
    for cell in 0..<grid.count where grid.rooms[cell] >= 0 {
      guard let place = grid.place(of: cell) else { continue }
      var (weight, sum, squares) = (Self.doubt, 0.0, 0.0)
      for (sample, residual) in points where sample.place.floor == place.floor {
        let (dx, dy) = (sample.place.point.x - place.point.x, sample.place.point.y - place.point.y)
        let square = dx * dx + dy * dy
        guard square < 9 * reach * reach else { continue }
        let share = exp(-square / (2 * reach * reach)) * min(sample.weight, 2)
        weight += share
        sum += share * residual
        squares += share * (sample.spread * sample.spread + residual * residual)
      }
      let mean = sum / weight
      let variance =
        (squares + Self.doubt * Self.measuredDeviation * Self.measuredDeviation) / weight - mean * mean
      levels[cell] = base[cell] + Float(mean)
      let bounds = Self.deviationBounds
      spreads[cell] = Float(min(max(max(variance, 0).squareRoot(), bounds.lowerBound), bounds.upperBound))
    }
    return SignalMap(levels, rooms: means(levels, roomCount), deviations: spreads)
  }

  private func means(_ levels: [Float], _ roomCount: Int) -> [Float] {
    var sums = [Float](repeating: 0, count: roomCount)
    var counts = sums
    for place in grid.rooms.indices {
      let room = Int(grid.rooms[place])
      guard sums.indices.contains(room) else { continue }
      sums[room] += levels[place]
      counts[room] += 1
    }
    return zip(sums, counts).map { $1 > 0 ? $0 / $1 : -100 }
  }

  /// Changes if the expected levels change.
  var fingerprint: UInt64 {
    var coder = StateCoder()
    for index in grid.rooms.indices {
      coder.write(grid.rooms[index])
      coder.write(grid.right[index])
      coder.write(grid.down[index])
    }
    coder.write(grid.edge)
    for height in plan.floorHeights { coder.write(height) }
    for (loss, place) in zip(losses, places) {
      for number in [loss.power, loss.exponent, loss.wall] { coder.write(number) }
      guard let place else { continue }
      for number in [place.position.x, place.position.y, place.position.z] { coder.write(number) }
      coder.write(Int64(place.floor))
    }
    for door in plan.doors {
      for number in [door.from.x, door.from.y, door.to.x, door.to.y] { coder.write(number) }
    }
    for samples in samples {
      coder.write(Int64(samples.count))
      for sample in samples {
        coder.write(Int64(sample.cell))
        for number in [sample.level, sample.spread, sample.weight] { coder.write(number) }
      }
    }
    return coder.fingerprint
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
    guard let place = grid.place(of: cell) else {
      (distance, walls, floors) = (1, 0, 0)
      return
    }
    let (dx, dy) = (place.point.x - receiver.position.x, place.point.y - receiver.position.y)
    let height =
      plan.floorHeights[receiver.floor] + receiver.position.z - plan.floorHeights[place.floor]
      - Position.beaconHeight
    distance = max((dx * dx + dy * dy + height * height).squareRoot(), Self.closest)
    floors = abs(receiver.floor - place.floor)
    let start = Point(x: receiver.position.x, y: receiver.position.y)
    walls = floors == 0 ? grid.walls(from: start, to: cell, plan.doors) : 0
  }
}
