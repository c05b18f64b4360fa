import Glibc

/// Fits power and exponent of each receiver, and one loss for all walls, to levels at known places. A robust least-squares fit;
/// where data are few, it stays near the usual values.
struct PathLossFit: Sendable {
  /// The mean level at one place.
  struct Point: Sendable {
    var hearer: Int
    var path: PathGeometry
    var level: Double
  }

  private(set) var losses: [PathLoss]

  /// Regularisation: how many points each usual value counts as.
  struct Hold: Sendable {
    var power = 0.5
    var exponent = 30.0
    var wall = 20.0
  }

  private static let odd = 6.0
  private static let rounds = 6

  /// - Parameters:
  ///   - usual: what is known of each receiver before. Only differences of power count.
  ///   - regularisation: how much the usual values count.
  init(_ points: [Point], usual known: [PathLoss], _ regularisation: Hold = Hold()) {
    let hearers = known.count
    let size = 2 * hearers + 1
    let excess = points.map { $0.level - known[$0.hearer].level($0.path) }
    let shift = excess.isEmpty ? 0 : excess.reduce(0, +) / Double(excess.count)
    var usual = [Double](repeating: 0, count: size)
    var hold = usual
    for hearer in 0..<hearers {
      (usual[hearer], hold[hearer]) = (known[hearer].power + shift, regularisation.power)
      (usual[hearers + hearer], hold[hearers + hearer]) = (known[hearer].exponent, regularisation.exponent)
    }
    (usual[size - 1], hold[size - 1]) = (known.first?.wall ?? SignalMaps.usualWall, regularisation.wall)
    let rows = points.map { Self.row($0, hearers) }
    var solution = usual
    var weights = [Double](repeating: 1, count: points.count)
    for _ in 0..<Self.rounds {
      var matrix = [Double](repeating: 0, count: size * size)
      var right = [Double](repeating: 0, count: size)
      for index in 0..<size {
        matrix[index * size + index] = hold[index]
        right[index] = hold[index] * usual[index]
      }
      for (index, (point, row)) in zip(points, rows).enumerated() {
        let level = point.level + SignalMaps.usualFloor * Double(point.path.floors)
        for (a, first) in row {
          for (b, second) in row { matrix[a * size + b] += weights[index] * first * second }
          right[a] += weights[index] * first * level
        }
      }
      guard let next = solve(matrix, right) else { break }
      solution = next
      for (index, point) in points.enumerated() {
        let level = rows[index].reduce(-SignalMaps.usualFloor * Double(point.path.floors)) {
          $0 + $1.1 * next[$1.0]
        }
        let error = (point.level - level) / Self.odd
        weights[index] = 1 / (1 + error * error)
      }
    }
    // A negative wall loss or exponent is noise.
    let wall = min(max(solution[size - 1], 0), 20)
    losses = (0..<hearers).map {
      PathLoss(power: solution[$0], exponent: min(max(solution[hearers + $0], 0.5), 6), wall: wall)
    }
  }

  private static func row(_ point: Point, _ hearers: Int) -> [(Int, Double)] {
    [
      (point.hearer, 1), (hearers + point.hearer, -10 * log10(point.path.distance)),
      (2 * hearers, -point.path.walls),
    ]
  }
}

/// Solves a symmetric, positive definite system by Cholesky decomposition; nil if it is not definite.
private func solve(_ matrix: [Double], _ right: [Double]) -> [Double]? {
  let size = right.count
  var lower = [Double](repeating: 0, count: size * size)
  for row in 0..<size {
    for column in 0...row {
      var sum = matrix[row * size + column]
      for index in 0..<column { sum -= lower[row * size + index] * lower[column * size + index] }
      if row == column {
        guard sum > 1e-12 else { return nil }
        lower[row * size + row] = sum.squareRoot()
      } else {
        lower[row * size + column] = sum / lower[column * size + column]
      }
    }
  }
  var result = right
  for row in 0..<size {
    for index in 0..<row { result[row] -= lower[row * size + index] * result[index] }
    result[row] /= lower[row * size + row]
  }
  for row in (0..<size).reversed() {
    for index in (row + 1)..<max(size, row + 1) { result[row] -= lower[index * size + row] * result[index] }
    result[row] /= lower[row * size + row]
  }
  return result
}
