import Testing

@testable import Proximity

/// Three rooms in a row, 4 m × 4 m each: walls at x = 4 and x = 8.
@Suite struct WallTests {
  private func walls(to point: Point, _ doors: [RoomPlan.Door], from start: Point = Point(x: 2, y: 2)) throws
    -> Double
  {
    let grid = RoomGrid(RoomScene.plan(doors: doors))
    let cell = try #require(grid.cell(at: point, floor: 0))
    return grid.walls(from: start, to: cell, doors)
  }

  private let door = RoomPlan.Door(from: Point(x: 4, y: 1), to: Point(x: 4, y: 3))

  @Test func eachWallCounts() throws {
    #expect(try walls(to: Point(x: 3, y: 3), []) == 0)
    #expect(try walls(to: Point(x: 6, y: 2), []) == 1)
    #expect(try walls(to: Point(x: 10, y: 2), []) == 2)
  }

  @Test func aSignalPassesAnOpenDoor() throws {
    #expect(try walls(to: Point(x: 5.1, y: 2), [door]) == 0)
    #expect(try walls(to: Point(x: 9.1, y: 2), [door]) == 1)
    let elsewhere = RoomPlan.Door(from: Point(x: 8, y: 1), to: Point(x: 8, y: 3))
    #expect(try walls(to: Point(x: 5.1, y: 2), [elsewhere]) == 1)
    var upstairs = door
    upstairs.floor = 1
    #expect(try walls(to: Point(x: 5.1, y: 2), [upstairs]) == 1)
  }

  @Test func theShadowOfADoorHasASoftEdge() throws {
    let column = try stride(from: 2.1, to: 4, by: 0.25).map { try walls(to: Point(x: 4.6, y: $0), [door]) }
    #expect(column.first == 0 && column.last ?? 0 > 0.5)
    #expect(zip(column, column.dropFirst()).allSatisfy { $0 <= $1 })
    #expect(column.count { $0 > 0 && $0 < 1 } > 2)
  }
}
