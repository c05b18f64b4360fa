import Core
import Glibc

/// How probable it is that a receiver hears a beacon in a window in which any receiver does, by place. So the
/// silence of a receiver is evidence of the place, too. A calibration learns it.
///
/// In simulated homes at the limit of reception, rooms were right a third more often with it.
struct Hearability: Sendable {
  /// By hearer, then place: the log odds; empty: unknown.
  private let odds: [[Float]]
  private let tables: LikelihoodTables

  /// Seconds of signal that the expectation counts as.
  private static let doubt = 3.0
  /// Kernel width of a place, metres.
  private static let reach = 1.0
  /// A beacon that is stronger by this many dB has log odds greater by 1.
  private static let slope = 8.0
  /// The share of windows in which a receiver hears a beacon that it cannot hear, or does not hear one beside it.
  private static let chance: Float = 0.02
  /// The weight of the fact that a receiver hears the beacon. Below 1, because the level already contains a
  /// part of it.
  private static let heard: Float = 0.8
  /// Bounds of a beacon's strength, dB. It is rounded to whole numbers.
  private static let shifts = -20...20

  /// nil: the calibration does not say how long the walk was at each place.
  init?(
    _ calibration: RoomCalibration, _ maps: SignalMaps, _ grid: RoomGrid?, rooms: [String],
    receivers: [String], floors: [String?]
  ) {
    guard !calibration.visits.isEmpty else { return nil }
    let shares =
      grid.map { Self.shares(calibration, maps, $0, receivers: receivers, floors: floors) }
      ?? Self.shares(calibration, rooms: rooms, receivers: receivers)
    guard shares.contains(where: { !$0.isEmpty }) else { return nil }
    odds = shares.map { $0.map { Float(log($0 / (1 - $0))) } }
    tables = LikelihoodTables(rows: 2 * RoomModel.Pause.allCases.count * odds.count * Self.shifts.count)
  }

  /// Without outlines. In a room without visits each receiver is expected to hear the beacon as often as on the whole walk.
  private static func shares(_ calibration: RoomCalibration, rooms: [String], receivers: [String])
    -> [[Double]]
  {
    let places = Dictionary(rooms.enumerated().map { ($1, $0) }, uniquingKeysWith: { first, _ in first })
    var seconds = [Double](repeating: 0, count: rooms.count)
    for visit in calibration.visits {
      if let room = visit.room.flatMap({ places[$0] }) { seconds[room] += visit.weight }
    }
    return receivers.map { name in
      var heard = [Double](repeating: 0, count: rooms.count)
      for histogram in calibration.histograms where histogram.receiver == name {
        guard let room = places[histogram.room] else { continue }
        heard[room] += histogram.counts.reduce(0, +) * RoomWindows.length.seconds
      }
      // Rooms that an earlier calibration knew may have no visits.
      for room in rooms.indices { heard[room] = min(heard[room], seconds[room]) }
      let (sum, all) = (heard.reduce(0, +), seconds.reduce(0, +))
      guard sum > 0, all > 0 else { return [] }
      return rooms.indices.map { share(heard[$0], of: seconds[$0], expected: min(sum / all, 1)) }
    }
  }

  /// With outlines. What is expected follows from the level of the maps.
  private static func shares(
    _ calibration: RoomCalibration, _ maps: SignalMaps, _ grid: RoomGrid, receivers: [String],
    floors: [String?]
  ) -> [[Double]] {
    func cell(_ floor: String?, _ x: Double, _ y: Double) -> Int? {
      let floor = floor.flatMap { name in floors.firstIndex { $0 == name } } ?? 0
      return grid.cell(at: Point(x: x, y: y), floor: floor)
    }
    var seconds: [Int: Double] = [:]
    for visit in calibration.visits where visit.room == nil {
      if let cell = cell(visit.floor, visit.x, visit.y) { seconds[cell, default: 0] += visit.weight }
    }
    let names = Dictionary(receivers.enumerated().map { ($1, $0) }, uniquingKeysWith: { first, _ in first })
    var heard = receivers.map { _ in [Int: Double]() }
    for sample in calibration.samples {
      guard let hearer = names[sample.receiver], let cell = cell(sample.floor, sample.x, sample.y) else {
        continue
      }
      heard[hearer][cell, default: 0] += sample.weight
    }
    let visits = seconds.sorted { $0.key < $1.key }.map { cell, seconds in
      Visit(cell: cell, seconds: seconds, heard: heard.map { min($0[cell] ?? 0, seconds) })
    }
    let visitsOfRooms = Dictionary(grouping: visits) { grid.rooms[$0.cell] }
    let thresholds = receivers.indices.map { threshold(visits, of: $0, maps.levels[$0]) }
    var shares = thresholds.map { [Double](repeating: 0.5, count: $0 == nil ? 0 : grid.count) }
    for place in 0..<grid.count where grid.rooms[place] >= 0 {
      var (all, hits) = (0.0, receivers.map { _ in 0.0 })
      for visit in visitsOfRooms[grid.rooms[place], default: []] {
        guard let near = nearness(of: visit.cell, to: place, grid) else { continue }
        all += near * visit.seconds
        for hearer in hits.indices { hits[hearer] += near * visit.heard[hearer] }
      }
      for (hearer, threshold) in thresholds.enumerated() {
        guard let threshold else { continue }
        shares[hearer][place] = share(
          hits[hearer], of: all, expected: expected(maps.levels[hearer][place], threshold))
      }
    }
    return shares
  }

  private struct Visit {
    var cell: Int
    var seconds: Double
    /// By hearer.
    var heard: [Double]
  }

  private static func share(_ heard: Double, of seconds: Double, expected: Double) -> Double {
    let share = (min(heard, seconds) + doubt * expected) / (seconds + doubt)
    return min(max(share, 0.001), 0.999)
  }

  private static func expected(_ level: Float, _ threshold: Double) -> Double {
    1 / (1 + exp((threshold - Double(level)) / slope))
  }

  /// How much a visit counts at another place; nil: not at all.
  private static func nearness(of cell: Int, to place: Int, _ grid: RoomGrid) -> Double? {
    guard let there = grid.place(of: cell), let here = grid.place(of: place) else { return nil }
    let (dx, dy) = (there.point.x - here.point.x, there.point.y - here.point.y)
    let square = dx * dx + dy * dy
    return square < 9 * reach * reach ? exp(-square / (2 * reach * reach)) : nil
  }

  /// The level on the map at which the receiver hears the beacon in half of the windows; nil: it heard nothing.
  private static func threshold(_ visits: [Visit], of hearer: Int, _ level: [Float]) -> Double? {
    let heard = visits.reduce(0) { $0 + $1.heard[hearer] }
    guard heard > 0 else { return nil }
    var bounds = (-150.0, 50.0)
    for _ in 0..<20 {
      let middle = (bounds.0 + bounds.1) / 2
      let sum = visits.reduce(0) { $0 + $1.seconds * expected(level[$1.cell], middle) }
      if sum > heard { bounds.0 = middle } else { bounds.1 = middle }
    }
    return bounds.0
  }

  /// By place: the likelihood that a receiver heard the beacon in a window, or that it did not, up to a
  /// factor; nil: unknown.
  ///
  /// - Parameter shift: how much more strongly than in the calibration the receiver hears the beacon, dB.
  func likelihoods(_ hearing: Presence, shift: Float, after pause: RoomModel.Pause) -> [Float]? {
    let odds = odds[hearing.hearer]
    guard !odds.isEmpty else { return nil }
    let (weakest, strongest) = (Self.shifts.lowerBound, Self.shifts.upperBound)
    // NaN counts as the weakest.
    let bounded = shift > Float(weakest) ? min(shift, Float(strongest)) : Float(weakest)
    let index = Int(bounded.rounded())
    let row = ((hearing.isHeard ? 1 : 0) * RoomModel.Pause.allCases.count + pause.rawValue) * self.odds.count
    return tables.table((row + hearing.hearer) * Self.shifts.count + index - weakest) {
      let weight = Self.weight(after: pause) * (hearing.isHeard ? Self.heard : 1)
      let logs = odds.map { odds in
        let share = 1 / (1 + exp(-odds - Float(index) / Float(Self.slope)))
        return weight * log(Self.chance + (1 - 2 * Self.chance) * (hearing.isHeard ? share : 1 - share))
      }
      let most = logs.max() ?? 0
      return logs.map { exp($0 - most) }
    }
  }

  /// Silences last: a body in the way stays there for many windows.
  private static func weight(after pause: RoomModel.Pause) -> Float {
    switch pause {
    case .none, .doubtful: 0.1
    case .short: 0.3
    case .long: 0.5
    }
  }

  /// Whether a receiver heard the beacon in a window.
  struct Presence {
    var hearer: Int
    var isHeard: Bool
    /// The receiver's gain, dB.
    var gain: Float
  }
}
