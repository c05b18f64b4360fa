import Foundation
import TestSupport
import Testing

/// What is wrong is said with its place, ends with a status of sysexits.h, and costs nothing that was good.
@Suite struct FaultTests {
  private let demo = ["--config", "config/demo.yaml"]

  private static let faults = """
    gateway: { nam: forecourt }
    beacons:
      - { name: fleet, ibeacon: { uuid: F29DC74A } }
      - { name: key, address: C1:00 }
      - { name: key, address: "C1:00:00:00:00:01", measured_power: -55 }
    zones:
      - name: pump-3
        beacons: [flet]
        enter: { distance: 6 m, dwell: 3 }
        exit: { distance: 4 m }
      - name: shop
        enter: { distance: six metres }
        exitt: { distance: 9 m }
      - name: shop
        enter: { distance: 3 m }
    """

  @Test func allFaultsOfAConfigurationAreReportedTogether() async throws {
    let path = try file(Self.faults, "yaml")
    let result = try await Command.run("check", "--config", path)
    let places = result.errors.split(separator: "\n").filter { $0.contains(": error: ") }
    #expect(result.status == 78)
    #expect(places.count >= 10, "\(result.errors)")
    #expect(places.allSatisfy { $0.contains(#/yaml:\d+:\d+: error: /#) })
    #expect(result.isCalm)
  }

  @Test(arguments: ["run", "replay"]) func noCommandWorksWithAConfigurationThatIsWrong(command: String)
    async throws
  {
    let path = try file(Self.faults, "yaml")
    let capture = command == "replay" ? ["--capture", "config/walk.jsonl"] : []
    let result = try await Command([command, "--config", path] + capture).end()
    #expect(result.status == 78)
    #expect(result.output.isEmpty)
  }

  @Test func `a gateway that may open too few files says so and does not start`() async throws {
    let script = "ulimit -n 40; exec \"$0\" run --demo"
    let result = try await Command(
      ["-c", script, Command.binary.path], executable: URL(fileURLWithPath: "/bin/sh")
    ).end()
    #expect(result.status == 69)
    #expect(result.errors.contains("at most 40 files may be open here"))
    #expect(result.isCalm)
  }

  @Test func randomBytesAreNoCapture() async throws {
    var bytes: [UInt8] = []
    for index in 0..<4096 { bytes.append(UInt8(truncatingIfNeeded: index &* 2_654_435_761 >> 7)) }
    let result = try await Command(["replay"] + demo + ["--capture", try file(bytes, "bin")]).end()
    #expect(result.status == 65)
    #expect(result.errors.contains("not a capture"))
    #expect(result.isCalm)
  }

  @Test func aTruncatedCaptureYieldsItsGoodPartAndThePosition() async throws {
    let walk = try String(
      contentsOf: Command.package.appendingPathComponent("config/walk.jsonl"), encoding: .utf8)
    let recording = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID()).jsonl").path
    // The last line breaks off in its middle.
    try Data(walk.utf8.dropLast(40)).write(to: URL(fileURLWithPath: recording))
    let whole = try await Command(["replay"] + demo + ["--capture", "config/walk.jsonl"]).end()
    let cut = try await Command(["replay"] + demo + ["--capture", recording]).end()
    #expect(whole.status == 0)
    #expect(cut.status == 65)
    #expect(cut.errors.contains(#/line \d+/#))
    #expect(cut.output == whole.output)
    #expect(whole.lines.count > 4)
  }

  @Test(arguments: ["/", "/nowhere/walk.btsnoop"]) func anUnreadableFileIsNamed(path: String) async throws {
    let result = try await Command(["replay"] + demo + ["--capture", path]).end()
    #expect(result.status == 74)
    #expect(result.errors.contains(path))
  }

  @Test func anEmptyCaptureIsAFault() async throws {
    let result = try await Command(["replay"] + demo + ["--capture", "-"]).end()
    #expect(result.status == 65)
    #expect(result.errors.contains("standard input"))
  }

  @Test func badHexNamesItsLineAndDoesNotAffectTheOthers() async throws {
    let result = try await Command(["decode"], input: "0201zz\n0303aafe0716aafe100003\n").end()
    #expect(result.status == 65)
    #expect(result.errors.contains("line 1: \"z\" at position 5"), "\(result.errors)")
    #expect(!result.output.isEmpty)
    #expect(result.isCalm)
  }

  @Test func theListOfFormatsCanBeDecoded() async throws {
    let list = try await Command(["decode", "--list"]).end()
    #expect(list.lines.contains("# ibeacon") && list.isCalm)
    #expect(list.lines.contains { $0.hasPrefix("# ruuvi, RuuviTag: temperature_c, humidity_pct") })
    #expect(list.lines.contains { $0.hasPrefix("# pvvx, ") && $0.hasSuffix(", encrypted") }, "\(list.output)")
    let decoded = try await Command(["decode"], input: list.output).end()
    #expect(decoded.status == 0 && decoded.lines.count >= list.lines.count { !$0.hasPrefix("#") })
    // Of trackers only the kind is told.
    let declined = decoded.lines.filter { $0.contains("declined") }
    #expect(declined.allSatisfy { $0.contains(#""declined":"noise: "#) }, "\(declined)")
  }

  @Test func `of what is encrypted, decode says what it needs to read it`() async throws {
    let sealed = "1216d2fc41a47266c95f730011223378237214"
    let key = ["--key", "231d39c1d7cc1ab1aee224cd096db932"]
    func decode(_ more: [String]) async throws -> String {
      let result = try await Command(["decode"] + more + [sealed]).end()
      #expect(result.status == 0)
      return result.output
    }
    let nothing = try await decode([])
    #expect(nothing.contains("--key @FILE") && nothing.contains("--address"), "\(nothing)")
    let keyed = try await decode(key)
    #expect(!keyed.contains("--key") && keyed.contains("--address"), "\(keyed)")
    let located = try await decode(["--address", "54:48:E6:8F:80:A5"])
    #expect(located.contains("--key") && !located.contains("--address"), "\(located)")
    let whole = try await decode(key + ["--address", "54:48:E6:8F:80:A5"])
    #expect(!whole.contains("remedy") && whole.contains("temperature_c"), "\(whole)")
  }

  @Test(arguments: [
    ("050969544147", "iTAG"), ("050969544147" + "05ff8afc23eb", "iTAG"), ("04096e7574" + "03030a18", "Nut"),
    ("060954696c6531", "Tile"), ("0416" + "84fd" + "02", "Tile"),
  ]) func `a tracker is told by its kind, and by nothing that lasts`(payload: String, kind: String)
    async throws
  {
    let result = try await Command(["decode", payload]).end()
    #expect(result.output.contains("noise: \(kind)"), "\(result.output)")
    #expect(!result.output.contains("address"), "\(result.output)")
  }

  @Test func aLineOfTheTextFormIsReadWhole() async throws {
    let beacon = #""payload":"0303aafe0716aafe100003""#
    let lines = [
      #"{\#(beacon),"rssi":null,"x":[{}],"payload":1}"#,
      #"{\#(beacon),"address":"C1:00:00:00:00:01","rssi":-60.0}"#,
      #"{\#(beacon),"address":"C1:00:00:00:00:01","rssi":-600}"#,
      #"{\#(beacon),"rssi":-60.5}"#, #"{\#(beacon),"address":7}"#, #"{"payload":null}"#, #"{\#(beacon)}{}"#,
    ]
    let result = try await Command(["decode"], input: lines.joined(separator: "\n") + "\n").end()
    #expect(result.status == 65)
    for line in 1...lines.count {
      #expect(result.errors.contains("line \(line): not a JSON object") == (line > 3), "\(result.errors)")
    }
    #expect(result.lines.count == 3 && result.lines[1].contains(#""rssi":-60"#), "\(result.output)")
  }

  @Test func outputThatCannotBeWrittenEndsQuietly() async throws {
    let shell = try Child(
      [
        "/bin/sh", "-c",
        "'\(Command.binary.path)' replay --config config/demo.yaml --capture config/walk.jsonl --format mqtt 2>/dev/null | head -n 1 >/dev/null; '\(Command.binary.path)' replay --config config/demo.yaml --capture config/walk.jsonl >/dev/full 2>/dev/null; exit $?",
      ], in: Command.package)
    #expect(try await shell.end() == 74)
  }

  @Test(arguments: [
    "init", "run", "top", "scan", "doctor", "health", "visits", "forget", "check", "enrol", "record",
    "replay", "calibrate", "simulate", "design", "compare-log", "plan", "fuse", "crowd", "decode", "backup",
    "restore",
  ])
  func `help shows examples, whose lines do not wrap and can be pasted`(command: String) async throws {
    let result = try await Command.run(command, "--help")
    #expect(result.status == 0)
    #expect(result.output.contains("beaconkeeper \(command)"))
    let lines = result.output.components(separatedBy: "\n")
    let start = try #require(lines.firstIndex(of: "EXAMPLES"), "\(result.output)")
    for line in lines[(start + 1)...].prefix(while: { !$0.isEmpty }) {
      #expect(line.hasPrefix("  ") && line.count <= 80, "\(line)")
    }
  }

  @Test func unknownOptionsAreUsageErrors() async throws {
    #expect(try await Command.run("run", "--no-such-option").status == 64)
    #expect(try await Command.run("replay").status == 64)
  }
}
