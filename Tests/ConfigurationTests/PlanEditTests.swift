@testable import Configuration
import Proximity
import Testing

/// A plan that was drawn, in a file that people wrote.
@Suite struct PlanEditTests {
  private static let site = """
    # My house.
    receivers:
      - { name: west, position: [50 cm, 2 m] }   # over the door
      - name: east                                # an old board
        exponent: 2.2
    floors: [{ name: ground, height: 0 m }, { name: attic, height: 3 m }]
    rooms:
      # The rooms.
      - { name: kitchen, floor: ground, receivers: [west], outline: [[0 m, 0 m], [400 cm, 0 m], [400 cm, 4.001 m], [0 m, 4 m]] }   # warm
      - name: hall              # cold
        floor: ground
        outline:
          - [4 m, 0 m]          # by the stairs
          - [8 m, 0 m]
          - [8 m, 4 m]
          - [4 m, 4 m]
        area: Entrance
      - { name: store, floor: attic, receivers: [east] }   # dusty
    doors: [{ floor: ground, from: [4 m, 1 m], to: [4 m, 2 m] }]   # no other
    zones:
      - { name: down, rooms: [kitchen, hall] }
      - { name: up, room: store }
    # The end.

    """

  /// The plan in the file.
  private func plan(_ yaml: String = site) throws -> DrawnPlan {
    let configuration = try read(yaml).configuration
    var plan = DrawnPlan()
    plan.rooms = configuration.rooms.map {
      DrawnPlan.Room(
        name: $0.name, former: $0.name, floor: $0.floor, outline: $0.outline, receivers: $0.receivers)
    }
    plan.doors = configuration.doors
    return plan
  }

  private func edited(_ yaml: String = site, _ change: (inout DrawnPlan) -> Void) throws -> String {
    var plan = try plan(yaml)
    change(&plan)
    return String(decoding: try text(yaml).changing(plan).bytes, as: UTF8.self)
  }

  /// The changed lines, after their marks.
  private func changes(_ change: (inout DrawnPlan) -> Void) throws -> [String] {
    let after = try edited(Self.site, change)
    return lineChanges(from: Array(Self.site.utf8), to: Array(after.utf8)).split(separator: "\n").filter {
      $0.hasPrefix("+") || $0.hasPrefix("-")
    }.map { "\($0.prefix(1))\($0.dropFirst(2))" }
  }

  private func square(_ x: Double, _ y: Double, _ side: Double = 4) -> [Point] {
    [(x, y), (x + side, y), (x + side, y + side), (x, y + side)].map { Point(x: $0.0, y: $0.1) }
  }

  private func room(_ name: String, _ outline: [Point], floor: String? = "ground") -> DrawnPlan.Room {
    DrawnPlan.Room(name: name, former: nil, floor: floor, outline: outline, receivers: [])
  }

  @Test func `a floor is renamed where rooms, doors and their floor are, and a new one is added`() throws {
    let floors = [("ground floor", "ground", 0), ("attic", "attic", 3.2), ("cellar", nil, -2.5)]
    let drawn = floors.map { DrawnPlan.Floor(name: $0.0, former: $0.1, height: $0.2) }
    #expect(
      try changes { plan in
        plan.floors = drawn
        for place in plan.rooms.indices where plan.rooms[place].floor == "ground" {
          plan.rooms[place].floor = "ground floor"
        }
        plan.doors[0].floor = "ground floor"
      }.filter { $0.hasPrefix("+") } == [
        "+floors: [{ name: \"ground floor\", height: 0 m }, { name: attic, height: 3.2 m }, { name: cellar, height: -2.5 m }]",
        "+  - { name: kitchen, floor: \"ground floor\", receivers: [west], outline: [[0 m, 0 m], [400 cm, 0 m], [400 cm, 4.001 m], [0 m, 4 m]] }   # warm",
        "+    floor: \"ground floor\"",
        "+doors: [{ floor: \"ground floor\", from: [4 m, 1 m], to: [4 m, 2 m] }]   # no other",
      ])
    #expect(throws: EditRefusal.self) { try edited { $0.floors = Array(drawn.dropFirst()) } }
  }

  @Test func `a floor goes with all that is on it, but for the first`() throws {
    let floors = [("ground", 0.0), ("attic", 3.0)].map { DrawnPlan.Floor(name: $0, former: $0, height: $1) }
    let withoutZone = Self.site.replacing("  - { name: up, room: store }\n", with: "")
    let after = try edited(withoutZone) { plan in
      plan.floors = [floors[0]]
      plan.rooms.removeAll { $0.floor == "attic" }
      plan.doors.removeAll { $0.floor == "attic" }
    }
    #expect(
      after
        == withoutZone.replacing(", { name: attic, height: 3 m }]", with: "]").replacing(
          "  - { name: store, floor: attic, receivers: [east] }   # dusty\n", with: "  # dusty\n"))
    #expect(throws: EditRefusal.self) {
      try edited { plan in
        plan.floors = [floors[1]]
        plan.rooms.removeAll { $0.floor == "ground" }
        plan.doors = []
      }
    }
    // There is still a room on it.
    #expect(throws: EditRefusal.self) { try edited(withoutZone) { $0.floors = [floors[0]] } }
  }

  @Test func `where there was one floor, each room says on which it is once there are two`() throws {
    let flat = "rooms:\n  - { name: hall, outline: [[0 m, 0 m], [4 m, 0 m], [4 m, 4 m]] }   # cold\n"
    let after = try edited(flat) { plan in
      plan.floors = [("below", nil, 0), ("above", nil, 2.8)].map {
        DrawnPlan.Floor(name: $0.0, former: $0.1, height: $0.2)
      }
      plan.rooms[0].floor = "below"
      plan.rooms.append(room("bed", square(0, 0), floor: "above"))
    }
    #expect(
      after == """
        rooms:
          - { name: hall, floor: below, outline: [[0 m, 0 m], [4 m, 0 m], [4 m, 4 m]] }   # cold
          - { name: bed, floor: above, outline: [[0 m, 0 m], [4 m, 0 m], [4 m, 4 m], [0 m, 4 m]] }

        floors:
          - name: below
            height: 0 m
          - name: above
            height: 2.8 m

        """)
  }

  @Test func `what was not drawn otherwise stays as it is written`() throws {
    #expect(try edited { _ in } == Self.site)
    // A page knows hundredths.
    #expect(try edited { $0.rooms[0].outline[2] = Point(x: 4, y: 4) } == Self.site)
    #expect(try edited { $0.places = ["west": Position(x: 0.5, y: 2)] } == Self.site)
  }

  @Test func `a corner that moves changes its own numbers, in its own unit`() throws {
    #expect(
      try changes { $0.rooms[0].outline[1].x = 4.5 } == [
        "-  - { name: kitchen, floor: ground, receivers: [west], outline: [[0 m, 0 m], [400 cm, 0 m], [400 cm, 4.001 m], [0 m, 4 m]] }   # warm",
        "+  - { name: kitchen, floor: ground, receivers: [west], outline: [[0 m, 0 m], [450 cm, 0 m], [400 cm, 4.001 m], [0 m, 4 m]] }   # warm",
      ])
    #expect(
      try changes { $0.rooms[1].outline[0].y = -1 } == [
        "-      - [4 m, 0 m]          # by the stairs", "+      - [4 m, -1 m]          # by the stairs",
      ])
  }

  @Test func `an outline of other corners is written anew, and its comments stay`() throws {
    let after = try edited { $0.rooms[1].outline.append(Point(x: 3.5, y: 2)) }
    #expect(
      after.contains(
        """
            floor: ground
            # by the stairs
            outline: [[4 m, 0 m], [8 m, 0 m], [8 m, 4 m], [4 m, 4 m], [3.5 m, 2 m]]
            area: Entrance

        """.replacing("      ", with: "    ")))
  }

  @Test func `a room gets its outline, and another receiver`() throws {
    #expect(
      try changes {
        $0.rooms[2].outline = square(0, 0)
        $0.rooms[2].receivers = []
        $0.rooms[1].receivers = ["east"]
        $0.places = ["east": Position(x: 5, y: 1, z: 2.2)]
      } == [
        "+    position: [5 m, 1 m, 2.2 m]", "+    receivers: [east]",
        "-  - { name: store, floor: attic, receivers: [east] }   # dusty",
        "+  - { name: store, floor: attic, outline: [[0 m, 0 m], [4 m, 0 m], [4 m, 4 m], [0 m, 4 m]] }   # dusty",
      ])
  }

  @Test func `a room with another name is followed by its zones`() throws {
    #expect(
      try changes { $0.rooms[0].name = "yes" } == [
        "-  - { name: kitchen, floor: ground, receivers: [west], outline: [[0 m, 0 m], [400 cm, 0 m], [400 cm, 4.001 m], [0 m, 4 m]] }   # warm",
        "+  - { name: \"yes\", floor: ground, receivers: [west], outline: [[0 m, 0 m], [400 cm, 0 m], [400 cm, 4.001 m], [0 m, 4 m]] }   # warm",
        "-  - { name: down, rooms: [kitchen, hall] }", "+  - { name: down, rooms: [\"yes\", hall] }",
      ])
  }

  @Test func `rooms, doors and receivers come and go`() throws {
    let after = try edited {
      $0.rooms[1] = room("it's \"the\" 🛁: #1", square(4, 0))
      $0.doors = [DoorSettings(from: Point(x: 4, y: 2), to: Point(x: 4, y: 3), floor: "ground")]
      $0.places = ["north": Position(x: 1, y: 1), "west": nil]
      $0.rooms[0].name = "hall"
    }
    #expect(
      after == """
        # My house.
        receivers:
          - { name: west }   # over the door
          - name: east                                # an old board
            exponent: 2.2
          - name: north
            position: [1 m, 1 m]
        floors: [{ name: ground, height: 0 m }, { name: attic, height: 3 m }]
        rooms:
          # The rooms.
          - { name: hall, floor: ground, receivers: [west], outline: [[0 m, 0 m], [400 cm, 0 m], [400 cm, 4.001 m], [0 m, 4 m]] }   # warm
          # cold
          # by the stairs
          - { name: store, floor: attic, receivers: [east] }   # dusty
          - { name: "it's \\"the\\" 🛁: #1", floor: ground, outline: [[4 m, 0 m], [8 m, 0 m], [8 m, 4 m], [4 m, 4 m]] }
        doors: [{ floor: ground, from: [4 m, 2 m], to: [4 m, 3 m] }]   # no other
        zones:
          - { name: down, rooms: [hall, hall] }
          - { name: up, room: store }
        # The end.

        """)
  }

  @Test(arguments: [
    (
      "gateway: { name: g }",
      "gateway: { name: g }\n\nrooms:\n  - name: a\n    outline: [[0 m, 0 m], [4 m, 0 m], [4 m, 4 m], [0 m, 4 m]]\n"
    ),
    ("rooms: ~\n", "rooms: [{ name: a, outline: [[0 m, 0 m], [4 m, 0 m], [4 m, 4 m], [0 m, 4 m]] }]\n"),
    (
      "rooms:   # none yet\n  # - name: b\n",
      "rooms:   # none yet\n  - name: a\n    outline: [[0 m, 0 m], [4 m, 0 m], [4 m, 4 m], [0 m, 4 m]]\n  # - name: b\n"
    ),
    (
      "rooms: [\n  { name: b, receivers: [x] },   # old\n  { name: c, receivers: [y] }   # older\n]\n",
      "rooms: [{ name: a, outline: [[0 m, 0 m], [4 m, 0 m], [4 m, 4 m], [0 m, 4 m]] }]\n  # old\n  # older\n"
    ),
  ])
  func `the first rooms are written, and the last removed`(before: String, after: String) throws {
    let text = try edited(before) { $0.rooms = [room("a", square(0, 0), floor: nil)] }
    #expect(text == after)
    let gone = try edited(text) { $0.rooms = [] }
    #expect(try read(gone).configuration.rooms.isEmpty)
  }

  @Test func `JSON stays JSON where it is changed`() throws {
    let json =
      #"{"rooms":[{"name":"a","outline":[["0 m","0 m"],["4 m","0 m"],["4 m","4 m"]]}],"zones":[{"name":"z","room":"a"}]}"#
    let after = try edited(json) {
      $0.rooms[0].name = "b"
      $0.rooms[0].outline = square(0, 0)
    }
    #expect(
      after
        == #"{"rooms":[{"name":"b","outline": [["0 m", "0 m"], ["4 m", "0 m"], ["4 m", "4 m"], ["0 m", "4 m"]]}],"zones":[{"name":"z","room":"b"}]}"#
    )
  }

  @Test func `what makes no plan is refused in words that name the room`() throws {
    func refusal(_ change: (inout DrawnPlan) -> Void) -> String {
      do {
        return "accepted: \(try edited(Self.site, change))"
      } catch { return "\(error)" }
    }
    let bow = [(0.0, 0.0), (4, 4), (4, 0), (0, 4)].map { Point(x: $0.0, y: $0.1) }
    #expect(
      refusal { $0.rooms[0].outline = bow }.hasPrefix("the outline of “kitchen” crosses itself: the side"))
    let many = (0..<10_000).map { Point(x: Double($0) / 10, y: Double($0 % 2)) }
    #expect(refusal { $0.rooms[0].outline = many }.contains("the outline of “kitchen” has 10000 corners"))
    #expect(refusal { $0.rooms[0].outline[0].x = 1e300 }.hasPrefix("accepted") == false)
    #expect(refusal { $0.rooms[0].outline[0].x = .nan }.contains("“kitchen”"))
    #expect(refusal { $0.rooms[0].outline = square(0, 0, 0.1) }.contains("encloses only"))
    #expect(refusal { $0.rooms[0].former = "cellar" } == "there is no room “cellar” in the file")
    #expect(refusal { $0.rooms[0].former = "hall" } == "the room “hall” is drawn twice")
    #expect(refusal { $0.rooms[0].floor = "attic" }.contains("on another floor"))
    #expect(refusal { $0.rooms.append(room("hall", square(9, 9))) }.contains("is there already"))
    #expect(
      refusal { $0.rooms.append(room("x", square(9, 9), floor: "cellar")) }.contains("no floor “cellar”"))
    #expect(refusal { $0.rooms.removeLast() }.contains("there is no room “store”"), "a zone names it")
    for name in ["", " ", "a\nb", "a\u{202E}b", String(repeating: "x", count: 65)] {
      #expect(refusal { $0.rooms.append(room(name, square(9, 9))) }.contains("cannot be a name"), "\(name)")
    }
    #expect(refusal { $0.rooms[0].receivers = ["west", "east"] }.contains("is listed in"))
    #expect(
      refusal { $0.places = ["west": Position(x: .infinity, y: 0)] }.hasPrefix("this cannot be changed"))
  }

  @Test func `lines tell what was changed, and a little around it`() {
    let before = (1...9).map { "line \($0)\n" }.joined()
    let after = before.replacing("line 2\n", with: "other\n").replacing("line 8\n", with: "") + "more\n"
    #expect(
      lineChanges(from: Array(before.utf8), to: Array(after.utf8)) == """
          line 1
        - line 2
        + other
          line 3
        …
          line 7
        - line 8
          line 9
        + more

        """)
    #expect(lineChanges(from: Array(before.utf8), to: Array(before.utf8)) == "")
  }
}
