import Foundation
import TestSupport
import Testing

/// A real mosquitto for one test. All that gateways publish there is held to the schemas of their topics.
struct Broker {
  private let mosquitto: TestBroker
  private let recorder: Child?
  private let record: String
  var port: Int { mosquitto.port }

  /// Returns when the broker listens, and records what comes there.
  /// Of a broker that is closed to strangers nothing is recorded without an account.
  init(_ settings: String = "allow_anonymous true", recordedAs account: [String] = []) async throws {
    mosquitto = try TestBroker(settings)
    try await mosquitto.start()
    record = try file("", "record")
    guard settings.contains("allow_anonymous true") || !account.isEmpty else {
      recorder = nil
      return
    }
    recorder = try Child(
      ["stdbuf", "-oL", "mosquitto_sub", "-d", "-h", "127.0.0.1", "-p", "\(mosquitto.port)", "-q", "1"]
        + ["-t", "beaconkeeper/#", "-t", "room_presence/#", "-F", "%t %x"] + account,
      output: FileHandle(forWritingTo: URL(fileURLWithPath: record)))
    try await until("the recorder is subscribed") { [record] in
      ((try? String(contentsOfFile: record, encoding: .utf8)) ?? "").contains("Subscribed (mid")
    }
  }

  /// Topic and payload of each message so far.
  var messages: [(topic: String, payload: [UInt8])] {
    let lines = (try? String(contentsOfFile: record, encoding: .utf8))?.split(separator: "\n") ?? []
    let starts = ["beaconkeeper/", "homeassistant/", "room_presence/"]
    return lines.filter { line in starts.contains { line.hasPrefix($0) } }.map { line in
      let parts = line.split(separator: " ", omittingEmptySubsequences: false)
      let digits = Array(parts.count > 1 ? parts[1] : "")
      let payload = stride(from: 0, to: digits.count - 1, by: 2).compactMap {
        UInt8(String(digits[$0...($0 + 1)]), radix: 16)
      }
      return (String(parts[0]), payload)
    }
  }

  func reload() async throws { try await mosquitto.reload() }
  func kill() { mosquitto.kill() }

  func stop() {
    recorder?.signal(SIGKILL)
    mosquitto.kill()
    // An empty message clears a topic.
    for message in messages where !message.payload.isEmpty {
      #expect(MessageSchemas.faults(topic: message.topic, payload: message.payload) == [])
    }
  }
}

/// What mosquitto reads, of lines `name:password`.
func passwordFile(_ accounts: String) async throws -> String {
  let path = try file(accounts, "passwords")
  try await run(["mosquitto_passwd", "-U", path])
  return path
}

/// Waits for what must come soon, and is patient where the machine is slow.
func until(_ what: String, _ condition: () -> Bool) async throws {
  let end = ContinuousClock.now + .seconds(300)
  while ContinuousClock.now < end {
    if condition() { return }
    try await Task.sleep(for: .milliseconds(20))
  }
  throw NotInTime(description: "not within 300 s: \(what)")
}

private struct NotInTime: Error, CustomStringConvertible {
  var description: String
}
