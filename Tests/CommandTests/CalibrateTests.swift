import Foundation
import TestSupport
import Testing

/// `calibrate` as a user runs it, on recordings with marks. The live walk needs a terminal.
@Suite struct CalibrateTests {
  /// Files of one calibration, gone at its end.
  private final class House {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("house-\(UUID())")

    init() throws {
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      try write(Self.yaml, "site.yaml")
      try write(Self.walk(), "walk.jsonl")
      try write(Self.marks, "marks.csv")
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    func path(_ name: String) -> String { folder.appendingPathComponent(name).path }
    func write(_ text: String, _ name: String) throws {
      try Data(text.utf8).write(to: URL(fileURLWithPath: path(name)))
    }
    func text(_ name: String) throws -> String { try String(contentsOfFile: path(name), encoding: .utf8) }

    static let yaml = """
      beacons:
        - { name: keys, address: C1:00:00:00:00:01 }
        - { name: tag, address: C1:00:00:00:00:02 }
      rooms:
        - { name: hall, receivers: [a] }
        - { name: bath, receivers: [b] }
        - { name: attic, receivers: [c] }

      """

    static let marks = "time,room\n0,hall\n30,bath\n60,hall\n90,bath\n120,\n"

    /// 120 s, half a minute in each room by turns; receiver c is off.
    static func walk(addresses: [Int] = [1]) -> String {
      var lines = ""
      for step in 0..<400 {
        let time = Double(step) * 0.3
        let isHall = Int(time / 30) % 2 == 0
        for (receiver, isNear) in [("a", isHall), ("b", !isHall)] {
          for address in addresses {
            let level = (isNear ? -58 : -74) + (step * 7 + address) % 9 - 4
            lines +=
              #"{"t": \#(1_700_000_000 + time), "receiver": "\#(receiver)", "address": "C1:00:00:00:00:0\#(address)", "#
              + #""address_type": "random", "rssi": \#(level), "payload": "02011a0303aafe"}"# + "\n"
          }
        }
      }
      return lines
    }

    func calibrate(_ arguments: String...) async throws -> Command.Result {
      try await Command(
        ["calibrate", "--config", path("site.yaml"), "--marks", path("marks.csv"), path("walk.jsonl")]
          + arguments
      ).end()
    }
  }

  @Test func aRecordingWithMarksBecomesACalibration() async throws {
    let house = try House()
    let result = try await house.calibrate()
    #expect(result.status == 0, "\(result.errors)")
    #expect(result.lines.first == "beacon keys: 120 s in 2 of 3 rooms, heard by 2 of 3 receivers")
    #expect(result.lines.contains("attic  0 s      missing: walk through it"))
    #expect(result.lines.contains("c         missing: is it on, and is this its name?"))
    #expect(
      result.lines.contains { $0.hasPrefix("levels by room") && $0.hasSuffix("kept") }, "\(result.output)")
    #expect(result.lines.contains { $0.hasPrefix("without one more room ") }, "\(result.output)")
    #expect(result.errors.contains("add this line to \(house.path("site.yaml"))"))
    #expect(result.errors.contains("  calibration: rooms.json\n"))
    #expect(try MessageSchemas.faults(calibration: Array(house.text("rooms.json").utf8)) == [])

    try house.write(House.yaml + "calibration: rooms.json\n", "site.yaml")
    let check = try await Command(["check", house.path("site.yaml")]).end()
    #expect(check.status == 0, "\(check.errors)")
    #expect(check.output.contains("120 s in hall (60 s) and bath (60 s)"), "\(check.output)")
    #expect(check.output.contains("not covered: attic; did not hear the beacon: c"))
  }

  @Test func `the same walk again is not judged against what was learned from it`() async throws {
    let house = try House()
    #expect(try await house.calibrate().status == 0)
    try house.write(House.yaml + "calibration: rooms.json\n", "site.yaml")
    let again = try await house.calibrate()
    #expect(again.status == 0, "\(again.errors)")
    #expect(again.output.contains("The present calibration was learned from this walk"), "\(again.output)")
    #expect(!again.output.contains("the present calibration "))
    #expect(again.errors.contains("systemctl reload beaconkeeper"))
    // A file that the configuration does not name is not taken up.
    let other = try await house.calibrate("--output", house.path("other.json"))
    #expect(other.errors.contains("rooms.json, which stays in use"), "\(other.errors)")
    #expect(!other.errors.contains("systemctl"))
  }

  @Test func `check tells of rooms whose receivers were swapped since the walk`() async throws {
    let house = try House()
    #expect(try await house.calibrate().status == 0)
    let yaml = House.yaml + "calibration: rooms.json\n"
    let swapped = yaml.replacing("hall, receivers: [a]", with: "bath, receivers: [a]")
      .replacing("bath, receivers: [b]", with: "hall, receivers: [b]")
    for (text, isTold) in [(yaml, false), (swapped, true), (yaml.replacing("[a]", with: "[a, d]"), false)] {
      try house.write(text, "site.yaml")
      let check = try await Command(["check", house.path("site.yaml")]).end()
      let words = check.output + check.errors
      #expect(words.contains("made with “a” in “hall”, and it is in “bath” now") == isTold, "\(words)")
    }
  }

  @Test func `check tells of receivers that hang elsewhere since the walk`() async throws {
    let house = try House()
    func yaml(_ place: String) -> String {
      House.yaml + "receivers:\n  - { name: a, position: [\(place), 2 m, 1 m] }\n"
    }
    try house.write(yaml("1 m"), "site.yaml")
    #expect(try await house.calibrate().status == 0)
    for (place, isTold) in [("1 m", false), ("1.3 m", false), ("4.5 m", true)] {
      try house.write(yaml(place) + "calibration: rooms.json\n", "site.yaml")
      let check = try await Command(["check", house.path("site.yaml")]).end()
      let words = check.output + check.errors
      #expect(
        words.contains("the calibration was made with “a” 3.5 m from where it is now") == isTold, "\(words)")
    }
  }

  @Test func earlierCalibrationsAreKeptUpToFive() async throws {
    let house = try House()
    for version in 1...7 {
      try house.write("{\"version\":\(version)}", "rooms.json")
      _ = try await house.calibrate()
    }
    #expect(try house.text("rooms.json").contains("\"v\":1,"))
    #expect(
      try (1...5).map { try house.text("rooms.json.\($0)") }
        == (3...7).reversed().map { "{\"version\":\($0)}" })
    let files = try FileManager.default.contentsOfDirectory(atPath: house.folder.path)
    #expect(files.count { $0.hasPrefix("rooms.json") } == 6, "\(files)")
  }

  /// The calibration of a configuration that shares the folder stays what it is.
  @Test func aCalibrationOfOtherRoomsIsNotOverwritten() async throws {
    let house = try House()
    let other = #"""
      {"v":1,"time":"2026-11-20T21:50:03Z","version":"1","beacon":"keys","rooms":[{"room":"barn","seconds":50}],
       "wall_loss_db":4.5,"receivers":[{"receiver":"z","power_dbm":-60,"exponent":2}]}
      """#
    try house.write(other, "rooms.json")
    let result = try await house.calibrate()
    #expect(result.status == 0, "\(result.errors)")
    #expect(try house.text("rooms.json") == other)
    #expect(try house.text("site-rooms.json").contains("\"hall\""))
    #expect(result.errors.contains("  calibration: site-rooms.json\n"))
    // Whoever names the file means it; the other one is kept.
    try house.write(House.yaml + "calibration: rooms.json\n", "site.yaml")
    let named = try await house.calibrate()
    #expect(try house.text("rooms.json.1") == other && house.text("rooms.json").contains("\"hall\""))
    #expect(named.errors.contains("The earlier one is of other rooms or receivers."), "\(named.errors)")
  }

  @Test func aDryRunWritesNothingAndJSONIsOneObject() async throws {
    let house = try House()
    let result = try await house.calibrate("--dry-run", "--json")
    #expect(result.status == 0 && result.lines.count == 1)
    let object = try #require(
      try JSONSerialization.jsonObject(with: Data(result.output.utf8)) as? [String: Any])
    #expect(object["usable"] as? Bool == true)
    let heldOut = try #require(object["held_out"] as? [String: Any])
    #expect(heldOut["kept"] as? String == "all")
    #expect((heldOut["less_complete"] as? [String: Any])?["right"] is Double, "the walk left out a room")
    #expect(!FileManager.default.fileExists(atPath: house.path("rooms.json")))
  }

  @Test func aRecordingOfSeveralBeaconsNeedsABeaconOption() async throws {
    let house = try House()
    try house.write(House.walk(addresses: [1, 2]), "walk.jsonl")
    let refused = try await house.calibrate("--dry-run")
    #expect(refused.status == 65)
    #expect(
      refused.errors.contains(
        "several beacons were heard: keys (800 times), tag (800 times); name yours with --beacon"))
    #expect(try await house.calibrate("--dry-run", "--beacon", "tag").status == 0)
    for (name, words) in [
      ("cat", "there is no beacon “cat” in the configuration; beacons: keys, tag"),
      ("kees", "there is no beacon “kees” in the configuration; did you mean keys?"),
    ] {
      let unknown = try await house.calibrate("--dry-run", "--beacon", name)
      #expect(unknown.status == 65 && unknown.errors.contains(words), "\(unknown.errors)")
    }
  }

  @Test(arguments: [
    ("time,room\n0,hal\n", "line 2: there is no room “hal” in the configuration\n  hint: did you mean hall?"),
    ("time,room\n", "there is no mark"),
    ("time,room\n5,hall\n5,bath\n", "line 3: not later than line 2"),
    ("time,room\n900,hall\n", "compare the times of the marks with those of the recording"),
    ("time,room\n2020-01-01T00:00:00Z,hall\n2020-01-01T00:00:01Z,\n", "compare the times of the marks"),
  ])
  func marksThatCannotBeUsedAreExplained(_ marks: String, _ expected: String) async throws {
    let house = try House()
    try house.write(marks, "marks.csv")
    let result = try await house.calibrate()
    #expect(result.status == 65 && result.errors.contains(expected), "\(result.errors)")
    #expect(!FileManager.default.fileExists(atPath: house.path("rooms.json")))
  }

  @Test func calendarTimesMeanTheSameAsSecondsSinceTheStart() async throws {
    let house = try House()
    let first = try await house.calibrate("--dry-run")
    try house.write(
      "time,room\n1700000000,hall\n2023-11-14T22:13:50Z,bath\n1700000060.0,hall\n1700000090,bath\n1700000120,\n",
      "marks.csv")
    #expect(try await house.calibrate("--dry-run").output == first.output)
  }

  @Test(arguments: [
    "time,room\n0,hall\n5,\n",
    // Long enough, but in one room.
    "time,room\n0,hall\n120,\n",
  ])
  func `a walk that cannot be judged is not kept, and what helps is said`(marks: String) async throws {
    let house = try House()
    try house.write(marks, "marks.csv")
    let result = try await house.calibrate()
    #expect(result.status == 65, "\(result.output)")
    #expect(!result.output.contains("100"), "no score: \(result.output)")
    #expect(
      result.errors.contains("in each room, a minute or more in all, and come back to rooms you have left"),
      "\(result.errors)")
    #expect(result.errors.contains("Nothing was marked in bath, attic: walk there, too"), "\(result.errors)")
    #expect(!FileManager.default.fileExists(atPath: house.path("rooms.json")))
  }

  /// A hall with zones by position.
  @Test func `a walk in the only room is judged by positions`() async throws {
    let house = try House()
    let outline = "outline: [[0 m, 0 m], [10 m, 0 m], [10 m, 4 m], [0 m, 4 m]]"
    try house.write(
      House.yaml.components(separatedBy: "rooms:")[0]
        + "rooms: [{ name: hall, receivers: [a, b], \(outline) }]\n"
        + "receivers: [{ name: a, position: [0 m, 2 m] }, { name: b, position: [10 m, 2 m] }]\n", "site.yaml")
    let marks = (0..<4).map {
      "\($0 * 30),hall,\($0 % 2 * 4 + 3),2\n\($0 * 30 + 29),hall,\($0 % 2 * 4 + 3),2\n"
    }
    try house.write("time,room,x,y\n" + marks.joined() + "120,,,\n", "marks.csv")
    let result = try await house.calibrate()
    #expect(result.status == 0 && result.output.contains("OFF BY"), "\(result.errors)")
    #expect(!result.output.contains("100"), "no score of rooms: \(result.output)")
  }

  @Test func `rooms that a walk left out keep what an earlier walk measured`() async throws {
    let house = try House()
    #expect(try await house.calibrate().status == 0)
    let first = try house.text("rooms.json")
    // A room that the earlier walk covered, and the next does not.
    let covered = first.replacing("\"attic\",\"seconds\":0", with: "\"attic\",\"seconds\":50")
    #expect(covered != first)
    let attic = covered.replacing(
      "\"levels\":[", with: "\"levels\":[{\"room\":\"attic\",\"from_dbm\":-95,\"counts\":[70,90]},",
      maxReplacements: 1)
    #expect(attic != covered)
    try house.write(attic, "rooms.json")
    try house.write(House.marks, "marks.csv")
    let next = try await house.calibrate()
    #expect(
      next.status == 0 && next.output.contains("kept as it was measured before"),
      "\(next.errors)\(next.output)")
    #expect(try house.text("rooms.json").contains("{\"room\":\"attic\",\"seconds\":50"))
    #expect(try house.text("rooms.json").contains("{\"room\":\"attic\",\"from_dbm\":-95"))
  }

  @Test func `a walk that no configured receiver heard is refused by name`() async throws {
    let house = try House()
    try house.write(House.yaml.replacing("[a]", with: "[x]").replacing("[b]", with: "[y]"), "site.yaml")
    let result = try await house.calibrate()
    #expect(result.status == 65, "\(result.output)")
    #expect(
      result.errors.contains("no receiver of the configuration heard it, only a, b"), "\(result.errors)")
    #expect(!FileManager.default.fileExists(atPath: house.path("rooms.json")))
  }

  @Test func `a room without receivers is calibrated, and until then it is told that nothing shows it`()
    async throws
  {
    let house = try House()
    let yaml = House.yaml.replacing(", receivers: [b]", with: "").replacing(
      "  - { name: attic, receivers: [c] }\n", with: "")
    try house.write(yaml, "site.yaml")
    let before = try await Command(["check", house.path("site.yaml")]).end()
    #expect(
      before.status == 0 && before.output.contains("nothing shows when a beacon is in “bath”")
        || before.errors.contains("nothing shows when a beacon is in “bath”"),
      "\(before.output)\(before.errors)")
    #expect(before.output.contains("no walk has shown how others hear it"), "\(before.output)")
    let result = try await house.calibrate()
    #expect(result.status == 0, "\(result.errors)\(result.output)")
    try house.write(yaml + "calibration: rooms.json\n", "site.yaml")
    let after = try await Command(["check", house.path("site.yaml")]).end()
    #expect(after.status == 0 && !(after.output + after.errors).contains("nothing shows"), "\(after.output)")
    #expect(after.output.contains("No receiver is in it; others decide."), "\(after.output)")
  }

  @Test func `a renamed room keeps its calibration, and that is said`() async throws {
    let house = try House()
    #expect(try await house.calibrate().status == 0)
    try house.write(
      House.yaml.replacing("name: hall", with: "name: entrance") + "calibration: rooms.json\n", "site.yaml")
    let check = try await Command(["check", house.path("site.yaml")]).end()
    let words = check.output + check.errors
    #expect(check.status == 0 && words.contains("the calibration knows “entrance” as “hall”"), "\(words)")
    #expect(words.contains("120 s in entrance (60 s) and bath (60 s)"), "\(words)")
  }

  @Test func `replay sorts a recording that is out of order, and says so`() async throws {
    let house = try House()
    func replay() async throws -> Command.Result {
      try await Command(
        ["replay", "--config", house.path("site.yaml"), "--capture", house.path("walk.jsonl")]
      ).end()
    }
    let ordered = try await replay()
    #expect(!ordered.errors.contains("earlier than one before") && !ordered.output.isEmpty)
    var lines = try house.text("walk.jsonl").split(separator: "\n")
    // At 3 s, 0.15 s and two lines of the same instant apart.
    for place in stride(from: 100, to: 700, by: 10) { lines.swapAt(place, place + 7) }
    try house.write(lines.joined(separator: "\n") + "\n", "walk.jsonl")
    let result = try await replay()
    #expect(result.errors.contains("up to two seconds earlier than one before: sorted"), "\(result.errors)")
    #expect(result.output == ordered.output)
  }

  @Test func `a site that is too large for a calibration is refused before the walk`() async throws {
    let house = try House()
    let receivers = (0...256).map { "r\($0)" }.joined(separator: ", ")
    try house.write(
      """
      beacons: [{ name: keys, address: C1:00:00:00:00:01 }]
      scanners: [{ kind: espresense }]
      rooms: [{ name: hall, receivers: [\(receivers)] }]

      """, "site.yaml")
    let result = try await house.calibrate()
    #expect(
      result.status == 78 && result.errors.contains("256 rooms and as many receivers"), "\(result.errors)")
  }

  @Test func missingRoomsTerminalOrMarksAreNamed() async throws {
    let house = try House()
    let config = house.path("site.yaml")
    let unmarked = try await Command(["calibrate", "--config", config, house.path("walk.jsonl")]).end()
    #expect(unmarked.status == 64 && unmarked.errors.contains("A recording needs --marks"))
    try house.write("beacons: [{ name: keys, address: C1:00:00:00:00:01 }]\n", "site.yaml")
    let roomless = try await house.calibrate()
    #expect(roomless.status == 78 && roomless.errors.contains("has no rooms"), "\(roomless.errors)")
  }
}
