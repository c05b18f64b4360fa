import Foundation

/// Holds messages to the schemas in config/schemas. Whatever a test sees published goes through here.
package struct MessageSchemas: Sendable {
  /// Schema files by the topic's levels after the gateway; `+` stands for a name.
  package static let files = [
    "status": "status", "health": "health", "instance": "instance", "zone/+/enter": "transition",
    "observations/+": "observations",
    "zone/+/near": "transition",
    "zone/+/exit": "transition", "zone/+/occupancy": "occupancy", "beacon/+/state": "beacon-state",
    "beacon/+/event": "beacon-event", "beacon/+/zone": "beacon-zone", "beacon/+/place": "beacon-place",
    "beacon/+/room": "beacon-room",
    "room/+/enter": "room-transition", "room/+/exit": "room-transition", "room/+/occupancy": "room-occupancy",
    "phone/+/window": "window", "phone/+/verdict": "verdict", "phone/+/record": "record",
    rooms: "room-presence",
  ]
  /// Not below the gateway, but where the configuration says; in the tests below this.
  private static let rooms = "room_presence/+"

  package static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent().appendingPathComponent("config/schemas/v1")

  /// The names of the files in a folder.
  package static func names(in folder: URL) throws -> Set<String> {
    Set(try FileManager.default.contentsOfDirectory(atPath: folder.path))
  }

  /// What is wrong with an answer of the HTTP API by the API's own document.
  ///
  /// - Parameter name: of the schema in it.
  package static func faults(api document: [UInt8], _ name: String, answer: [UInt8]) throws -> [String] {
    try Schema(document).faults(JSONValue(answer), as: "#/components/schemas/\(name)")
  }

  /// What is wrong with a message; empty: it is as its schema says. Topics of others are none of ours.
  package static func faults(topic: String, payload: [UInt8]) -> [String] {
    var levels = topic.split(separator: "/", omittingEmptySubsequences: false)
    let isRoom = levels.first == "room_presence"
    guard isRoom || levels.first == "beaconkeeper" && levels.count > 2 else { return [] }
    if !isRoom { levels.removeFirst(2) }
    if isRoom || levels.count == 3 || levels.first == "observations", levels.count > 1 { levels[1] = "+" }
    let kind = levels.joined(separator: "/")
    // What others say to the gateway; what is no longer retained; and what `doctor` tries.
    if kind == "doctor" || topic.hasSuffix("/app/set") || topic.hasSuffix("/app/seen")
      || (payload.isEmpty && cleared.contains(kind))
    {
      return []
    }
    guard let file = files[kind] else { return ["\(topic) has no schema"] }
    do {
      guard let schema = try schemas.get()[file] else { return ["there is no \(file).schema.json"] }
      let isText = ["status", "beacon-zone", "beacon-place"].contains(file)
      let value = try isText ? .text(String(decoding: payload, as: UTF8.self)) : JSONValue(payload)
      return schema.faults(value).map { "\(topic)\($0)" }
    } catch {
      return ["\(topic): \(error)"]
    }
  }

  /// What is wrong with what `simulate --json` wrote; empty: it is as its schema says.
  package static func faults(simulation output: String) throws -> [String] {
    try faults(output, by: "simulation")
  }

  /// The same for `compare-log --json`.
  package static func faults(logComparison output: String) throws -> [String] {
    try faults(output, by: "log-comparison")
  }

  /// The same for `design --json`.
  package static func faults(design output: String) throws -> [String] { try faults(output, by: "design") }

  private static func faults(_ output: String, by schema: String) throws -> [String] {
    let file = folder.deletingLastPathComponent().appendingPathComponent("\(schema).schema.json")
    return try Schema(Array(Data(contentsOf: file))).faults(JSONValue(Array(output.utf8)))
  }

  /// What is wrong with a file that `calibrate` wrote; empty: it is as its schema says.
  package static func faults(calibration text: [UInt8]) throws -> [String] {
    let file = folder.deletingLastPathComponent().appendingPathComponent("room-calibration.schema.json")
    return try Schema(Array(Data(contentsOf: file))).faults(JSONValue(text))
  }

  /// What an editor would say of a configuration, given as JSON; empty: it is as its schema says.
  package static func faults(configuration text: [UInt8]) throws -> [String] {
    let file = folder.deletingLastPathComponent().deletingLastPathComponent()
      .appendingPathComponent("beaconkeeper.schema.json")
    return try Schema(Array(Data(contentsOf: file))).faults(JSONValue(text))
  }

  /// What is taken back with what it is of.
  private static let cleared: Set = [
    "phone/+/window", "phone/+/record", "beacon/+/state", "beacon/+/zone", "beacon/+/place", "beacon/+/room",
  ]

  private static let schemas = Result {
    try Dictionary(
      uniqueKeysWithValues: Set(files.values).map { file in
        let text = try Data(contentsOf: folder.appendingPathComponent("\(file).schema.json"))
        return (file, try Schema(Array(text)))
      })
  }
}
