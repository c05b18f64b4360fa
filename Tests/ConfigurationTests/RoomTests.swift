import Beacons
@testable import Configuration
import Core
import Proximity
import Testing

/// `rooms:` with floors and doors.
@Suite struct RoomTests {
  private static let kitchen = "[[0 m, 0 m], [3 m, 0 m], [3 m, 4 m], [0 m, 4 m]]"
  /// Whoever is named in the rooms.
  private static let scanners = "\nscanners: [{ kind: espresense }]\nbroker: { url: \"mqtt://broker.lan\" }"
  private static let hall = "[[3 m, 0 m], [7 m, 0 m], [7 m, 4 m], [3 m, 4 m]]"

  @Test func oneReceiverARoomIsEnough() throws {
    let loaded = try read(
      "rooms: [{ name: kitchen, receivers: [esp-1] }, { name: hall, receivers: [hci0, esp-2] }]"
        + Self.scanners)
    #expect(loaded.warnings == [])
    #expect(
      loaded.configuration.rooms == [
        RoomSettings(name: "kitchen", receivers: ["esp-1"]),
        RoomSettings(name: "hall", receivers: ["hci0", "esp-2"]),
      ])
  }

  /// Rooms with a receiver each.
  private static func rooms(_ count: Int, _ more: String = "") -> String {
    let lines = (0..<count).map { "  - { name: r\($0), receivers: [e\($0)]\(more) }\n" }
    return "rooms:\n" + lines.joined() + scanners.dropFirst() + "\n"
  }

  @Test(arguments: [257, 4096]) func aSiteMayHaveManyRooms(count: Int) throws {
    let loaded = try read(Self.rooms(count))
    #expect(loaded.warnings == [])
    #expect(loaded.configuration.rooms.count == count)
  }

  @Test(arguments: [
    (rooms(4097), "there are 4097 rooms"),
    (rooms(257, ", outline: \(kitchen)"), "there are 257 rooms and 257 receivers in them or with a position"),
    (
      rooms(257) + "calibration: rooms.json\n",
      "there are 257 rooms and 257 receivers in them or with a position"
    ),
  ]) func moreThanASiteMayHaveIsRefused(text: String, words: String) throws {
    let errors = diagnose(text).filter { $0.severity == .error }
    #expect(errors.first.map { "\($0)".contains(words) } == true, "\(errors)")
  }

  @Test func everyKeyIsRead() throws {
    let loaded = try read(
      """
      receivers: [{ name: esp-1, position: [1 m, 1 m] }]
      floors: [{ name: ground, height: 0 m, ceiling: 2.5 m }, { name: up, height: 2.8 m }]
      rooms:
        - { name: kitchen, floor: up, outline: \(Self.kitchen), receivers: [esp-1], area: Küche }
        - { name: hall, floor: up, outline: \(Self.hall) }
      doors: [{ from: [3 m, 1 m], to: [300 cm, 1.9 m], floor: up }]
      calibration: rooms.json\(Self.scanners)
      """, path: "/etc/beaconkeeper/site.yaml", calibrates: true)
    #expect(loaded.warnings == [])
    let configuration = loaded.configuration
    #expect(
      configuration.rooms.first
        == RoomSettings(
          name: "kitchen", floor: "up",
          outline: [Point(x: 0, y: 0), Point(x: 3, y: 0), Point(x: 3, y: 4), Point(x: 0, y: 4)],
          receivers: ["esp-1"], area: "Küche"))
    #expect(
      configuration.floors == [
        FloorSettings(name: "ground", height: 0, ceiling: 2.5), FloorSettings(name: "up", height: 2.8),
      ])
    #expect(
      configuration.doors == [DoorSettings(from: Point(x: 3, y: 1), to: Point(x: 3, y: 1.9), floor: "up")])
    #expect(configuration.calibrationFile == "/etc/beaconkeeper/rooms.json")
  }

  @Test func theOnlyFloorNeedNotBeNamed() throws {
    let configuration = try read(
      "floors: [{ name: ground, height: 0 m }]\nrooms: [{ name: hall, receivers: [hci0] }]"
    ).configuration
    #expect(configuration.rooms.first?.floor == "ground")
    #expect(try read("rooms: [{ name: hall, receivers: [hci0] }]").configuration.rooms.first?.floor == nil)
    #expect(try read("rooms:\nfloors:\ndoors:").configuration.rooms == [])
  }

  @Test func anOutlineMayEndWhereItBegan() throws {
    let closed = Self.kitchen.dropLast() + ", [0 m, 0 m]]"
    #expect(
      try read("rooms: [{ name: k, outline: \(closed) }]").configuration.rooms.first?.outline.count == 4)
  }

  @Test(arguments: [
    ("[[0 m, 0 m], [3 m, 0 m]]", "has 2 corners"),
    ("[[0 m, 0 m], [3 m, 0 m], [0 m, 0 m]]", "has 2 corners"),
    ("[]", "is an empty list"),
    ("3 m", "must be a list"),
    ("[[0 m, 0 m], [3 m, 0 m], [3 m, 4 m, 1 m]]", "has 3 coordinates"),
    ("[[0 m, 0 m], [3 m, 0 m], [3 m, 4]]", "needs a unit"),
    ("[[0 m, 0 m], [3 m, 0 m], [3 s, 4 m]]", "must be a distance"),
    ("[[0 m, 0 m], [3 m, 0 m], [3 m, 9999 km]]", "is far away"),
    ("[[0 m, 0 m], [1 m, 0 m], [2 m, 0 m]]", "encloses nothing"),
    ("[[0 m, 0 m], [1 m, 1 m], [3 m, 3 m], [2 m, 2 m]]", "encloses nothing"),
    ("[[0 mm, 0 mm], [3 mm, 0 mm], [3 mm, 4 mm]]", "encloses only 0 m²"),
    ("[[0 m, 0 m], [3 m, 4 m], [3 m, 0 m], [0 m, 4 m]]", "crosses itself"),
    ("[[0 m, 0 m], [0 m, 0 m], [3 m, 0 m], [3 m, 4 m]]", "is there twice in a row"),
    // Goes out and back on itself; and touches itself at a corner.
    ("[[0 m, 0 m], [3 m, 0 m], [3 m, 4 m], [3 m, 2 m], [0 m, 2 m]]", "crosses itself"),
    ("[[0 m, 0 m], [4 m, 0 m], [2 m, 2 m], [4 m, 4 m], [0 m, 4 m], [2 m, 2 m]]", "crosses itself"),
  ])
  func anOutlineThatIsNoRoomIsRefused(outline: String, words: String) throws {
    let found = diagnose("rooms:\n  - { name: k, receivers: [r], outline: \(outline) }")
    #expect(found.count == 1)
    let first = try #require(found.first)
    #expect(first.severity == .error)
    #expect(first.message.contains(words), "\(first)")
    #expect(first.position?.line == 2)
    #expect(first.hint != nil || words == "must be a list", "\(first)")
  }

  @Test func anOutlineOfAnyPlainShapeIsTaken() throws {
    // An L, a U, clockwise, far from zero, and with a corner on a straight wall.
    for outline in [
      "[[0 m, 0 m], [4 m, 0 m], [4 m, 2 m], [2 m, 2 m], [2 m, 4 m], [0 m, 4 m]]",
      "[[0 m, 0 m], [6 m, 0 m], [6 m, 4 m], [4 m, 4 m], [4 m, 2 m], [2 m, 2 m], [2 m, 4 m], [0 m, 4 m]]",
      "[[0 m, 4 m], [3 m, 4 m], [3 m, 0 m], [0 m, 0 m]]",
      "[[-900 m, -4 m], [-896 m, -4 m], [-896 m, -1 m]]",
      "[[0 m, 0 m], [2 m, 0 m], [4 m, 0 m], [4 m, 4 m]]",
    ] { #expect(diagnose("rooms: [{ name: k, receivers: [r], outline: \(outline) }]\(Self.scanners)") == []) }
  }

  @Test(arguments: [
    ("rooms: [{ name: k }]", "1:9 warning", "nothing shows when a beacon is in “k”"),
    ("rooms: [{ receivers: [a] }]", "1:9 error", "name is missing here"),
    ("rooms: [{ name: not_home, receivers: [a] }]", "1:17 error", "cannot be called not_home"),
    ("rooms: [{ name: k, receivers: [a] }, { name: k, receivers: [b] }]", "1:46 error", "is there already"),
    (
      "rooms: [{ name: k, receivers: [a] }, { name: h, receivers: [a] }]", "1:61 error",
      "is listed in “k” already"
    ),
    ("rooms: [{ name: k, receivers: [a, a] }]", "1:35 warning", "is listed twice"),
    ("rooms: [{ name: k, receivers: [a], floor: up }]", "1:43 error", "there is no floor “up”"),
    (
      "floors: [{ name: upstairs, height: 3 m }]\nrooms: [{ name: k, receivers: [a], floor: upstair }]",
      "2:43 error", "there is no floor “upstair”"
    ),
    (
      "floors: [{ name: up, height: 3 m }, { name: down, height: 0 m }]\nrooms: [{ name: k, receivers: [a] }]",
      "2:9 error", "on which floor"
    ),
    ("floors: [{ name: up }]", "1:10 error", "height is missing here"),
    ("floors: [{ name: up, height: 3 km }]", "1:30 error", "height cannot be 3000 m"),
    (
      "receivers: [{ name: esp-kitchen }]\nrooms: [{ name: k, receivers: [esp-kichen] }]", "2:32 warning",
      "is not under receivers:"
    ),
    ("doors: [{ from: [0 m, 0 m], to: [1 m, 0 m] }]", "1:9 warning", "doors mean nothing without outlines"),
    ("doors: [{ from: [0 m, 0 m], to: [0 m, 0 m] }]", "1:9 error", "has no width"),
    ("calibration: rooms.json", "1:14 warning", "there are no rooms to calibrate"),
    ("rooms: [{ name: k, receivers: [r], points: \(kitchen) }]", "1:36 error", "“points” is not a known key"),
  ])
  func everyFaultIsNamedWithItsPlace(yaml: String, mark: String, words: String) throws {
    let found = diagnose(yaml + Self.scanners)
    let first = try #require(found.first)
    #expect(found.count == 1, "\(found)")
    #expect(first.mark == mark, "\(first)")
    #expect(first.message.contains(words), "\(first)")
  }

  @Test(arguments: [
    // Half a metre of the hall is the kitchen's too.
    (
      "rooms: [{ name: k, outline: \(kitchen), receivers: [r] }, { name: h, outline: [[2.5 m, 0 m], [7 m, 0 m], [7 m, 4 m], [2.5 m, 4 m]] }]",
      "“h” and “k” overlap by 2 m²"
    ),
    (
      "rooms: [{ name: k, outline: \(kitchen), receivers: [r] }, { name: h, outline: [[1 m, 1 m], [2 m, 1 m], [2 m, 2 m], [1 m, 2 m]] }]",
      "“h” and “k” overlap by 1 m²"
    ),
    (
      "rooms: [{ name: k, outline: \(kitchen), receivers: [r] }, { name: h, receivers: [a] }]",
      "“h” has no outline, and other rooms have"
    ),
    (
      "rooms: [{ name: k, outline: \(hall) }, { name: h, outline: \(kitchen) }]",
      "no receiver has a place, so the outlines have no effect"
    ),
    (
      "receivers: [{ name: a, position: [30 m, 2 m] }]\nrooms: [{ name: k, outline: \(kitchen), receivers: [a] }]",
      "the receiver “a” hangs 27 m outside all rooms"
    ),
    (
      "receivers: [{ name: a, position: [5 m, 2 m] }]\nrooms: [{ name: k, outline: \(kitchen), receivers: [a] }, { name: h, outline: \(hall) }]",
      "the receiver “a” is listed in “k”, but its position is in “h”"
    ),
    (
      "receivers: [{ name: a, position: [1 m, 2 m, 4 m] }]\nfloors: [{ name: up, height: 2.8 m, ceiling: 2.5 m }]\nrooms: [{ name: k, outline: \(kitchen), receivers: [a] }]",
      "the receiver “a” hangs 4 m above its floor “up”"
    ),
    (
      "rooms: [{ name: k, outline: \(kitchen), receivers: [r] }]\ndoors: [{ from: [1 m, 2 m], to: [2 m, 2 m] }]",
      "is on no wall: one end is 1 m away from any"
    ),
    (
      "rooms: [{ name: k, receivers: [r], outline: [[0 m, 0 m], [200 m, 0 m], [200 m, 50 m], [0 m, 50 m]] }]",
      "the site is so large that positions are computed in cells of 1.6 m"
    ),
  ])
  func suspiciousPlansAreWarnedOf(yaml: String, words: String) throws {
    let found = diagnose(yaml + Self.scanners)
    let first = try #require(found.first)
    #expect(found.count == 1, "\(found)")
    #expect(first.severity == .warning && first.hint != nil)
    #expect(first.message.contains(words), "\(first)")
  }

  @Test(arguments: [
    // A sliver, a common wall, one above the other, and a hall around a corner of the kitchen.
    "rooms: [{ name: k, outline: \(kitchen), receivers: [r] }, { name: h, outline: [[2.95 m, 0 m], [7 m, 0 m], [7 m, 4 m], [2.95 m, 4 m]] }]",
    "rooms: [{ name: k, outline: \(kitchen), receivers: [r] }, { name: h, outline: \(hall) }]",
    "floors: [{ name: a, height: 0 m }, { name: b, height: 3 m }]\nrooms: [{ name: k, floor: a, receivers: [r], outline: \(kitchen) }, { name: h, floor: b, outline: \(kitchen) }]",
    "rooms: [{ name: k, outline: \(kitchen), receivers: [r] }, { name: h, outline: [[3 m, 0 m], [5 m, 0 m], [5 m, 6 m], [0 m, 6 m], [0 m, 4 m], [3 m, 4 m]] }]",
    "receivers: [{ name: a, position: [3.2 m, 2 m] }]\nrooms: [{ name: k, outline: \(kitchen), receivers: [a] }, { name: h, outline: \(hall) }]",
  ])
  func plausiblePlansGiveNoWarning(yaml: String) { #expect(diagnose(yaml + Self.scanners) == []) }

  @Test func thereIsALimitToEverything() {
    let rooms = (0..<4100).map { "{ name: r\($0), receivers: [s\($0)] }" }.joined(separator: ", ")
    #expect(diagnose("rooms: [\(rooms)]").map(\.message) == ["there are 4100 rooms"])
    func comb(_ teeth: Int, at east: Int) -> String {
      let teeth = (0..<teeth).map { "[\(east) m, \($0 * 2) m], [\(east + 1) m, \($0 * 2 + 1) m]" }
      return "[\((["[\(east - 1) m, -1 m]"] + teeth + ["[\(east - 1) m, 999 m]"]).joined(separator: ", "))]"
    }
    #expect(
      diagnose("rooms: [{ name: r, outline: \(comb(101, at: 5)) }]").map(\.message) == [
        "outline has 204 corners"
      ])
    let many = (0..<21).map { "{ name: r\($0), outline: \(comb(99, at: 5 + 10 * $0)) }" }
    #expect(
      diagnose("rooms: [\(many.joined(separator: ", "))]").filter { $0.severity == .error }.map(\.message)
        == [
          "the outlines have 4200 corners together"
        ])
    let doors = Array(repeating: "{ from: [0 m, 0 m], to: [1 m, 0 m] }", count: 300).joined(separator: ", ")
    #expect(diagnose("doors: [\(doors)]").contains { $0.message == "there are 300 doors" })
  }

  // MARK: Zones

  @Test func aZoneMayBeMadeOfRooms() throws {
    let configuration = try read(
      """
      rooms: [{ name: kitchen, receivers: [a] }, { name: hall, receivers: [b] }]
      zones:
        - { name: cooking, room: kitchen }
        - { name: down, rooms: [kitchen, hall], enter: { dwell: 2 s }, exit: { dwell: 1 min } }
      """
    ).configuration
    let (cooking, down) = (configuration.zones[0], configuration.zones[1])
    #expect(cooking.rooms == ["kitchen"])
    #expect(cooking.receivers == nil && cooking.near == nil)
    #expect(cooking.enter.dwell == .zero && cooking.exit.dwell == .zero)
    #expect(down.rooms == ["kitchen", "hall"])
    #expect(down.enter.dwell == .seconds(2) && down.exit.dwell == .seconds(60))
    #expect(try read("zones: [{ name: z }]").configuration.zones.first?.rooms == nil)
  }

  @Test(arguments: [
    ("room: kichen", "there is no room “kichen”"),
    ("room: kitchen, rooms: [kitchen]", "a zone has both room and rooms"),
    ("room: kitchen, near: { distance: 1 m }", "a zone of rooms has no near"),
    ("room: kitchen, receivers: [a]", "hears through the receivers of its rooms"),
    ("room: kitchen, enter: 3 m", "enter must be a mapping"),
    ("room: kitchen, enter: { distance: 3 m }", "enter of a zone of rooms has no distance"),
    ("room: kitchen, exit: { lost: 3 s }", "exit of a zone of rooms has no lost"),
    ("room: kitchen, exit: { dwel: 3 s }", "“dwel” is not a known key"),
    ("rooms: [kitchen, kitchen]", "is listed twice"),
    ("rooms: kitchen", "rooms must be a list"),
    ("rooms: []", "rooms is an empty list"),
  ])
  func aZoneOfRoomsHasNothingButDwellTimes(keys: String, words: String) throws {
    let found = diagnose("rooms: [{ name: kitchen, receivers: [hci0] }]\nzones: [{ name: z, \(keys) }]")
    #expect(found.count == 1, "\(found)")
    #expect(try #require(found.first).message.contains(words), "\(found)")
  }

  @Test func aRoomAndAZoneMayHaveOneName() throws {
    #expect(
      diagnose(
        "rooms: [{ name: kitchen, receivers: [a] }]\nzones: [{ name: kitchen, room: kitchen }]\(Self.scanners)"
      ) == [])
  }

  @Test func roomsFollowBeaconsThatNoZoneWatches() {
    let beacons =
      "beacons: [{ name: a, address: C1:00:00:00:00:01 }, { name: b, address: C1:00:00:00:00:02 }]\n"
    let zones = "zones: [{ name: z, beacons: [a] }]\n"
    #expect(diagnose(beacons + zones).count == 1)
    #expect(diagnose(beacons + zones + "rooms: [{ name: k, receivers: [r] }]" + Self.scanners) == [])
  }

  // MARK: Receivers

  @Test(arguments: [
    // Nobody at all; a forgotten prefix; a renamed board; the radio is off; a gateway's name without its receiver.
    (
      "rooms: [{ name: k, receivers: [esp-1, hci0, esp-2] }]", "“esp-1” or “esp-2”",
      "scanners: [{ kind: espresense }]"
    ),
    (
      "scanners: [{ kind: espresense, prefix: esp- }]\nrooms: [{ name: k, receivers: [k] }]", "“k”",
      "called esp-…"
    ),
    (
      "scanners: [{ kind: theengs, receiver: shed, topic: \"a/b\" }]\nrooms: [{ name: k, receivers: [k] }]",
      "“k”", "compare the name"
    ),
    ("radio: { duty: off }\nrooms: [{ name: k, receivers: [hci0] }]", "“hci0”", "the radio is off"),
    ("scanners: [{ kind: beaconkeeper }]\nrooms: [{ name: k, receivers: [hall] }]", "“hall”", "compare"),
  ])
  func aReceiverThatNobodyProvidesIsWarnedOf(yaml: String, names: String, hint: String) throws {
    let found = diagnose(yaml + "\nbroker: { url: \"mqtt://broker.lan\" }")
    #expect(found.map(\.message) == ["no adapter or scanner provides \(names)"])
    #expect(found.first?.severity == .warning && found.first?.hint?.contains(hint) == true, "\(found)")
  }

  @Test(arguments: [
    "scanners: [{ kind: espresense, prefix: esp- }]\nrooms: [{ name: k, receivers: [esp-k] }]",
    "scanners: [{ kind: espresense, prefix: esp-, receivers: { x: k } }]\nrooms: [{ name: k, receivers: [k] }]",
    "scanners: [{ kind: beaconkeeper }]\nrooms: [{ name: k, receivers: [hall/hci0] }]",
    "scanners: [{ kind: theengs, receiver: shed, topic: \"a/b\" }]\nrooms: [{ name: k, receivers: [shed] }]",
    "receivers: [{ name: door, adapter: \"C1:00:00:00:00:01\" }]\nrooms: [{ name: k, receivers: [door, hci1] }]",
  ])
  func aReceiverThatMayComeGivesNoWarning(yaml: String) {
    #expect(diagnose(yaml + "\nbroker: { url: \"mqtt://broker.lan\" }") == [])
  }

  @Test func moreReceiversThanTakePartAreRefused() throws {
    let names = (0..<4100).map { "esp-\($0)" }
    let found = diagnose(
      "rooms: [{ name: k, receivers: [\(names[..<200].joined(separator: ", "))] },\n"
        + "{ name: h, receivers: [\(names[200...].joined(separator: ", "))] }]\(Self.scanners)")
    #expect(found.map(\.message) == ["there are 4100 receivers in rooms or with a position"])
    #expect(found.first?.severity == .error && found.first?.position?.line == 2)
  }

  // MARK: Large sites

  /// 3 × 4 m.
  private static func room(_ name: String, at east: Double, _ north: Double = 0) -> String {
    let corners = [(0.0, 0.0), (3, 0), (3, 4), (0, 4)].map { "[\(east + $0.0) m, \(north + $0.1) m]" }
    return "{ name: \(name), receivers: [\(name)], outline: [\(corners.joined(separator: ", "))] }"
  }

  @Test func roomsThatShareACellOfALargeSiteAreNamed() throws {
    let rooms = [Self.room("a", at: 0), Self.room("b", at: 3), Self.room("far", at: 897, 896)]
    let found = diagnose("rooms: [\(rooms.joined(separator: ", "))]\(Self.scanners)")
    #expect(found.allSatisfy { $0.severity == .warning })
    #expect(found.map(\.message).contains { $0.contains("cells of 14.2 m") }, "\(found)")
    #expect(found.map(\.message).contains { $0.contains("no beacon will be found in “b”") }, "\(found)")
  }

  @Test func aSmallRoomOfALargeSiteHasACellOfItsOwn() {
    let rooms = [Self.room("a", at: 0), Self.room("b", at: 450), Self.room("c", at: 900)]
    #expect(diagnose("rooms: [\(rooms.joined(separator: ", "))]\(Self.scanners)") == [])
  }
}
