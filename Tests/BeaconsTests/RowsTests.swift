import Testing

@testable import Beacons

@Suite struct RowsTests {
  @Test func aTableHoldsWhatWasAppended() {
    let rows = table(200_000)
    #expect(rows == Array(0..<200_000))
  }

  @Test func aLargeTableGetsItsRoomAtOnce() {
    #expect((131_072..<140_000).contains(table(40_000).capacity))
  }

  @Test(arguments: [100, 5000, 16_000, 140_000, 300_000]) func noOtherTableHasMuchMoreRoomThanRows(rows: Int)
  {
    #expect(table(rows).capacity <= 2 * rows + 64)
  }

  private func table(_ rows: Int) -> [Int] {
    var table: [Int] = []
    for row in 0..<rows { table.appendRow(row) }
    return table
  }
}
