import Proximity
import Testing

@Suite struct OutlineTests {
  private let corner = Outline([
    Point(x: 0, y: 0), Point(x: 4, y: 0), Point(x: 4, y: 2), Point(x: 2, y: 2), Point(x: 2, y: 4),
    Point(x: 0, y: 4),
  ])

  @Test func anAngledRoomHasItsAreaAndMiddle() {
    #expect(corner.area == 12)
    #expect(abs(corner.centroid.x - 5.0 / 3) < 1e-9 && abs(corner.centroid.y - 5.0 / 3) < 1e-9)
    #expect(Outline(corner.corners.reversed()).area == 12)
  }

  @Test func aPointInTheNotchIsOutside() {
    #expect(corner.contains(Point(x: 1, y: 3)))
    #expect(corner.contains(Point(x: 3, y: 1)))
    #expect(!corner.contains(Point(x: 3, y: 3)))
    #expect(!corner.contains(Point(x: -1, y: 1)))
  }

  @Test func aPointOnASharedSideBelongsToOneRoom() {
    let left = Outline([Point(x: 0, y: 0), Point(x: 2, y: 0), Point(x: 2, y: 2), Point(x: 0, y: 2)])
    let right = Outline([Point(x: 2, y: 0), Point(x: 4, y: 0), Point(x: 4, y: 2), Point(x: 2, y: 2)])
    let onTheSide = Point(x: 2, y: 1)
    #expect(left.contains(onTheSide) != right.contains(onTheSide))
  }

  @Test func theDistanceIsToTheNearestSide() {
    #expect(corner.distance(to: Point(x: 3, y: 3)) == 1)
    #expect(corner.distance(to: Point(x: -3, y: -4)) == 5)
  }
}
