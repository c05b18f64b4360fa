import Beacons
import Core
import Glibc
import Synchronization

/// The model of the rooms for the filter: places (cells of the floors, or whole rooms), motion between them, and the probability of
/// each level of each receiver at each place.
///
/// A class, because each window of each beacon copied it.
final class RoomModel: Sendable {
  /// nil: each place is a room.
  let grid: RoomGrid?
  /// Room of each place; −1: none.
  let rooms: [Int16]
  let roomCount: Int
  let maps: SignalMaps
  /// Counts of levels by hearer and room; they replace the maps where they are not empty.
  private let histograms: [[[Float]]]
  /// Whether levels come from a calibration. If not, only differences between receivers are meaningful.
  let isCalibrated: Bool
  /// The expected level by hearer and room: the mean over its places.
  let roomLevels: [[Float]]
  /// By hearer and room: whether the calibration has data of the receiver in the room.
  let isMeasured: [[Bool]]
  /// By hearer, then place: see `multiply`; empty: the deviation is the same everywhere, so it does not
  /// distinguish between places.
  private let roots: [[Float]]
  /// The level and the rooms of each hearer, in place of maps; empty: there are maps.
  private let hearers: [NamedHearer]
  /// Ranges of consecutive places of the same room.
  let runs: [Run]
  /// Empty for a model without rooms.
  let access: RoomAccess
  /// Number of rooms in which a beacon can be.
  let possibleRooms: Int
  private let tables: LikelihoodTables
  /// nil: unknown, so a receiver's silence says nothing.
  let hearability: Hearability?

  /// A receiver among many rooms without outlines. It expects one level in all of its own rooms, and another
  /// in all others.
  private struct NamedHearer {
    var gain: Float
    var rooms: [Int32]

    /// A receiver in none of the rooms gives no information.
    func level(in room: Int32) -> Float {
      if rooms.isEmpty { return 0 }
      return rooms.contains(room) ? gain : gain - Float(SignalMaps.otherRoom)
    }
  }

  /// From this many rooms without outlines on, a belief uses `NearbyRooms`.
  private static let many = 64

  var keepsNearby: Bool { !hearers.isEmpty }

  struct Run: Sendable {
    var places: Range<Int>
    var room: Int
  }

  /// Likelihood tables cover levels from −127 to 0 dBm.
  static let lowest = -127
  static let levelCount = 128

  /// - Parameters:
  ///   - names: names of the rooms, as in the calibration.
  ///   - paths: of the plan, if they are known.
  ///   - silenceCounts: whether a receiver's silence may say anything.
  init(
    _ plan: RoomPlan, _ calibration: RoomCalibration?, rooms names: [String], receivers: [String],
    floors: [String?], paths: SitePaths? = nil, silenceCounts: Bool = true
  ) {
    roomCount = plan.rooms.count
    var histograms: [[[Float]]] = plan.hearers.map { _ in [] }
    var named: [NamedHearer] = []
    if plan.hasGeometry {
      let paths = paths ?? SitePaths(plan)
      let grid = paths.grid
      self.grid = grid
      rooms = grid.rooms
      let known = Dictionary(
        (calibration?.receivers ?? []).map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
      // A receiver that the calibration does not know hears as the others do on average.
      let powers = zip(plan.hearers, receivers).compactMap { hearer, name in
        known[name].map { $0.power - PathLoss(usual: hearer).power }
      }
      let shift = powers.isEmpty ? 0 : powers.reduce(0, +) / Double(powers.count)
      var maps = SignalMaps(plan, paths) { hearer in
        var loss = PathLoss(usual: plan.hearers[hearer])
        loss.power += shift
        loss.wall = calibration?.wallLoss ?? loss.wall
        if receivers.indices.contains(hearer), let fit = known[receivers[hearer]] {
          (loss.power, loss.exponent) = (fit.power, fit.exponent)
        }
        return loss
      }
      if let calibration { maps.learn(calibration, receivers: receivers, floors: floors, grid) }
      self.maps = maps
      isCalibrated = !known.isEmpty
    } else {
      grid = nil
      let levels = calibration.flatMap { RoomLevels($0, plan, rooms: names, receivers: receivers) }
      // A room without receivers cannot be recognised, unless it was measured.
      rooms = plan.rooms.enumerated().map { room, settings in
        settings.receivers.isEmpty && levels?.isCovered[room] != true ? -1 : Int16(room)
      }
      if levels == nil, plan.rooms.count >= RoomModel.many {
        named = zip(plan.hearers, plan.homes).map { hearer, rooms in
          NamedHearer(gain: Float(hearer.gain), rooms: rooms.map(Int32.init))
        }
      }
      maps = named.isEmpty ? SignalMaps(namesOf: plan) : SignalMaps()
      if let levels { histograms = levels.densities }
      isCalibrated = levels != nil
    }
    hearers = named
    self.histograms = histograms
    roots = RoomModel.roots(maps)
    let coverage = isCalibrated ? calibration?.coverage(rooms, names, grid: grid, floors) ?? 0 : 0
    let unmeasured = grid != nil ? RoomModel.temperOfOutlines : RoomModel.temperOfNames
    temper = unmeasured + coverage * (RoomModel.temperOfRooms - unmeasured)
    let (grid, rooms, maps, roomCount) = (grid, rooms, maps, roomCount)
    roomLevels = maps.levels.indices.map { hearer in
      if !histograms[hearer].isEmpty { return histograms[hearer].map(RoomLevels.mean) }
      var sums = [Float](repeating: 0, count: roomCount)
      var counts = sums
      for place in rooms.indices where rooms[place] >= 0 {
        sums[Int(rooms[place])] += maps.levels[hearer][place]
        counts[Int(rooms[place])] += 1
      }
      return zip(sums, counts).map { $1 > 0 ? $0 / $1 : -100 }
    }
    isMeasured =
      !isCalibrated
      ? []
      : plan.hearers.indices.map { hearer in
        let measured = calibration.flatMap { calibration in
          receivers.indices.contains(hearer)
            ? calibration.rooms(of: receivers[hearer], rooms, names, grid: grid, floors) : nil
        }
        return plan.rooms.indices.map { measured?.contains($0) ?? false }
      }
    runs = RoomModel.runs(rooms)
    access = RoomAccess(plan, grid, rooms)
    possibleRooms = access.sizes.count { $0 > 0 }
    tables = LikelihoodTables(rows: Pause.allCases.count * maps.levels.count * RoomModel.levelCount)
    hearability =
      isCalibrated && silenceCounts
      ? calibration.flatMap {
        Hearability($0, maps, grid, rooms: names, receivers: receivers, floors: floors)
      } : nil
  }

  /// A model of positions only, without rooms.
  init(_ grid: RoomGrid, _ maps: SignalMaps, temper: Float) {
    self.grid = grid
    self.maps = maps
    self.temper = temper
    rooms = grid.rooms
    roomCount = 0
    roots = RoomModel.roots(maps)
    histograms = maps.levels.map { _ in [] }
    isCalibrated = true
    roomLevels = []
    isMeasured = []
    hearers = []
    runs = []
    access = RoomAccess()
    possibleRooms = 0
    hearability = nil
    tables = LikelihoodTables(rows: Pause.allCases.count * maps.levels.count * RoomModel.levelCount)
  }

  var count: Int { rooms.count }
  /// Changes if the expected levels change.
  var fingerprint: UInt64 {
    var coder = StateCoder()
    for levels in roomLevels { for level in levels { coder.write(level) } }
    for hearer in hearers {
      coder.write(hearer.gain)
      coder.write(hearer.rooms)
    }
    return coder.fingerprint
  }

  /// The uniform belief.
  var prior: [Float] {
    let inside = Float(rooms.count { $0 >= 0 })
    return rooms.map { $0 >= 0 ? 1 / inside : 0 }
  }

  /// The likelihood of a level at every place, up to a factor.
  ///
  /// - Parameter nearby: the places; nil: those of the model.
  func likelihoods(
    _ hearer: Int, level: Float, after pause: Pause = .none, at nearby: NearbyRooms? = nil
  ) -> [Float] {
    let index = Int(Self.whole(level)) - Self.lowest
    if let nearby { return likelihoods(hearer, Float(index + Self.lowest), temper(after: pause), at: nearby) }
    let table = (pause.rawValue * maps.levels.count + hearer) * Self.levelCount + index
    return tables.table(table) { make(hearer, Float(index + Self.lowest), temper(after: pause)) }
  }

  /// There are only two different values. One logarithm for each place would cost more than everything else.
  private func likelihoods(_ hearer: Int, _ level: Float, _ temper: Float, at nearby: NearbyRooms) -> [Float]
  {
    let rooms = hearers[hearer].rooms
    if rooms.isEmpty { return [Float](repeating: 1, count: nearby.count) }
    let gain = hearers[hearer].gain
    let own = temper * Self.logLikelihood(level - gain, SignalMaps.otherRoomDeviation)
    let other =
      temper * Self.logLikelihood(level - gain + Float(SignalMaps.otherRoom), SignalMaps.otherRoomDeviation)
    let most = max(own, other)
    var likelihoods = [Float](repeating: exp(other - most), count: nearby.count)
    for room in rooms { if let place = nearby.place(of: Int(room)) { likelihoods[place] = exp(own - most) } }
    return likelihoods
  }

  /// The level that a receiver is expected to have, averaged over where the beacon may be.
  func expectedLevel(
    _ hearer: Int, _ belief: UnsafeBufferPointer<Float>, _ filter: RoomFilter, at nearby: NearbyRooms?
  ) -> Float {
    filter.mean(belief, of: nearby.map { levels(hearer, at: $0) } ?? expectedLevels(hearer))
  }

  /// The expected level at a receiver, by place of the model.
  func expectedLevels(_ hearer: Int) -> [Float] {
    histograms[hearer].isEmpty ? maps.levels[hearer] : roomLevels[hearer]
  }

  /// The expected level at a receiver for a room.
  func level(_ hearer: Int, in room: Int) -> Float {
    keepsNearby ? hearers[hearer].level(in: Int32(room)) : roomLevels[hearer][room]
  }

  /// The levels of the maps, by place.
  func levels(_ hearer: Int, at nearby: NearbyRooms?) -> [Float] {
    guard let nearby else { return maps.levels[hearer] }
    return nearby.rooms.map { hearers[hearer].level(in: $0) } + [hearers[hearer].level(in: -1)]
  }

  func deviations(_ hearer: Int, at nearby: NearbyRooms?) -> [Float] {
    nearby.map { [Float](repeating: SignalMaps.otherRoomDeviation, count: $0.count) }
      ?? maps.deviations[hearer]
  }

  /// The rooms of a receiver; only with `keepsNearby`.
  func rooms(of hearer: Int) -> [Int32] { hearers[hearer].rooms }

  /// For how long a beacon was not heard.
  enum Pause: Int, CaseIterable {
    case none, short, long
    /// The level comes from a receiver that has been silent since.
    case doubtful

    /// About half of the weight for such a level. With all of it, a receiver that fell silent would hold beacons that have left.
    var doubted: Pause {
      switch self {
      case .none, .doubtful: .doubtful
      case .short: .none
      case .long: .short
      }
    }

    /// - Parameter last: the last window that was judged; nil: none was.
    init(from last: Int64?, to window: Int64) {
      let windows = last.map { window - $0 } ?? 1
      self = windows < 3 ? .none : windows < 5 ? .short : .long
    }
  }

  /// The weight of a level, as an exponent. Errors are correlated in time, so levels of a beacon that is heard constantly count
  /// less than independent ones. If it is heard every second or two, they are nearly independent: on the recorded flat, thinned to
  /// a moment every 2 s, full weight was right 89 % of the time, and less weight 86 %.
  func temper(after pause: Pause) -> Float {
    switch pause {
    case .none: temper
    case .short: (1 + temper) / 2
    case .long: 1
    case .doubtful: temper / 2
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

  /// The log-likelihood of an error in dB, without temper and up to a constant.
  private static func logLikelihood(_ error: Float, _ deviation: Float) -> Float {
    let z = error / deviation
    return -(freedom + 1) / 2 * log1p(z * z / freedom) - log(deviation)
  }

  private static func roots(_ maps: SignalMaps) -> [[Float]] {
    maps.deviations.map { deviations in
      deviations.allSatisfy { $0 == deviations.first } ? [] : deviations.map { pow($0, 2 / (freedom + 1)) }
    }
  }

  /// Whether the tables for all levels that occur fit into the cache. If not, computing is faster than
  /// replacing tables again and again.
  var hasTables: Bool { grid == nil || maps.levels.count * count <= LikelihoodTables.limit / Self.levelCount }

  /// A level as used by the tables: a whole number within their bounds.
  static func whole(_ level: Float) -> Float {
    // NaN counts as the weakest level.
    (level > Float(lowest) ? min(level, 0) : Float(lowest)).rounded()
  }

  /// Multiplies `products` by a factor for each place. The logarithm of the factor, times `-(freedom + 1) /
  /// 2`, is the log-likelihood of the level: the factor is 1 + z² / `freedom`, times a power of the
  /// deviation.
  func multiply(_ products: UnsafeMutableBufferPointer<Float>, byFactorOf hearer: Int, level: Float) {
    maps.levels[hearer].withUnsafeBufferPointer { levels in
      maps.deviations[hearer].withUnsafeBufferPointer { deviations in
        roots[hearer].withUnsafeBufferPointer { roots in
          if roots.isEmpty {
            let scale = 1 / (deviations[0] * deviations[0] * Self.freedom)
            for place in products.indices {
              let error = level - levels[place]
              products[place] *= 1 + error * error * scale
            }
          } else {
            for place in products.indices {
              let z = (level - levels[place]) / deviations[place]
              products[place] *= (1 + z * z * (1 / Self.freedom)) * roots[place]
            }
          }
        }
      }
    }
  }

  private func make(_ hearer: Int, _ level: Float, _ temper: Float) -> [Float] {
    guard histograms[hearer].isEmpty else {
      var logs = [Float](repeating: -.infinity, count: count)
      for place in rooms.indices where rooms[place] >= 0 {
        logs[place] = temper * log(histograms[hearer][place][Int(level) - Self.lowest])
      }
      let most = logs.max() ?? 0
      return logs.map { exp($0 - most) }
    }
    var logs = logLikelihoods(hearer, level, temper, maps.levels[hearer], maps.deviations[hearer])
    logs.withUnsafeMutableBufferPointer { logs in
      var most = -Float.infinity
      for place in logs.indices where rooms[place] >= 0 { most = max(most, logs[place]) }
      logs.exponentiate(most: most)
      for place in logs.indices where rooms[place] < 0 { logs[place] = 0 }
    }
    return logs
  }

  /// The likelihood of a level in some cells, up to a factor.
  func likelihoods(_ hearer: Int, level: Float, in cells: [Int]) -> [Float] {
    let (levels, deviations) = (maps.levels[hearer], maps.deviations[hearer])
    var logs = logLikelihoods(
      hearer, Self.whole(level), temper, cells.map { levels[$0] }, cells.map { deviations[$0] })
    let most = logs.max() ?? 0
    logs.withUnsafeMutableBufferPointer { $0.exponentiate(most: most) }
    return logs
  }

  /// The logarithm of the likelihood of a level, up to a constant, where `levels` are expected.
  private func logLikelihoods(
    _ hearer: Int, _ level: Float, _ temper: Float, _ levels: [Float], _ deviations: [Float]
  ) -> [Float] {
    var (logs, scales) = (levels, deviations)
    logs.withUnsafeMutableBufferPointer { logs in
      scales.withUnsafeMutableBufferPointer { scales in
        for place in logs.indices {
          let z = (level - logs[place]) / scales[place]
          logs[place] = 1 + z * z / Self.freedom
        }
        logs.transform { $0.logarithm }
        // A factor that is the same everywhere does not distinguish between places.
        if !roots[hearer].isEmpty { scales.transform { $0.logarithm } }
        for place in logs.indices {
          logs[place] = temper * (-(Self.freedom + 1) / 2 * logs[place] - scales[place])
        }
      }
    }
    return logs
  }

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
  /// A room with this many seconds of signal counts as half calibrated.
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

/// A cache of the likelihoods of all places, by pause, hearer and level.
///
/// They depend only on the model, so all copies of a model share one cache: a worker of a fleet has a copy for each partition.
final class LikelihoodTables: Sendable {
  /// Maximum size of all tables, in numbers.
  static let limit = 8 << 20

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
    residents = plan.rooms.map { _ in HearerSet() }
    for (hearer, rooms) in plan.homes.enumerated() { for room in rooms { residents[room].insert(hearer) } }
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
