import Foundation
import Testing

/// A robot's recording of a real flat, if it is there: beside the project, not in it (`BEACONKEEPER_SHARED`, by default `../shared`).
@Suite struct FlatCalibrationTests {
  private static let data: URL = {
    let shared =
      ProcessInfo.processInfo.environment["BEACONKEEPER_SHARED"].map { URL(fileURLWithPath: $0) }
      ?? Command.package.deletingLastPathComponent().appendingPathComponent("shared")
    return shared.appendingPathComponent("data/rssi/flat")
  }()
  static let isThere = FileManager.default.fileExists(
    atPath: data.appendingPathComponent("calibration.csv").path)

  /// x0, y0, x1, y1 in metres, and who hangs there.
  private static let rooms: [(name: String, corners: [Double], receivers: [String])] = [
    ("hall", [0, 0, 3.88, 2.07], ["anchor3"]), ("bath", [4.05, 0, 6.22, 1.93], ["anchor5"]),
    ("living", [2.7, 2.12, 6.27, 7.1], ["anchor1", "anchor4"]),
    ("kitchen", [6.37, 4.19, 9.07, 7.1], ["anchor6"]),
    ("bedroom", [0, 2.18, 2.58, 7.1], ["anchor2"]),
  ]
  /// Of three moments one is used, so that a debug build is done in time.
  private static let every = 3

  private static func rows(_ file: String) throws -> [[String]] {
    try String(contentsOf: data.appendingPathComponent(file), encoding: .utf8).split(separator: "\n")
      .dropFirst()
      .map { $0.split(separator: ",").map(String.init) }
  }

  private static func configuration() throws -> String {
    var yaml = "beacons: [{ name: robot, address: C1:00:00:00:00:01 }]\nreceivers:\n"
    for row in try rows("receivers.csv") {
      yaml += "  - { name: \(row[0]), position: [\(row[1]) m, \(row[2]) m, \(row[3]) m] }\n"
    }
    yaml += "rooms:\n"
    for room in rooms {
      let (a, b, c, d) = (room.corners[0], room.corners[1], room.corners[2], room.corners[3])
      yaml +=
        "  - { name: \(room.name), receivers: [\(room.receivers.joined(separator: ", "))], outline: "
        + "[[\(a) m, \(b) m], [\(c) m, \(b) m], [\(c) m, \(d) m], [\(a) m, \(d) m]] }\n"
    }
    return yaml
  }

  /// The share of the time for which the room was right on stretches left out.
  private func right(marksPoints: Bool) async throws -> Double {
    var (capture, marks) = ("", marksPoints ? "time,room,x,y\n" : "time,room\n")
    var (moment, last, room) = (-1, "", "")
    for row in try Self.rows("calibration.csv") {
      let isNew = row[0] != last
      if isNew { (moment, last) = (moment + 1, row[0]) }
      if isNew, marksPoints || row[7] != room {
        marks += row[0] + "," + row[7] + (marksPoints ? ",\(row[4]),\(row[5])" : "") + "\n"
        room = row[7]
      }
      guard moment % Self.every == 0, let level = Double(row[3]) else { continue }
      capture +=
        #"{"t": \#(row[0]), "receiver": "\#(row[1])", "address": "C1:00:00:00:00:01", "address_type": "random", "#
        + #""rssi": \#(Int(level.rounded())), "payload": "02011a0303aafe"}"# + "\n"
    }
    let files = [
      try file(Self.configuration(), "yaml"), try file(marks, "csv"), try file(capture, "jsonl"),
    ]
    defer { for file in files { try? FileManager.default.removeItem(atPath: file) } }
    let result = try await Command(
      ["calibrate", "--config", files[0], "--marks", files[1], files[2], "--dry-run", "--json"]
    ).end()
    let object = try #require(
      try JSONSerialization.jsonObject(with: Data(result.output.utf8)) as? [String: Any], "\(result.errors)")
    let heldOut = try #require(object["held_out"] as? [String: Any])
    let all = try #require(heldOut["all"] as? [String: Any])
    return try #require(all["right"] as? Double)
  }

  @Test(.enabled(if: isThere)) func roomLabelsAreEnoughForMostOfTheFlat() async throws {
    let share = try await right(marksPoints: false)
    #expect(share >= 0.85)
  }

  @Test(.enabled(if: isThere)) func pointsTellMore() async throws {
    let share = try await right(marksPoints: true)
    #expect(share >= 0.87)
  }
}
