import Foundation
import TestSupport
import Testing

/// `replay --truth` and `--report` as a user runs them, over a walk between two rooms that three receivers hear.
@Suite struct ReplayRoomsTests {
  private struct Assessment: Decodable {
    struct Position: Decodable { var median_m: Double }
    struct Cell: Decodable {
      var `true`: String
      var told: String?
      var s: Double
    }
    var beacon: String
    var seconds: Double
    var right: Double
    var changes: Int
    var true_changes: Int
    var missed: Int
    var delay_s: Double?
    var position: Position?
    var confusion: [Cell]
  }

  private static let receivers = [("esp-1", 1.0, 1.0), ("esp-2", 9.0, 1.0), ("esp-3", 5.0, 3.5)]
  /// Half a minute in each corner; the wall is at x = 5.
  private static let stops = [(2.0, 2.0), (8.0, 2.0), (2.0, 1.0), (8.0, 3.0), (8.0, 1.0)]

  private static func site(outlines: Bool, more: String = "") -> String {
    let positions = receivers.map {
      "  - { name: \($0.0), position: [\($0.1) m, \($0.2) m, 1.5 m] }\n"
    }.joined()
    func room(_ name: String, _ receivers: String, _ left: Int) -> String {
      let outline = "[[\(left) m, 0 m], [\(left + 5) m, 0 m], [\(left + 5) m, 4 m], [\(left) m, 4 m]]"
      return "  - { name: \(name), receivers: [\(receivers)]\(outlines ? ", outline: \(outline)" : "") }\n"
    }
    return "gateway: { name: flat }\n" + (outlines ? "receivers:\n\(positions)" : "")
      + "beacons:\n  - { name: tag, address: C1:00:00:00:00:01 }\n\(more)"
      + "rooms:\n" + room("kitchen", "esp-1", 0) + room("hall", outlines ? "esp-2" : "esp-2, esp-3", 5)
  }

  /// Path loss with noise; the same for the same seed.
  ///
  /// - Parameter loud: a receiver that hears 12 dB more.
  private static func recording(
    seed: UInt64 = 7, addresses: [String] = ["C1:00:00:00:00:01"], loud: String? = nil
  ) -> (walk: String, marks: String) {
    var noise = SeededGenerator(seed: seed)
    var (walk, marks) = ("", "time,room,x,y\n")
    for step in 0..<(stops.count * 30 * 4) {
      let (stop, second) = (stops[step / 120], Double(step) / 4)
      if step % 120 == 0 {
        marks += "\(1_700_000_000 + second),\(stop.0 < 5 ? "kitchen" : "hall"),\(stop.0),\(stop.1)\n"
      }
      for (name, x, y) in receivers {
        let metres = max(hypot(x - stop.0, y - stop.1), 0.5)
        let wall = (x < 5) == (stop.0 < 5) ? 0.0 : 6
        let spread = (0..<4).reduce(0.0) { sum, _ in sum + Double.random(in: -3...3, using: &noise) }
        let level = Int(((name == loud ? -43 : -55) - 22 * log10(metres) - wall + spread).rounded())
        for address in addresses {
          walk +=
            #"{"t": \#(1_700_000_000 + second), "receiver": "\#(name)", "address": "\#(address)", "#
            + #""address_type": "random", "rssi": \#(level), "payload": ""}"# + "\n"
        }
      }
    }
    return (walk, marks)
  }

  private static func replay(_ site: String, _ walk: String, _ more: [String]) async throws -> Command.Result
  {
    try await Command(
      ["replay", "--config", try file(site, "yaml"), "--capture", try file(walk, "jsonl")] + more
    ).end()
  }

  private static func assessment(_ result: Command.Result) throws -> Assessment {
    try JSONDecoder().decode(Assessment.self, from: Data(try #require(result.lines.last).utf8))
  }

  @Test(arguments: [true, false])
  func truthTellsHowRightTheRoomsWere(outlines: Bool) async throws {
    let (walk, marks) = Self.recording()
    let site = Self.site(outlines: outlines)
    let result = try await Self.replay(site, walk, ["--truth", try file(marks, "csv")])
    #expect(result.status == 0, "\(result.errors)")
    let found = try Self.assessment(result)
    #expect(found.beacon == "tag" && found.true_changes == 3 && abs(found.seconds - 150) < 3)
    #expect(found.right > 0.8, "\(found.right)")
    #expect(found.changes >= 3 && found.changes <= 5 && found.missed == 0)
    #expect((found.position != nil) == outlines)
    if let position = found.position { #expect(position.median_m < 3, "\(position.median_m)") }
    #expect(abs(found.confusion.reduce(0) { $0 + $1.s } - found.seconds) < 0.01)
    #expect(result.errors.contains("TRUE \\ REPORTED, s") && result.errors.contains("3 true"))
  }

  @Test func twoRunsGiveTheSameBytesAndTheTransitionsAreThoseWithoutTruth() async throws {
    let (walk, marks) = Self.recording()
    let (site, truth) = (try file(Self.site(outlines: true), "yaml"), try file(marks, "csv"))
    let capture = try file(walk, "jsonl")
    let replay = ["replay", "--config", site, "--capture", capture]
    let plain = try await Command(replay).end()
    var pages: [Data] = []
    for _ in 0..<2 {
      let path = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID()).html")
      let result = try await Command(replay + ["--truth", truth, "--report", path.path]).end()
      #expect(result.status == 0 && result.lines.dropLast() == plain.lines[...], "\(result.errors)")
      pages.append(try Data(contentsOf: path))
    }
    #expect(pages[0] == pages[1])
    let page = try #require(PageReader(String(decoding: pages[0], as: UTF8.self)))
    #expect(page.text.contains("Which room was tag in?") && page.references == [])
    #expect(page.text.contains(try #require(capture.split(separator: "/").last)))
  }

  @Test func aPageOnStandardOutputIsAlone() async throws {
    let (walk, marks) = Self.recording()
    let site = Self.site(outlines: false)
    let result = try await Self.replay(site, walk, ["--report", "-", "--truth", try file(marks, "csv")])
    #expect(result.status == 0 && PageReader(result.output) != nil, "\(result.errors)")
    #expect(result.output.hasPrefix("<!DOCTYPE html>") && result.output.contains("there is no plan"))
  }

  @Test func marksMayCountFromTheStartOfTheRecording() async throws {
    let (walk, marks) = Self.recording()
    let since = marks.replacingOccurrences(of: "1700000", with: "").replacingOccurrences(
      of: "\n000.", with: "\n0.")
    let site = Self.site(outlines: true)
    let first = try await Self.replay(site, walk, ["--truth", try file(marks, "csv")])
    let second = try await Self.replay(site, walk, ["--truth", try file(since, "csv")])
    #expect(second.status == 0 && first.output == second.output, "\(second.errors)")
  }

  @Test(arguments: [true, false])
  func whatWasLearnedOfReceiversIsToldOnce(outlines: Bool) async throws {
    let site = Self.site(outlines: outlines)
    let walk = Self.recording(loud: "esp-2").walk
    let told = try await Self.replay(site, walk, []).errors.split(separator: "\n")
      .filter { $0.hasPrefix("receivers, compared with what rooms expect of them: ") }
    #expect(told.count == 1)
    let line = try #require(told.first)
    #expect(line.contains("esp-1 −") && line.contains("esp-2 +"), "\(line)")
    #expect(line.hasSuffix("dB (learned)"))
  }

  @Test func aMissedExpectationFailsTheReplay() async throws {
    let (walk, marks) = Self.recording()
    let truth = ["--truth", try file(marks, "csv")]
    let site = Self.site(outlines: true)
    #expect(try await Self.replay(site, walk, truth + ["--expect-right", "60"]).status == 0)
    let strict = try await Self.replay(site, walk, truth + ["--expect-right", "100"])
    #expect(
      strict.status == 1 && strict.errors.contains("in less than 100 % of the time"), "\(strict.errors)")
  }

  @Test func aRecordingOfSeveralBeaconsNeedsABeaconOption() async throws {
    let (walk, marks) = Self.recording(addresses: ["C1:00:00:00:00:01", "C1:00:00:00:00:02"])
    let site = Self.site(outlines: true, more: "  - { name: key, address: C1:00:00:00:00:02 }\n")
    let truth = ["--truth", try file(marks, "csv")]
    let both = try await Self.replay(site, walk, truth)
    #expect(
      both.status == 65 && both.errors.contains("several beacons were heard: tag, key"), "\(both.errors)")
    let key = try await Self.replay(site, walk, truth + ["--beacon", "key"])
    #expect(try Self.assessment(key).beacon == "key")
    let none = try await Self.replay(site, walk, truth + ["--beacon", "kye"])
    #expect(none.status == 78 && none.errors.contains("no such beacon"), "\(none.errors)")
  }

  @Test func marksThatCannotBeComparedAreExplained() async throws {
    let (walk, _) = Self.recording()
    let site = Self.site(outlines: true)
    for (marks, words) in [
      ("time,room\n0,attic\n", "there is no room “attic”"), ("0,kitchen\n", "the header is not time,room"),
      ("time,room\n5000,kitchen\n", "no mark gives a room between 2023-11-14T22:13:20"),
      ("time,room\n5,\n", "no mark gives a room"),
    ] {
      let result = try await Self.replay(site, walk, ["--truth", try file(marks, "csv")])
      #expect(result.status == 65 && result.errors.contains(words), "\(result.errors)")
    }
    let noRooms = site.components(separatedBy: "rooms:")[0]
    let result = try await Self.replay(noRooms, walk, ["--report", "/dev/null"])
    #expect(result.status == 78 && result.errors.contains("need `rooms:`"), "\(result.errors)")
    let other = try await Self.replay(
      site.replacingOccurrences(of: ":01 }", with: ":09 }"), walk, ["--report", "/dev/null"])
    #expect(other.status == 65 && other.errors.contains("no receiver of the rooms heard"), "\(other.errors)")
  }

  @Test(arguments: [
    ["--beacon", "tag"], ["--expect-right", "90"], ["--truth", "x", "--expect-right", "101"],
  ])
  func optionsThatMakeNoSenseAloneAreRefused(options: [String]) async throws {
    let result = try await Self.replay(Self.site(outlines: true), "", options)
    #expect(result.status == 64, "\(result.errors)")
  }
}
