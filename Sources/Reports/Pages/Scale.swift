/// Maps a range of values to a range of coordinates.
package struct Scale {
  package var from: Double
  package var to: Double
  package var start: Double
  package var end: Double

  package func callAsFunction(_ value: Double) -> Double {
    guard to > from else { return start }
    return start + (min(max(value, from), to) - from) / (to - from) * (end - start)
  }

  /// Round values, about `count` of them at most.
  package func ticks(_ count: Int, steps: [Double]) -> [Double] {
    let wanted = (to - from) / Double(max(1, count))
    var step = steps.first { $0 >= wanted } ?? steps.last ?? 1
    while (to - from) / step > Double(count) + 1 { step *= 2 }
    var ticks: [Double] = []
    var value = (from / step).rounded(.up) * step
    while value <= to, ticks.count <= 2 * count {
      ticks.append(value)
      value += step
    }
    return ticks
  }

  package static let timeSteps: [Double] = [
    0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 30, 60, 120, 300, 600, 1200, 1800, 3600, 7200, 14400, 21600, 43200, 86400,
  ]
  package static let distanceSteps: [Double] = [
    0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 10000,
  ]
}
