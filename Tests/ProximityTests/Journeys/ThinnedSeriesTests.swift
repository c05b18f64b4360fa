import Beacons
import Core
import Proximity
import Testing

@Suite struct ThinnedSeriesTests {
  private static func series(_ count: Int, every milliseconds: Int64 = 300) -> ThinnedSeries<Int> {
    var series = ThinnedSeries<Int>(every: .milliseconds(300), limit: 100) { $0 + $1 }
    for step in 0..<Int64(count) {
      series.add(1, at: MonotonicTime(nanoseconds: step * milliseconds * 1_000_000))
    }
    return series
  }

  @Test func aShortSeriesKeepsEverything() {
    let series = Self.series(100)
    #expect(series.entries.map(\.value) == [Int](repeating: 1, count: 100))
    #expect(series.length == .milliseconds(300))
  }

  @Test(arguments: [101, 5_000, 123_457])
  func aLongSeriesIsBoundedAndLosesNothingThatCanBeAdded(count: Int) {
    let series = Self.series(count)
    #expect(series.entries.count <= 100 && series.entries.count >= 50)
    #expect(series.entries.reduce(0) { $0 + $1.value } == count)
  }

  @Test func pausesStayPauses() {
    var series = ThinnedSeries<Int>(every: .milliseconds(300), limit: 10)
    for second in [0, 1, 2, 1000, 1001, 1002] { series.add(second, at: .zero + .seconds(Double(second))) }
    #expect(series.entries.map(\.value) == [0, 1, 2, 1000, 1001, 1002])
  }

  @Test func aTimeThatGoesBackJoinsTheLatest() {
    var series = ThinnedSeries<Int>(every: .seconds(1), limit: 10) { $0 + $1 }
    for second in [5.0, 4.0, -9e9, 5.5] { series.add(1, at: .zero + .seconds(second)) }
    #expect(series.entries.map(\.value) == [4])
  }

  @Test func timesFarApartDoNotOverflow() {
    var series = ThinnedSeries<Int>(every: .seconds(1), limit: 2) { $0 + $1 }
    for time in [Int64.min, 0, .max / 2, .max] { series.add(1, at: MonotonicTime(nanoseconds: time)) }
    #expect(series.entries.count <= 2 && series.entries.reduce(0) { $0 + $1.value } == 4)
  }
}
