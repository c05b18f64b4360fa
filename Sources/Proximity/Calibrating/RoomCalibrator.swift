import Beacons
import Core
import Glibc

/// Makes a calibration from a marked walk. With outlines, it fits the path loss of each receiver and the loss of walls, then maps
/// the residual signal by place. If only rooms were marked, it alternates between estimating places and fitting. Without outlines,
/// it counts how often each receiver hears each level in each room.
public struct RoomCalibrator: Sendable {
  let plan: RoomPlan
  let names: Names
  /// nil without outlines.
  let paths: SitePaths?

  /// Names by index, as used in calibrations.
  public struct Names: Sendable {
    public var rooms: [String]
    /// In the order of `RoomPlan.hearers`.
    public var receivers: [String]
    public var floors: [String?]

    public init(rooms: [String], receivers: [String], floors: [String?] = []) {
      self.rooms = rooms
      self.receivers = receivers
      self.floors = floors
    }
  }

  /// The parts of a calibration to make.
  public enum Parts: CaseIterable, Sendable {
    /// Power and exponent of each receiver, and the loss of walls.
    case pathLoss
    /// Signal maps too; without outlines, histograms of the levels in each room.
    case all
  }

  /// Rounds of estimating places and fitting. The first two use no maps, because maps would confirm wrong places.
  private static let rounds = 4
  private static let roundsWithoutMaps = 2

  public init(_ plan: RoomPlan, names: Names) {
    self.plan = plan
    self.names = names
    paths = plan.hasGeometry ? .kept(of: plan) : nil
  }

  /// nil: no beacon was heard while a room was marked.
  public func calibration(from walk: MarkedWalk, _ parts: Parts = .all) -> RoomCalibration? {
    guard !walk.moments.isEmpty else { return nil }
    guard let paths else {
      return RoomCalibration(
        wallLoss: SignalMaps.usualWall, histograms: histograms(walk), visits: visits(walk))
    }
    var places = firstPlaces(walk, paths.grid)
    let isPlaced = walk.moments.allSatisfy { $0.point != nil }
    var calibration = fit(walk, places, paths, parts)
    for round in 1..<(isPlaced ? 1 : Self.rounds) {
      let model = RoomModel(
        plan, calibration, rooms: names.rooms, receivers: names.receivers, floors: names.floors, paths: paths,
        silenceCounts: false)
      var smoother = PlaceSmoother(model)
      let guesses = smoother.places(of: walk.moments, offset: 0)
      for (index, moment) in walk.moments.enumerated() where moment.point == nil {
        places[index] = guesses[index]
      }
      calibration = fit(walk, places, paths, round < Self.roundsWithoutMaps ? .pathLoss : parts)
    }
    return calibration
  }

  /// Completes a calibration with what an earlier one knows of rooms that the walk left out.
  ///
  /// - Parameter rooms: the rooms that the walk covered.
  /// - Returns: the calibration, and the rooms that were completed.
  public func complete(_ calibration: RoomCalibration, with earlier: RoomCalibration, covered rooms: Set<Int>)
    -> (calibration: RoomCalibration, kept: Set<Int>)
  {
    var (calibration, kept) = (calibration, Set<Int>())
    // Another beacon may be stronger.
    let shift = calibration.measuredPower.flatMap { power in earlier.measuredPower.map { power - $0 } } ?? 0
    func keeps(_ room: Int) -> Bool {
      guard plan.rooms.indices.contains(room), !rooms.contains(room) else { return false }
      kept.insert(room)
      return true
    }
    if let grid = paths?.grid {
      for var sample in earlier.samples where names.receivers.contains(sample.receiver) {
        let floor = sample.floor.flatMap { name in names.floors.firstIndex { $0 == name } } ?? 0
        guard let cell = grid.cell(at: Point(x: sample.x, y: sample.y), floor: floor),
          keeps(Int(grid.rooms[cell]))
        else { continue }
        sample.level += shift
        calibration.samples.append(sample)
      }
      for visit in earlier.visits {
        let floor = visit.floor.flatMap { name in names.floors.firstIndex { $0 == name } } ?? 0
        guard visit.room == nil, let cell = grid.cell(at: Point(x: visit.x, y: visit.y), floor: floor),
          keeps(Int(grid.rooms[cell]))
        else { continue }
        calibration.visits.append(visit)
      }
      let known = Set(calibration.receivers.map(\.name))
      let needed = Set(calibration.samples.map(\.receiver)).subtracting(known)
      for var receiver in earlier.receivers where needed.contains(receiver.name) {
        receiver.power += shift
        calibration.receivers.append(receiver)
      }
    } else {
      for var histogram in earlier.histograms {
        guard names.receivers.contains(histogram.receiver),
          let room = names.rooms.firstIndex(of: histogram.room), keeps(room)
        else { continue }
        histogram.lowest = min(max(histogram.lowest + Int(shift.rounded()), RoomModel.lowest), 20)
        calibration.histograms.append(histogram)
      }
      for visit in earlier.visits {
        guard let room = visit.room.flatMap(names.rooms.firstIndex), keeps(room) else { continue }
        calibration.visits.append(visit)
      }
    }
    return (calibration, kept)
  }

  /// The marked points, else the middles of the rooms, by moment.
  private func firstPlaces(_ walk: MarkedWalk, _ grid: RoomGrid) -> [[Int]] {
    let middles = plan.rooms.indices.map { room in
      grid.cell(nearest: Outline(plan.rooms[room].outline).centroid, in: Int16(room))
    }
    return walk.moments.map { moment in
      if let point = moment.point { return [grid.cell(nearest: point, in: moment.room)].compactMap { $0 } }
      return middles.indices.contains(Int(moment.room)) ? [middles[Int(moment.room)]].compactMap { $0 } : []
    }
  }

  /// Statistics of the levels of one receiver at one place.
  private struct Pile {
    var count = 0.0
    var sum = 0.0
    var squares = 0.0

    mutating func add(_ level: Double, _ share: Double) {
      count += share
      sum += share * level
      squares += share * level * level
    }
  }

  private func fit(
    _ walk: MarkedWalk, _ places: [[Int]], _ paths: SitePaths, _ parts: Parts
  ) -> RoomCalibration {
    let grid = paths.grid
    var piles = [Pile](repeating: Pile(), count: plan.hearers.count * grid.count)
    var visited = [Double](repeating: 0, count: grid.count)
    for (moment, places) in zip(walk.moments, places) {
      let share = 1 / Double(max(places.count, 1))
      for place in places {
        visited[place] += share
        for hearing in moment.hearings {
          let level = Double(hearing.level)
          piles[hearing.hearer * grid.count + place].add(level, share)
        }
      }
    }
    let keys = piles.indices.filter { piles[$0].count > 0 }
    // Each place counts once, no matter how long the walk stayed there.
    let points = keys.compactMap { key -> PathLossFit.Point? in
      let (hearer, cell) = key.quotientAndRemainder(dividingBy: grid.count)
      guard let path = paths.path(from: hearer, to: cell) else { return nil }
      return PathLossFit.Point(hearer: hearer, path: path, level: piles[key].sum / piles[key].count)
    }
    let losses = PathLossFit(points, usual: plan.hearers.map { PathLoss(usual: $0) }).losses
    let heard = Set(keys.map { $0 / grid.count })
    var (samples, visits) = ([RoomCalibration.Sample](), [RoomCalibration.Visit]())
    if parts == .all {
      samples = keys.compactMap { sample($0, piles[$0], grid) }
      visits = visited.indices.filter { visited[$0] > 0 }.compactMap { visit($0, visited[$0], grid) }
    }
    return RoomCalibration(
      receivers: plan.hearers.indices.filter(heard.contains).map {
        .init(name: names.receivers[$0], power: losses[$0].power, exponent: losses[$0].exponent)
      }, wallLoss: losses.first?.wall ?? SignalMaps.usualWall, samples: samples, visits: visits)
  }

  private func sample(_ key: Int, _ pile: Pile, _ grid: RoomGrid) -> RoomCalibration.Sample? {
    let (hearer, cell) = key.quotientAndRemainder(dividingBy: grid.count)
    guard let place = grid.place(of: cell) else { return nil }
    let mean = pile.sum / pile.count
    return RoomCalibration.Sample(
      receiver: names.receivers[hearer], floor: floorName(place.floor), x: place.point.x, y: place.point.y,
      level: mean,
      spread: max(0, pile.squares / pile.count - mean * mean).squareRoot(),
      weight: pile.count * RoomWindows.length.seconds)
  }

  private func floorName(_ floor: Int) -> String? {
    names.floors.indices.contains(floor) ? names.floors[floor] : nil
  }

  private func visit(_ cell: Int, _ count: Double, _ grid: RoomGrid) -> RoomCalibration.Visit? {
    grid.place(of: cell).map { place in
      RoomCalibration.Visit(
        floor: floorName(place.floor), x: place.point.x, y: place.point.y,
        weight: count * RoomWindows.length.seconds)
    }
  }

  private func visits(_ walk: MarkedWalk) -> [RoomCalibration.Visit] {
    names.rooms.indices.compactMap { room in
      let count = walk.moments.count { Int($0.room) == room }
      guard count > 0 else { return nil }
      return RoomCalibration.Visit(
        room: names.rooms[room], weight: Double(count) * RoomWindows.length.seconds)
    }
  }

  private func histograms(_ walk: MarkedWalk) -> [RoomCalibration.Histogram] {
    var counts: [[Double]] = []
    let rooms = names.rooms.count
    let size = 128
    for _ in 0..<(plan.hearers.count * rooms) { counts.append([Double](repeating: 0, count: size)) }
    for moment in walk.moments {
      for hearing in moment.hearings {
        let level = min(max(Int(hearing.level.rounded()) - RoomModel.lowest, 0), size - 1)
        counts[hearing.hearer * rooms + Int(moment.room)][level] += 1
      }
    }
    return counts.indices.compactMap { index in
      guard let first = counts[index].firstIndex(where: { $0 > 0 }),
        let last = counts[index].lastIndex(where: { $0 > 0 })
      else { return nil }
      return RoomCalibration.Histogram(
        receiver: names.receivers[index / rooms], room: names.rooms[index % rooms],
        lowest: RoomModel.lowest + first, counts: Array(counts[index][first...last]))
    }
  }
}
