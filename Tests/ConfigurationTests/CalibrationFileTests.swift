import Beacons
@testable import Configuration
import Core
import Proximity
import TestSupport
import Testing

/// The file that `calibrate` writes: written, read, and mistrusted.
@Suite struct CalibrationFileTests {
  private static let account = CalibrationAccount(
    time: WallTime(nanoseconds: 1_795_211_403_120_000_000), version: "1.2", beacon: "keys \"x\"",
    stays: [.init(room: "kitchen", seconds: 61.2), .init(room: "hall", seconds: 0)],
    heldOut: .init(right: 0.9312, changes: 10, trueChanges: 8, delay: 2.1))
  private static let maps = CalibrationFile(
    RoomCalibration(
      receivers: [.init(name: "esp-1", power: -52.25, exponent: 1.75)], wallLoss: 5.5,
      samples: [
        .init(receiver: "esp-1", x: 1.125, y: -2, level: -61.5, spread: 3.5, weight: 0.6),
        .init(receiver: "esp-1", floor: "up", x: 3, y: 4, level: -80, spread: 0, weight: 1.2),
      ],
      visits: [.init(x: 1.125, y: -2, weight: 0.675), .init(floor: "up", x: 3, y: 4, weight: 1.2)],
      measuredPower: -59), account)
  private static let levels = CalibrationFile(
    RoomCalibration(
      wallLoss: 4.5,
      histograms: [.init(receiver: "esp-1", room: "kitchen", lowest: -70, counts: [1, 0, 3])],
      visits: [.init(room: "hall", weight: 0.3), .init(room: "kitchen", weight: 2.1)]), account)

  private func fault(_ text: String) -> String? {
    do throws(CalibrationFile.Fault) {
      _ = try CalibrationFile(Array(text.utf8))
      return nil
    } catch {
      return "\(error)"
    }
  }

  @Test(arguments: [maps, levels]) func aWrittenCalibrationReadsBackAndMatchesTheSchema(
    _ file: CalibrationFile
  )
    throws
  {
    #expect(try CalibrationFile(file.text) == file)
    #expect(try MessageSchemas.faults(calibration: file.text) == [])
  }

  @Test func positionsOfReceiversAreKept() throws {
    var file = Self.maps
    file.account.positions = ["esp-1": Position(x: 1.5, y: -2, z: 2.25)]
    #expect(try CalibrationFile(file.text) == file)
    #expect(try MessageSchemas.faults(calibration: file.text) == [])
  }

  @Test func membersOfLaterVersionsAreSkipped() throws {
    let text = String(decoding: Self.maps.text, as: UTF8.self)
    let later = "{\"drift\":{\"of\":[1,{}]}," + text.dropFirst()
    #expect(try CalibrationFile(Array(later.utf8)) == Self.maps)
  }

  @Test(arguments: [
    ("", "line 1, column 1: { belongs here"), ("[]", "line 1, column 1: { belongs here"),
    ("{\"v\":2}", "line 1, column 7: this is no calibration of version 1, which this Beaconkeeper reads"),
    ("{\n\"v\":1}", "line 2, column 7: receivers is missing"),
    ("{\"time\":\"today\"}", "line 1, column 16: this is no time in RFC 3339"),
    ("{\"wall_loss_db\":1e99}", "line 1, column 17: the number is not from 0.0 to 40.0"),
    ("{\"wall_loss_db\":NaN}", "line 1, column 17: a value belongs here"),
    (
      "{\"visits\":[{\"room\":\"a\",\"seconds\":-1}]}",
      "line 1, column 34: the number is not from 0.0 to 1000000.0"
    ),
    ("{\"visits\":[{\"points\":[[1,2]]}]}", "line 1, column 27: a point of a visit is [x, y, seconds]"),
    (
      "{\"visits\":[{\"room\":\"a\",\"points\":[[1,2,3]]}]}",
      "line 1, column 43: a visit has a room or points"
    ),
    ("{\"receivers\":[{}]}", "line 1, column 17: a receiver without name"),
    (
      "{\"receivers\":[{\"receiver\":\"a\"}],\"receivers\":[{\"receiver\":\"a\"}]}",
      "line 1, column 62: a receiver that is there already"
    ),
    (
      "{\"receivers\":[{\"receiver\":\"a\",\"exponent\":2}]}",
      "line 1, column 44: power_dbm and exponent belong together"
    ),
    (
      "{\"receivers\":[{\"receiver\":\"a\",\"position_m\":[1,2]}]}",
      "line 1, column 48: a position is [x, y, z]"
    ),
    (
      "{\"receivers\":[{\"receiver\":\"a\",\"maps\":[{\"points\":[[1,2]]}]}]}",
      "line 1, column 54: a point is [x, y, level, spread, weight]"
    ),
  ])
  func faultsAreReportedWithTheirPosition(_ text: String, _ expected: String) {
    #expect(fault(text) == expected)
  }

  @Test func moreThanAnyHouseHasIsRefused() {
    let receivers = (0...256).map { "{\"receiver\":\"\($0)\"}" }.joined(separator: ",")
    #expect(fault("{\"receivers\":[\(receivers)]}")?.hasSuffix("more than 256 receivers") == true)
    let rooms = (0...256).map { "{\"room\":\"\($0)\"}" }.joined(separator: ",")
    #expect(fault("{\"rooms\":[\(rooms)]}")?.hasSuffix("more than 256 rooms") == true)
    #expect(fault("{\"beacon\":\"\(String(repeating: "a", count: 300))\"}")?.hasSuffix("256 bytes") == true)
    #expect(fault("{\"x\":" + String(repeating: "[", count: 10_000))?.contains("nested deeper") == true)
  }

  @Test func anyBytesAreReadOrRefused() {
    var chance = SeededGenerator(seed: 5)
    var (read, refused) = (0, 0)
    for seed in [Self.maps.text, Self.levels.text] {
      for _ in 0..<3000 {
        var bytes = seed
        for _ in 0..<Int.random(in: 1...4, using: &chance) {
          bytes[Int.random(in: 0..<bytes.count, using: &chance)] = UInt8.random(in: 0...255, using: &chance)
        }
        if Bool.random(using: &chance) { bytes.removeLast(Int.random(in: 0..<bytes.count, using: &chance)) }
        if (try? CalibrationFile(bytes)) != nil { read += 1 } else { refused += 1 }
      }
    }
    #expect(read > 50 && refused > 50, "\(read) were read, \(refused) refused")
  }

  private static let yaml = """
    rooms:
      - { name: kitchen, receivers: [esp-1] }
      - { name: hall, receivers: [esp-2] }
    calibration: rooms.json
    scanners: [{ kind: espresense }]
    broker: { url: "mqtt://broker.lan" }
    """

  @Test func theConfigurationReadsItAndCheckExplainsIt() throws {
    let folder = try Folder()
    try folder.write(String(decoding: Self.levels.text, as: UTF8.self), to: "rooms.json")
    let loaded = try read(Self.yaml, path: folder.path + "/site.yaml")
    #expect(loaded.warnings == [])
    #expect(loaded.configuration.roomCalibration == Self.levels.calibration)
    let plan = try #require(Explanation(loaded.configuration).plan)
    #expect(
      plan.hasSuffix(
        "rooms.json of 2026-11-20 with “keys \"x\"”: 61 s in kitchen (61 s); right 93.1 % of the time on "
          + "stretches left out, 10 changes reported, 8 true, 2.1 s late; not covered: hall; did not hear the beacon: esp-2"
      ),
      "\(plan)")
  }

  @Test func oneThatIsMissingIsAnErrorWithARemedy() throws {
    let diagnostic = try #require(diagnose(Self.yaml, path: "/nowhere/site.yaml").first)
    #expect(diagnostic.severity == .error && diagnostic.position == .init(line: 4, column: 14))
    #expect(diagnostic.message.contains("there is no such file"))
    #expect(diagnostic.hint == "run beaconkeeper calibrate, or remove the line")
    #expect(throws: Never.self) { try read(Self.yaml, path: "/nowhere/site.yaml", calibrates: true) }
  }

  private func warnings(of file: CalibrationFile, rooms: String) throws -> [String] {
    let folder = try Folder()
    try folder.write(String(decoding: file.text, as: UTF8.self), to: "rooms.json")
    let yaml =
      "rooms: [\(rooms)]\ncalibration: rooms.json\n"
      + "scanners: [{ kind: espresense }]\nbroker: { url: \"mqtt://broker.lan\" }"
    return try read(yaml, path: folder.path + "/site.yaml").warnings.map(\.message)
  }

  @Test func roomsAndReceiversThatAreGoneAreWarnedOf() throws {
    var file = Self.levels
    file.account.stays.append(.init(room: "hall", seconds: 50))
    file.calibration.histograms.append(file.calibration.histograms[0])
    file.calibration.histograms[file.calibration.histograms.count - 1].receiver = "esp-2"
    let warnings = try warnings(
      of: file, rooms: "{ name: hall, receivers: [esp-2] }, { name: cellar, receivers: [esp-9] }")
    #expect(
      warnings == [
        "the calibration knows a room that the configuration does not: “kitchen”",
        "the calibration knows a receiver that the configuration does not: “esp-1”",
      ])
  }

  /// Two configurations in a folder may name one file.
  @Test(arguments: [
    "{ name: cellar, receivers: [esp-1] }", "{ name: kitchen, receivers: [esp-9] }",
    "{ name: cellar, receivers: [esp-9] }",
  ])
  func aCalibrationOfAnotherSiteIsWarnedOfOnce(rooms: String) throws {
    let warnings = try warnings(of: Self.levels, rooms: rooms)
    #expect(warnings.count == 1)
    #expect(warnings.first?.contains("fits other rooms or receivers: it knows the rooms “kitchen”") == true)
  }

  @Test(arguments: [
    (levels, "outline: [[0 m, 0 m], [3 m, 0 m], [3 m, 4 m], [0 m, 4 m]], ", "made without outlines"),
    (maps, "", "made with outlines"),
  ])
  func oneThatIsOfNoUseIsWarnedOf(file: CalibrationFile, outline: String, words: String) throws {
    let folder = try Folder()
    try folder.write(String(decoding: file.text, as: UTF8.self), to: "rooms.json")
    let yaml = Self.yaml.replacing("receivers: [esp-1]", with: "\(outline)receivers: [esp-1]")
      .replacing("  - { name: hall, receivers: [esp-2] }\n", with: "")
    let found = try read(yaml, path: folder.path + "/site.yaml").warnings
    #expect(found.contains { $0.message.contains(words) && $0.position?.line == 3 }, "\(found)")
  }
}
