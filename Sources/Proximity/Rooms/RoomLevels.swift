import Glibc

/// The density of the levels of each receiver in each room, from a calibration without outlines.
///
/// Each density joins the levels that were counted on the walk with those that are expected there, from the room's own receivers and
/// from what the walk says of every receiver elsewhere. So a room that the walk left out keeps about the model that it had, and in
/// the others a few samples change little.
struct RoomLevels: Sendable {
  /// By hearer, room and level.
  private(set) var densities: [[[Float]]]
  /// By room: whether anything was counted in it.
  private(set) var isCovered: [Bool]

  /// How many windows (0.3 s) the expectation counts as.
  private static let doubt: Float = 6
  /// Standard deviation of a level where nothing was counted, dB.
  private static let deviation: Float = 8
  /// Standard deviation of the smoothing kernel, dB.
  private static let width: Float = 2
  /// The fit has one mean level for each receiver and room, however long the walk stayed there. So the usual
  /// values have this weight.
  private static let hold = PathLossFit.Hold(power: 1.5, wall: 8)

  /// nil: the calibration has no counts for these rooms and receivers.
  init?(_ calibration: RoomCalibration, _ plan: RoomPlan, rooms: [String], receivers: [String]) {
    let places = Dictionary(rooms.enumerated().map { ($1, $0) }, uniquingKeysWith: { first, _ in first })
    let hearers = Dictionary(receivers.enumerated().map { ($1, $0) }, uniquingKeysWith: { first, _ in first })
    let empty = [[Float]](repeating: [Float](repeating: 0, count: RoomModel.levelCount), count: rooms.count)
    var counts = [[[Float]]](repeating: empty, count: receivers.count)
    var isCovered = rooms.map { _ in false }
    for histogram in calibration.histograms {
      guard let hearer = hearers[histogram.receiver], let room = places[histogram.room] else { continue }
      for (offset, count) in histogram.counts.enumerated() where count > 0 {
        let level = histogram.lowest + offset - RoomModel.lowest
        counts[hearer][room][min(max(level, 0), RoomModel.levelCount - 1)] += Float(count)
        isCovered[room] = true
      }
    }
    guard isCovered.contains(true) else { return nil }
    self.isCovered = isCovered
    let expected = Self.expected(counts, plan)
    densities = counts.indices.map { hearer in
      let weakest = counts[hearer].compactMap { $0.firstIndex { $0 > 0 } }.min()
      return rooms.indices.map { room in
        var level = expected[hearer][room]
        // The receiver heard the beacon elsewhere, but not in this room.
        if isCovered[room], let weakest, counts[hearer][room].allSatisfy({ $0 == 0 }) {
          level = min(level, Float(weakest + RoomModel.lowest))
        }
        return Self.density(counts[hearer][room], expected: level)
      }
    }
  }

  /// The expected level by hearer and room, dBm: a power of each receiver and a loss to other rooms, fitted to the mean levels.
  private static func expected(_ counts: [[[Float]]], _ plan: RoomPlan) -> [[Float]] {
    func path(_ hearer: Int, _ room: Int) -> PathGeometry {
      let isHome = plan.rooms[room].receivers.contains(plan.hearers[hearer].receiver)
      return PathGeometry(distance: 1, walls: isHome ? 0 : 1)
    }
    let points = counts.indices.flatMap { hearer in
      counts[hearer].indices.compactMap { room -> PathLossFit.Point? in
        guard counts[hearer][room].contains(where: { $0 > 0 }) else { return nil }
        return PathLossFit.Point(
          hearer: hearer, path: path(hearer, room), level: Double(mean(counts[hearer][room])))
      }
    }
    let usual = plan.hearers.map { hearer in
      var loss = PathLoss(usual: hearer)
      loss.wall = SignalMaps.otherRoom
      return loss
    }
    let losses = PathLossFit(points, usual: usual, hold).losses
    return counts.indices.map { hearer in
      counts[hearer].indices.map { Float(losses[hearer].level(path(hearer, $0))) }
    }
  }

  /// A level that was never heard is rare, not impossible.
  private static func density(_ counts: [Float], expected: Float) -> [Float] {
    var density = counts.indices.map { index in
      let z = (Float(index + RoomModel.lowest) - expected) / deviation
      return exp(-z * z / 2)
    }
    let sum = density.reduce(0, +)
    for index in density.indices { density[index] *= doubt / max(sum, 1e-9) }
    let kernel = width * (2 * Float.pi).squareRoot()
    for (level, count) in counts.enumerated() where count > 0 {
      for index in density.indices {
        let z = Float(index - level) / width
        if abs(z) < 5 { density[index] += count * exp(-z * z / 2) / kernel }
      }
    }
    let known: Float = 0.99
    let all = density.reduce(0, +)
    return density.map { known * $0 / max(all, 1e-9) + (1 - known) / Float(density.count) }
  }

  /// The mean level, dBm.
  static func mean(_ density: [Float]) -> Float {
    zip(density, RoomModel.lowest...).reduce(0) { $0 + $1.0 * Float($1.1) } / max(density.reduce(0, +), 1e-9)
  }
}
