import Foundation
import Testing

private let script = "/usr/bin/script"

/// `calibrate` on a terminal, which `script` (of bsdutils) gives it.
@Suite(.enabled(if: FileManager.default.isExecutableFile(atPath: script)))
struct LiveCalibrationTests {

  /// Twenty minutes of one beacon that two receivers hear: longer than the slowest machine takes for the keys.
  private static let walk = (0..<12_000).map { step in
    #"{"t": \#(1_700_000_000 + Double(step) / 10), "receiver": "\#(step % 2 == 0 ? "a" : "b")", "#
      + #""address": "C1:00:00:00:00:01", "address_type": "random", "rssi": -60, "payload": "02011a0303aafe"}"#
  }.joined(separator: "\n")

  private static let yaml = """
    beacons: [{ name: keys, address: C1:00:00:00:00:01 }]
    rooms: [{ name: hall, receivers: [a] }, { name: bath, receivers: [b] }, { name: attic, receivers: [c] }]
    """

  /// Plays the walk; presses each key once the screen shows what precedes it.
  private func walk(_ presses: [(shown: String, key: String)]) async throws -> (Command.Result, folder: URL) {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("live-\(UUID())")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    try Data(Self.walk.utf8).write(to: folder.appendingPathComponent("walk.jsonl"))
    try Data(Self.yaml.utf8).write(to: folder.appendingPathComponent("site.yaml"))
    let keys = Pipe()
    let words = [
      Command.binary.path, "calibrate", "--config", "site.yaml", "--play", "walk.jsonl", "--record", "tape",
    ]
    let command = try Command(
      ["-qec", words.joined(separator: " "), "/dev/null"], standardInput: keys.fileHandleForReading,
      directory: folder, executable: URL(fileURLWithPath: script))
    for press in presses {
      let isShown = try await command.wait { command.outputSoFar.contains(press.shown) }
      #expect(isShown, "\(press.shown) is not shown: \(command.outputSoFar.suffix(600))")
      try keys.fileHandleForWriting.write(contentsOf: Data(press.key.utf8))
    }
    return (try await command.end(), folder)
  }

  @Test func keysTellTheRoomsAndTheWalkIsKept() async throws {
    let (result, folder) = try await walk([
      ("heard by: ", "1"), ("█", "2"), ("> 2  bath   █", " "), ("paused", "q"),
    ])
    defer { try? FileManager.default.removeItem(at: folder) }
    // Some seconds in two rooms cannot be judged, so nothing is kept of them but the recording.
    #expect(result.status == 65, "\(result.output.suffix(600))")
    #expect(result.output.contains("not heard by: c") && result.output.contains("no calibration was written"))
    // The terminal has its cursor and its screen back.
    #expect(result.output.contains("\u{1B}[?25h\u{1B}[?1049l"))
    let marks = try String(contentsOf: folder.appendingPathComponent("tape.csv"), encoding: .utf8)
    #expect(
      marks.split(separator: "\n").map { $0.split(separator: ",").dropFirst().first } == [
        "room", "hall", "bath", nil,
      ])

    let again = try await Command(
      ["calibrate", "--config", "site.yaml", "--marks", "tape.csv", "tape.jsonl"], directory: folder
    ).end()
    #expect(again.status == 65, "\(again.errors)")
    #expect(
      again.lines.first?.contains("in 2 of 3 rooms, heard by 2 of 3 receivers") == true, "\(again.output)")
    #expect(again.errors.contains("come back to rooms you have left"), "\(again.errors)")
  }

  @Test func anAbandonedCalibrationSaysWhereItsRecordingIs() async throws {
    let (result, folder) = try await walk([("heard by: ", "1"), ("> 1", "\u{3}")])
    defer { try? FileManager.default.removeItem(at: folder) }
    let words = "given up; no calibration was written; the walk is in tape.jsonl, its marks in tape.csv"
    #expect(result.status == 130 && result.output.contains(words), "\(result.output)")
    let marks = try String(contentsOf: folder.appendingPathComponent("tape.csv"), encoding: .utf8)
    #expect(marks.contains(",hall,"))
    #expect(result.output.contains("\u{1B}[?25h\u{1B}[?1049l"))
    #expect(!FileManager.default.fileExists(atPath: folder.appendingPathComponent("rooms.json").path))
  }
}
