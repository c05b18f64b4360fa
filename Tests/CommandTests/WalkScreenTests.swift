import Beacons
import Core
import Gateway
import Proximity
import Testing

@testable import beaconkeeper

/// The keys of a live walk.
@Suite struct WalkScreenTests {
  private static func room(_ name: String, from west: Double, floor: String? = nil) -> WalkScreen.Room {
    WalkScreen.Room(
      name: name, floor: floor,
      outline: Outline([
        Point(x: west, y: 0), Point(x: west + 4, y: 0), Point(x: west + 4, y: 3), Point(x: west, y: 3),
      ]))
  }

  private static func type(_ text: String, on screen: inout WalkScreen) -> WalkScreen.Action {
    text.reduce(.nothing) { screen.press($1) }
  }

  private static func text(_ screen: WalkScreen) -> String {
    var glimpse = LiveWalk.Glimpse()
    glimpse.seconds = [0, 0]
    return screen.lines(glimpse, beacon: nil, at: .zero, width: 80).joined(separator: "\n")
  }

  @Test func `a point says the room, too, and its digits are no rooms`() {
    var screen = WalkScreen(
      rooms: [Self.room("hall", from: 0), Self.room("bath", from: 4)], expected: [])
    #expect(screen.press("1") == .mark(room: 0))
    #expect(Self.type("@5.2,1.", on: &screen) == .nothing)
    #expect(Self.text(screen).contains("@ 5.2,1._"))
    #expect(Self.type("9\u{7F}5\r", on: &screen) == .mark(room: 1, point: Point(x: 5.2, y: 1.5)))
    #expect(screen.current == 1)
    #expect(Self.text(screen).contains("at 5.2,1.5, in bath"))
    #expect(screen.press("1") == .mark(room: 0))
  }

  @Test(arguments: [("@9,9\r", "9,9 is in no room"), ("@2\r", "is no point"), ("@1-2,1\r", "is no point")])
  func `what is no point of the plan is said and marks nothing`(keys: String, words: String) {
    var screen = WalkScreen(rooms: [Self.room("hall", from: 0)], expected: [])
    #expect(Self.type(keys, on: &screen) == .nothing)
    #expect(screen.current == nil && Self.text(screen).contains(words))
  }

  @Test func `on several floors a point is on the present one`() {
    var screen = WalkScreen(
      rooms: [Self.room("hall", from: 0, floor: "ground"), Self.room("attic", from: 0, floor: "upper")],
      expected: [])
    #expect(Self.type("@1,1\r", on: &screen) == .mark(room: 0, point: Point(x: 1, y: 1)))
    #expect(Self.type("2@1,2\r", on: &screen) == .mark(room: 1, point: Point(x: 1, y: 2)))
  }

  @Test func `all receivers are seen on a narrow terminal`() {
    let screen = WalkScreen(
      rooms: [Self.room("hall", from: 0)], expected: (0..<12).map { "esp-board-\($0)" })
    let heard = (0..<6).map { (name: "esp-board-\($0)", level: Int8(-60), time: MonotonicTime.zero) }
    var glimpse = LiveWalk.Glimpse()
    (glimpse.receivers, glimpse.latest, glimpse.seconds) = (heard, .zero, [12.6])
    let lines = screen.lines(glimpse, beacon: "keys", at: .zero, width: 60)
    #expect(lines.allSatisfy { $0.count <= 60 || $0.hasPrefix("Carry") }, "\(lines)")
    let text = lines.joined(separator: "\n")
    #expect((0..<12).allSatisfy { text.contains("esp-board-\($0)") })
    #expect(text.contains("  12 s"))
  }

  @Test func `wide names are wrapped by the cells that they need`() {
    let screen = WalkScreen(
      rooms: [Self.room("玄関", from: 0), Self.room("hall", from: 4)],
      expected: (1...9).map { "居間の受信機\($0)" })
    var glimpse = LiveWalk.Glimpse()
    glimpse.seconds = [0, 0]
    let lines = screen.lines(glimpse, beacon: "keys", at: .zero, width: 60)
    #expect(lines.contains("  1  玄関  ····················  0 s  missing"))
    let names = lines.filter { $0.contains("受信機") }
    #expect(names.count == 3 && names.allSatisfy { $0.cells <= 60 }, "\(lines)")
  }

  @Test func `without outlines there are no points`() {
    var screen = WalkScreen(
      rooms: [.init(name: "hall", floor: nil, outline: Outline([]))], expected: [])
    #expect(Self.type("@1", on: &screen) == .mark(room: 0))
    #expect(!Self.text(screen).contains("@"))
  }
}
