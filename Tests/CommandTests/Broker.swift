import Foundation
import MessageSchemas
import Testing

/// A real mosquitto for one test. All that gateways publish there is held to the schemas of their topics.
struct Broker {
  let process = Process()
  let port: Int
  private let recorder = Process()
  private let record: String

  /// Returns when the broker listens, and records what comes there.
  /// Of a broker that is closed to strangers nothing is recorded without an account.
  init(_ settings: String = "allow_anonymous true", recordedAs account: [String] = []) async throws {
    port = try freePort()
    // A child of a test inherits blocked signals, and would not hear SIGHUP.
    let unblocked =
      "import os, signal, sys; signal.pthread_sigmask(signal.SIG_SETMASK, []); os.execv(sys.argv[1], sys.argv[1:])"
    process.executableURL = URL(fileURLWithPath: "/usr/bin/python3")
    process.arguments = [
      "-c", unblocked, "/usr/sbin/mosquitto", "-c",
      try file("listener \(port) 127.0.0.1\n\(settings)\n", "conf"),
    ]
    process.standardError = FileHandle.nullDevice
    process.standardOutput = FileHandle.nullDevice
    try process.run()
    record = try file("", "record")
    try await until("the broker listens at \(port)") { [port, process] in
      isListening(port) || !process.isRunning
    }
    try #require(process.isRunning, "the port \(port) was taken meanwhile")
    guard settings.contains("allow_anonymous true") || !account.isEmpty else { return }
    recorder.executableURL = URL(fileURLWithPath: "/usr/bin/stdbuf")
    recorder.arguments =
      ["-oL", "mosquitto_sub", "-d", "-h", "127.0.0.1", "-p", "\(port)", "-q", "1"]
      + ["-t", "beaconkeeper/#", "-t", "room_presence/#", "-F", "%t %x"] + account
    recorder.standardError = FileHandle.nullDevice
    recorder.standardOutput = try FileHandle(forWritingTo: URL(fileURLWithPath: record))
    try recorder.run()
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

  /// By force: a child of a test inherits blocked signals.
  func stop() {
    if recorder.isRunning { kill(recorder.processIdentifier, SIGKILL) }
    kill(process.processIdentifier, SIGKILL)
    for message in messages {
      #expect(MessageSchemas.faults(topic: message.topic, payload: message.payload) == [])
    }
  }
}

/// What mosquitto reads, of lines `name:password`.
func passwordFile(_ accounts: String) throws -> String {
  let path = try file(accounts, "passwords")
  let hasher = Process()
  hasher.executableURL = URL(fileURLWithPath: "/usr/bin/mosquitto_passwd")
  hasher.arguments = ["-U", path]
  try hasher.run()
  hasher.waitUntilExit()
  return path
}

/// Waits for what must come soon, and is patient where the machine is slow.
func until(_ what: String, _ condition: () -> Bool) async throws {
  for _ in 0..<1500 {
    if condition() { return }
    try await Task.sleep(for: .milliseconds(20))
  }
  throw NotInTime(description: "not within 30 s: \(what)")
}

private struct NotInTime: Error, CustomStringConvertible {
  var description: String
}

private func loopback(_ port: Int) -> sockaddr_in {
  var address = sockaddr_in()
  address.sin_family = sa_family_t(AF_INET)
  address.sin_port = UInt16(port).bigEndian
  address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
  return address
}

/// One that the kernel has to give away.
func freePort() throws -> Int {
  let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
  defer { close(descriptor) }
  var address = loopback(0)
  var length = socklen_t(MemoryLayout<sockaddr_in>.size)
  let isBound = withUnsafeMutablePointer(to: &address) { pointer in
    pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
      bind(descriptor, $0, length) == 0 && getsockname(descriptor, $0, &length) == 0
    }
  }
  try #require(isBound)
  return Int(UInt16(bigEndian: address.sin_port))
}

private func isListening(_ port: Int) -> Bool {
  let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
  defer { close(descriptor) }
  return withUnsafePointer(to: loopback(port)) { pointer in
    pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
      connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
    }
  }
}
