import Foundation
import MessageSchemas
import Testing

/// A real mosquitto for one test. All that gateways publish there is held to the schemas of their topics.
struct Broker {
  let process = Process()
  let port: Int
  private let recorder = Process()
  private let record: String

  init(_ settings: String = "allow_anonymous true", recordedAs account: [String] = []) async throws {
    port = Int.random(in: 20_000..<40_000)
    process.executableURL = URL(fileURLWithPath: "/usr/sbin/mosquitto")
    process.arguments = ["-c", try file("listener \(port) 127.0.0.1\n\(settings)\n", "conf")]
    process.standardError = FileHandle.nullDevice
    process.standardOutput = FileHandle.nullDevice
    try process.run()
    try await Task.sleep(for: .milliseconds(500))
    record = try file("", "record")
    recorder.executableURL = URL(fileURLWithPath: "/usr/bin/mosquitto_sub")
    recorder.arguments =
      ["-p", "\(port)", "-q", "1", "-t", "beaconkeeper/#", "-F", "%t %x"] + account
    recorder.standardError = FileHandle.nullDevice
    recorder.standardOutput = try FileHandle(forWritingTo: URL(fileURLWithPath: record))
    try recorder.run()
  }

  /// Topic and payload of each message so far.
  var messages: [(topic: String, payload: [UInt8])] {
    let lines = (try? String(contentsOfFile: record, encoding: .utf8))?.split(separator: "\n") ?? []
    return lines.map { line in
      let parts = line.split(separator: " ", omittingEmptySubsequences: false)
      let digits = Array(parts.count > 1 ? parts[1] : "")
      let payload = stride(from: 0, to: digits.count - 1, by: 2).compactMap {
        UInt8(String(digits[$0...($0 + 1)]), radix: 16)
      }
      return (String(parts[0]), payload)
    }
  }

  /// By force: a child of a test inherits blocked signals.
  func stop() {
    kill(recorder.processIdentifier, SIGKILL)
    kill(process.processIdentifier, SIGKILL)
    for message in messages {
      #expect(MessageSchemas.faults(topic: message.topic, payload: message.payload) == [])
    }
  }
}
