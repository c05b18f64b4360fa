import Beacons
import Core
import Glibc
import Synchronization

/// The model of the rooms for the filter: places (cells of the floors, or whole rooms), motion between them, and the probability of
/// each level of each receiver at each place.
struct RoomModel: Sendable {
  /// nil: each place is a room.
  let grid: RoomGrid?
  /// Room of each place; −1: none.
  let rooms: [Int16]
  let roomCount: Int
  let maps: SignalMaps
  /// nil: without outlines.
  private let maker: MapMaker?
  /// Whether levels come from a calibration. If not, only differences between receivers are meaningful.
  let isCalibrated: Bool
  /// By hearer and room: whether the calibration has data of the receiver in the room.
  let isMeasured: [[Bool]]
  /// Ranges of consecutive places of the same room.
  let runs: [Run]
  /// Empty for a model without rooms.
  let access: RoomAccess
  private let tables: LikelihoodTables

  struct Run: Sendable {
    var places: Range<Int>
    var room: Int
  }

  /// Likelihood tables cover levels from −127 to 0 dBm.
  static let lowest = -127
  static let levelCount = 128

  /// - Parameter names: names of the rooms, as in the calibration.
  init(
    _ plan: RoomPlan, _ calibration: RoomCalibration?, rooms names: [String], receivers: [String],
    floors: [String?]
  ) {
    roomCount = plan.rooms.count
    if plan.hasGeometry {
      let grid = RoomGrid(plan)
      self.grid = grid
      rooms = grid.rooms
      let known = Dictionary(
        (calibration?.receivers ?? []).map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
      // A receiver that the calibration does not know hears as the others do on average.
      let powers = zip(plan.hearers, receivers).compactMap { hearer, name in
        known[name].map { $0.power - PathLoss(usual: hearer).power }
      }
      let shift = powers.isEmpty ? 0 : powers.reduce(0, +) / Double(powers.count)
      var maker = MapMaker(
        plan, grid,
        plan.hearers.indices.map { hearer in
          var loss = PathLoss(usual: plan.hearers[hearer])
          loss.power += shift
          loss.wall = calibration?.wallLoss ?? loss.wall
          if receivers.indices.contains(hearer), let fit = known[receivers[hearer]] {
            (loss.power, loss.exponent) = (fit.power, fit.exponent)
          }
          return loss
        })
      if let calibration { maker.learn(calibration, receivers: receivers, floors: floors) }
      maps = SignalMaps(plan.hearers.count) { [maker, roomCount] in maker.map($0, roomCount: roomCount) }
      self.maker = maker
      isCalibrated = !known.isEmpty
    } else {
      grid = nil
      let levels = calibration.flatMap { RoomLevels($0, plan, rooms: names, receivers: receivers) }
      // Nothing shows that a beacon is in a room without receivers, unless it was measured.
      rooms = plan.rooms.enumerated().map { room, settings in
        settings.receivers.isEmpty && levels?.isCovered[room] != true ? -1 : Int16(room)
      }
      maps =
        levels.map { levels in SignalMaps(plan.hearers.count) { SignalMap(levels.densities[$0]) } }
        ?? SignalMaps(namesOf: plan)
      maker = nil
      isCalibrated = levels != nil
    }
    let coverage = isCalibrated ? calibration?.coverage(rooms, names, grid: grid, floors) ?? 0 : 0
    let unmeasured = grid != nil ? Self.temperOfOutlines : Self.temperOfNames
    temper = unmeasured + coverage * (Self.temperOfRooms - unmeasured)
    let (grid, rooms) = (grid, rooms)
    isMeasured = plan.hearers.indices.map { hearer in
      let measured = calibration.flatMap { calibration in
        receivers.indices.contains(hearer)
          ? calibration.rooms(of: receivers[hearer], rooms, names, grid: grid, floors) : nil
      }
      return plan.rooms.indices.map { measured?.contains($0) ?? false }
    }
    runs = Self.runs(rooms)
    access = RoomAccess(plan, grid, rooms)
    tables = LikelihoodTables(rows: 0)
  }

  /// A model of positions only, without rooms.
  init(_ grid: RoomGrid, _ maps: SignalMaps, temper: Float) {
    self.grid = grid
    self.maps = maps
    self.temper = temper
    rooms = grid.rooms
    roomCount = 0
    maker = nil
    isCalibrated = true
    isMeasured = []
    runs = []
    access = RoomAccess()
    tables = LikelihoodTables(rows: maps.count * Self.levelCount)
  }

  var count: Int { rooms.count }

  /// Changes if the expected levels change.
  var fingerprint: UInt64 {
    if let maker { return maker.fingerprint }
    var coder = StateCoder()
    for hearer in 0..<maps.count { for level in maps[hearer].roomLevels { coder.write(level) } }
    return coder.fingerprint
  }

  /// The level at a place where nothing was measured, dBm; nil: without outlines.
  func unmeasuredLevel(_ hearer: Int, at place: Int) -> Float? { maker?.level(hearer, at: place) }

  /// The uniform belief.
  var prior: [Float] {
    let inside = Float(rooms.count { $0 >= 0 })
    return rooms.map { $0 >= 0 ? 1 / inside : 0 }
  }

  /// The likelihood of a level at every place, up to a factor, in a model of positions only.
  func likelihoods(_ hearer: Int, level: Float) -> [Float] {
    // NaN counts as the weakest level.
    let bounded = level > Float(Self.lowest) ? min(level, 0) : Float(Self.lowest)
    let index = Int(bounded.rounded()) - Self.lowest
    return tables.table(hearer * Self.levelCount + index) {
      var misfits = Misfits()
      misfits.begin(count)
      misfits.add(maps[hearer], level: Float(index + Self.lowest))
      var table: [Float] = rooms.map { $0 >= 0 ? 1 : 0 }
      table.withUnsafeMutableBufferPointer { misfits.weigh($0, by: Misfits.exponent * temper) }
      return table
    }
  }

  /// The level that a receiver expects from where a beacon is believed to be.
  func expectedLevel(_ hearer: Int, _ belief: UnsafeBufferPointer<Float>, _ filter: RoomFilter) -> Float {
    filter.mean(belief, of: maps[hearer].levels)
  }

  /// How long a beacon was not heard.
  enum Pause: Int, CaseIterable {
    case none, short, long

    /// - Parameter windows: number of windows since the last one that was judged.
    init(windows: Int64) { self = windows < 3 ? .none : windows < 5 ? .short : .long }
  }

  /// The weight of a level, as an exponent. Errors are correlated in time, so levels of a beacon that is heard constantly count
  /// less than independent ones. If it is heard every second or two, they are nearly independent: on the recorded flat, thinned to
  /// a moment every 2 s, full weight was right 89 % of the time, and less weight 86 %.
  func temper(after pause: Pause) -> Float {
    switch pause {
    case .none: temper
    case .short: (1 + temper) / 2
    case .long: 1
    }
  }

  private let temper: Float
  private static let temperOfRooms: Float = 0.45
  /// Without a calibration, errors are larger and last longer.
  private static let temperOfOutlines: Float = 0.35
  /// Without outlines, levels within a room are unknown, and a beacon often stays in one corner.
  private static let temperOfNames: Float = 0.25
  /// Degrees of freedom of Student's t: outliers are common.
  static let freedom: Float = 5

  private static func runs(_ rooms: [Int16]) -> [Run] {
    var runs: [Run] = []
    for place in rooms.indices where rooms[place] >= 0 {
      if let last = runs.last, last.places.upperBound == place, last.room == Int(rooms[place]) {
        runs[runs.count - 1].places = last.places.lowerBound..<(place + 1)
      } else {
        runs.append(Run(places: place..<(place + 1), room: Int(rooms[place])))
      }
    }
    return runs
  }
}

extension RoomCalibration {
  /// Signal in a room counts half as much as a whole calibration of it from so many seconds on.
  private static var half: Double { 6 }

  /// How much of the rooms was measured, 0 to 1: the mean over the rooms.
  fileprivate func coverage(
    _ rooms: [Int16], _ names: [String], grid: RoomGrid?, _ floors: [String?]
  ) -> Float {
    // A fitted path loss applies to all rooms.
    if grid != nil, samples.isEmpty { return 1 }
    var seconds = [[String: Double]](repeating: [:], count: names.count)
    if let grid {
      for sample in samples {
        let floor = sample.floor.flatMap { name in floors.firstIndex { $0 == name } } ?? 0
        guard let cell = grid.cell(at: Point(x: sample.x, y: sample.y), floor: floor), rooms[cell] >= 0 else {
          continue
        }
        seconds[Int(rooms[cell])][sample.receiver, default: 0] += sample.weight
      }
    } else {
      for histogram in histograms {
        guard let room = names.firstIndex(of: histogram.room) else { continue }
        seconds[room][histogram.receiver, default: 0] +=
          histogram.counts.reduce(0, +) * RoomWindows.length.seconds
      }
    }
    let shares = seconds.map { ($0.values.max() ?? 0) / (($0.values.max() ?? 0) + Self.half) }
    return Float(shares.reduce(0, +) / Double(max(shares.count, 1)))
  }

  /// The rooms in which the receiver has data.
  fileprivate func rooms(
    of receiver: String, _ rooms: [Int16], _ names: [String], grid: RoomGrid?, _ floors: [String?]
  ) -> Set<Int> {
    guard let grid else {
      return Set(
        histograms.lazy.filter { $0.receiver == receiver && $0.counts.contains { $0 > 0 } }
          .compactMap { names.firstIndex(of: $0.room) })
    }
    if samples.isEmpty {
      // A fitted path loss applies to all rooms.
      return receivers.contains { $0.name == receiver } ? Set(names.indices) : []
    }
    return Set(
      samples.lazy.filter { $0.receiver == receiver }.compactMap { sample in
        let floor = sample.floor.flatMap { name in floors.firstIndex { $0 == name } } ?? 0
        return grid.cell(at: Point(x: sample.x, y: sample.y), floor: floor).map { Int(rooms[$0]) }
      })
  }
}

/// A cache of the likelihoods of all places, by hearer and level.
///
/// They depend only on the model, so all copies of a model share one cache: a worker of a fleet has a copy for each partition.
final class LikelihoodTables: Sendable {
  /// Maximum size of all tables, in numbers.
  private static let limit = 8 << 20

  private struct Tables {
    var rows: [[Float]]
    var count = 0
  }

  private let tables: Mutex<Tables>

  /// - Parameter rows: maximum number of tables.
  init(rows: Int) { tables = Mutex(Tables(rows: [[Float]](repeating: [], count: rows))) }

  /// - Parameter make: computes the table. It must always give the same result for the same row.
  func table(_ row: Int, _ make: () -> [Float]) -> [Float] {
    tables.withLock { tables in
      if !tables.rows[row].isEmpty { return tables.rows[row] }
      let table = make()
      if (tables.count + 1) * table.count > Self.limit {
        for row in tables.rows.indices { tables.rows[row] = [] }
        tables.count = 0
      }
      tables.rows[row] = table
      tables.count += 1
      return table
    }
  }
}

/// The receivers in each room, and which rooms are adjacent.
struct RoomAccess: Sendable {
  /// By room: the hearers in it; may be empty.
  private(set) var residents: [HearerSet] = []
  /// By room: the rooms that a beacon can move to directly; empty without outlines.
  private(set) var neighbours: [[Int]] = []
  /// By room: number of its places.
  private(set) var sizes: [Float] = []

  init() {}

  /// - Parameter rooms: the room of each place; −1: none.
  init(_ plan: RoomPlan, _ grid: RoomGrid?, _ rooms: [Int16]) {
    residents = plan.rooms.map { room in
      HearerSet(plan.hearers.indices.filter { room.receivers.contains(plan.hearers[$0].receiver) })
    }
    sizes = [Float](repeating: 0, count: plan.rooms.count)
    for room in rooms where room >= 0 { sizes[Int(room)] += 1 }
    guard let grid else { return }
    for (hearer, place) in plan.places.enumerated() {
      guard let place, !residents.contains(where: { $0.contains(hearer) }),
        let cell = grid.cell(at: Point(x: place.position.x, y: place.position.y), floor: place.floor),
        rooms[cell] >= 0
      else { continue }
      residents[Int(rooms[cell])].insert(hearer)
    }
    var next = [Set<Int>](repeating: [], count: plan.rooms.count)
    for cell in rooms.indices where rooms[cell] >= 0 {
      for (other, share) in [(cell + 1, grid.right[cell]), (cell + grid.stride, grid.down[cell])]
      where share > 0 && rooms[other] != rooms[cell] {
        next[Int(rooms[cell])].insert(Int(rooms[other]))
        next[Int(rooms[other])].insert(Int(rooms[cell]))
      }
    }
    neighbours = next.map { $0.sorted() }
  }
}
