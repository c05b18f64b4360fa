import Beacons
import Captures
import Contract
import Core
import Foundation
import Glibc
import Phones
import Pipeline
import Scenes
import Testing

@testable import Gateway

/// What phones' apps told a gateway is in its recording, so that a replay shows the same record.
@Suite struct ReportRecordingTests {
  private static let yaml = """
    gateway: { name: forecourt }
    receivers: [{ name: hci0 }]
    beacons: [{ name: van, ibeacon: { uuid: F29DC74A-DBBD-12DE-318A-C8B046DD4425, major: 1, minor: 2 } }]
    zones:
      - name: pump
        near:  { distance: 2 m, dwell: 1 s, rearm: 4 m }
        enter: { distance: 6 m, dwell: 1 s }
        exit:  { distance: 9 m, dwell: 2 s, lost: 10 s }
    phones: [{ name: anna, beacon: van, os: ios7, strategy: background-task }]

    """

  private let path = FileManager.default.temporaryDirectory.appendingPathComponent("reports-\(UUID()).jsonl")
    .path

  private func report(_ text: String, _ kind: AppReport.Kind, at second: Double) -> AppReport {
    AppReport(
      phone: "anna", kind: kind, payload: Array(text.utf8), isRetained: false, time: .zero,
      wallTime: WallTime(nanoseconds: Int64(second * 1e9)))
  }

  /// The last record that a replay tells.
  private func record(_ lines: [String]) throws -> RecordMessage? {
    try Data(lines.joined(separator: "\n").utf8).write(to: URL(fileURLWithPath: path))
    var replay = try Replay(Scene.configuration(Self.yaml), captures: [path])
    var output = Pipeline.Output()
    var last: RecordMessage?
    while try replay.next(into: &output) {
      for case .state(.record(let record)) in output.items { last = record }
    }
    return last
  }

  private var visit: [(time: Double, line: String)] {
    (0..<120).map { step in
      let time = 1_700_000_000 + Double(step) / 5
      return (
        time,
        #"{"t":\#(time),"receiver":"hci0","rssi":\#(step < 75 ? -85 : -59),"measured_power":-59,"beacon":"ibeacon f29dc74adbbd12de318ac8b046dd4425 1 2"}"#
      )
    }
  }

  @Test func `a replay counts what the app told the gateway`() throws {
    defer { unlink(path) }
    let recorder = try Recorder(path: path, format: .text)
    #expect(recorder.note(report(#"{"event":"near"}"#, .seen, at: 1_700_000_018.5)) == nil)
    #expect(recorder.note(report(String(repeating: "x", count: 2000), .set, at: 1_700_000_018.6)) == nil)
    let kept = try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n")
    #expect(kept.count == 1, "what nobody reads is not kept")
    let lines = (visit + [(1_700_000_018.5, String(kept[0]))]).sorted { $0.time < $1.time }.map(\.line)
    let told = try #require(try record(lines))
    #expect(told.record.counts.uncounted == 0 && told.record.since != nil)
    #expect(told.record.encounters.last?.seen != nil && told.record.encounters.last?.near != nil)
    #expect(try record(visit.map(\.line))?.record.since == nil)
  }
}
