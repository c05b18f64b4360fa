import Foundation
import TestSupport

/// A real gateway whose disk and clock a test can spoil, with two tags and one zone, at a real broker.
struct DiskStage {
  /// What spoils them.
  static let shim = URL(fileURLWithPath: #filePath)
    .appendingPathComponent("../../Chaos/shim.c").standardized

  /// Two tags that come and go every second, for longer than the slowest machine takes for a test.
  static var recording: String {
    (0..<12_000).map { step in
      let tag = step % 2
      let isNear = (step / 20 + tag) % 2 == 0
      return heard(tag, isNear ? -45 : -95, at: Double(step) / 20)
    }.joined()
  }

  /// An entry of a recording.
  static func heard(_ tag: Int, _ rssi: Int, at time: Double = 1) -> String {
    #"{"t":\#(time),"receiver":"hci0","address":"C1:00:00:00:00:0\#(tag)","address_type":"random","#
      + #""rssi":\#(rssi),"payload":"020106"}"# + "\n"
  }

  let folder = FileManager.default.temporaryDirectory.appendingPathComponent("disk-\(UUID())")
  let broker: Broker
  var hangs: URL { folder.appendingPathComponent("hangs") }
  var full: URL { folder.appendingPathComponent("full") }

  init(_ settings: String = "allow_anonymous true", protocol version: String = "5") async throws {
    broker = try await Broker(settings)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    try Data(Self.recording.utf8).write(to: folder.appendingPathComponent("walk.jsonl"))
    try Data(
      """
      gateway: { name: yard }
      broker: { url: "mqtt://127.0.0.1:\(broker.port)", protocol: \(version) }
      beacons:
        - { name: tag-0, address: "C1:00:00:00:00:00" }
        - { name: tag-1, address: "C1:00:00:00:00:01" }
      zones:
        - { name: shop, enter: { distance: 4 m, dwell: 0 s }, exit: { distance: 6 m, dwell: 0 s } }
      telemetry: { health: 1 s }
      http: { listen: "127.0.0.1:0" }
      """.utf8
    ).write(to: folder.appendingPathComponent("yard.yaml"))
    try await run(["cc", "-shared", "-fPIC", "-o", "shim.so", Self.shim.path, "-ldl"], in: folder)
  }

  /// - Parameters:
  ///   - pipe: what it hears, instead of the recording.
  ///   - ahead: how far its calendar is, in seconds.
  func start(hearing pipe: Pipe? = nil, ahead: Int = 0) throws -> Command {
    let clock = folder.appendingPathComponent("clock-\(ahead)")
    try withUnsafeBytes(of: Int64(ahead)) { try Data($0).write(to: clock) }
    return try Command(
      [
        "LD_PRELOAD=\(folder.path)/shim.so", "HANGING_DISK=\(hangs.path)", "FULL_DISK=\(full.path)",
        "CLOCK=\(clock.path)", "STATE_DIRECTORY=\(folder.path)/state",
        Command.binary.path, "run", "--config", "yard.yaml", "--capture",
        pipe == nil ? "walk.jsonl" : "-",
      ], standardInput: pipe?.fileHandleForReading, directory: folder,
      executable: URL(fileURLWithPath: "/usr/bin/env"))
  }

  /// Payloads of what the broker passed on below the zone.
  func said(_ event: String) -> [[UInt8]] {
    broker.messages.filter { $0.topic.hasSuffix("/zone/shop/\(event)") }.map(\.payload)
  }

  /// (epoch, seq) of each transition that the broker passed on.
  var numbers: [[UInt64]] {
    broker.messages.filter { $0.topic.hasSuffix("/enter") || $0.topic.hasSuffix("/exit") }
      .compactMap {
        let object = try? JSONSerialization.jsonObject(with: Data($0.payload)) as? [String: Any]
        guard let epoch = object?["epoch"] as? NSNumber, let seq = object?["seq"] as? NSNumber
        else {
          return nil
        }
        return [epoch.uint64Value, seq.uint64Value]
      }
  }

  var healths: [String] {
    broker.messages.filter { $0.topic.hasSuffix("/health") }.map {
      String(decoding: $0.payload, as: UTF8.self)
    }
  }

  var health: String { healths.last ?? "" }

  /// How many transitions were decided, as health said last.
  var decided: Int { health.firstMatch(of: #/"transitions":(\d+)/#).flatMap { Int($0.1) } ?? 0 }

  func end() {
    broker.stop()
    try? FileManager.default.removeItem(at: folder)
  }
}
