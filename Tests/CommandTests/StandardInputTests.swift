import Foundation
import Synchronization
import Testing

/// `run --capture -`: another program's receiver, through a pipe.
@Suite struct StandardInputTests {
  /// An entry with a time of long ago: it is heard when it arrives.
  private let entry =
    #"{"t":1,"receiver":"attic","address":"C1:00:00:00:00:01","address_type":"random","rssi":-60,"payload":"020106"}"#
    + "\n"

  private func gateway(reading pipe: Pipe, lost: String = "1 min") async throws -> (Command, Broker) {
    let broker = try await Broker()
    let configuration = try file(
      """
      broker: { url: "mqtt://127.0.0.1:\(broker.port)" }
      beacons: [{ name: key, address: "C1:00:00:00:00:01" }]
      zones: [{ name: house, enter: { signal: -70 dBm, dwell: 200 ms }, exit: { signal: -80 dBm, lost: \(lost) } }]
      """, "yaml")
    let gateway = try Command(
      ["run", "--config", configuration, "--capture", "-"], standardInput: pipe.fileHandleForReading)
    // The gateway's end alone is to be left open.
    try pipe.fileHandleForReading.close()
    return (gateway, broker)
  }

  /// The machine sleeps, or a virtual machine stands still; what came meanwhile waits in the pipe.
  @Test(arguments: [12, 25]) func aPauseOfTheProcessIsNoAbsence(seconds: Int) async throws {
    let pipe = Pipe()
    let (gateway, broker) = try await gateway(reading: pipe, lost: "\(seconds - 2) s")
    defer { broker.stop() }
    // The receiver is a thread of its own: tests share few, and one of them may wait for longer than the beacon may be silent.
    let isOver = Mutex(false)
    let receiver = Thread { [entry] in
      while !isOver.withLock({ $0 }) {
        try? pipe.fileHandleForWriting.write(contentsOf: Data(entry.utf8))
        usleep(100_000)
      }
      try? pipe.fileHandleForWriting.close()
    }
    receiver.start()
    defer { isOver.withLock { $0 = true } }
    #expect(try await gateway.wait { gateway.outputSoFar.contains("enter  house") })
    gateway.signal(SIGSTOP)
    try await Task.sleep(for: .seconds(seconds))
    gateway.signal(SIGCONT)
    #expect(try await gateway.wait { gateway.errorsSoFar.contains("this process did not run for") })
    try await Task.sleep(for: .seconds(1))
    isOver.withLock { $0 = true }
    let result = try await gateway.end()
    #expect(!result.output.contains("exit"), "\(result.output)")
  }

  private func lastStatus(_ broker: Broker) -> String? {
    broker.messages.last { $0.topic.hasSuffix("/status") }.map { String(decoding: $0.payload, as: UTF8.self) }
  }

  @Test func pipedInputIsHeardAtOnceAndItsEndEndsTheRunWithoutError() async throws {
    let pipe = Pipe()
    let (gateway, broker) = try await gateway(reading: pipe)
    defer { broker.stop() }
    #expect(
      try await gateway.wait {
        try? pipe.fileHandleForWriting.write(contentsOf: Data(entry.utf8))
        usleep(100_000)
        return gateway.outputSoFar.contains("enter  house")
      })
    try pipe.fileHandleForWriting.close()
    let result = try await gateway.end()
    #expect(result.status == 0)
    #expect(result.errors.contains("standard input ended"))
    let told = result.errors.components(
      separatedBy: "standard input is of 1970-01-01T00:00:01.000Z, but counts when it arrives")
    #expect(told.count == 2, "\(result.errors)")
    try await until("its last word is offline") { lastStatus(broker) == "offline" }
  }

  /// A connection that breaks: reading it fails.
  @Test func `an input that fails ends the run, and nobody is told that the gateway is online`() async throws
  {
    let broker = try await Broker()
    defer { broker.stop() }
    let configuration = try file("broker: { url: \"mqtt://127.0.0.1:\(broker.port)\" }", "yaml")
    var ends: [CInt] = [0, 0]
    try #require(socketpair(AF_UNIX, CInt(SOCK_STREAM.rawValue), 0, &ends) == 0)
    // With this unread, the other end is reset.
    try #require(write(ends[1], "x", 1) == 1)
    let gateway = try Command(
      ["run", "--config", configuration, "--capture", "-"],
      standardInput: FileHandle(fileDescriptor: ends[1], closeOnDealloc: true))
    #expect(try await gateway.wait { lastStatus(broker) == "online" })
    close(ends[0])
    #expect(try await gateway.end().status == 65)
    try await until("its last word is offline") { lastStatus(broker) == "offline" }
  }

  /// As `my-receiver | beaconkeeper run …` on Ctrl-C, which reaches both. Who ends first is a matter of chance.
  @Test(.serialized, arguments: 0..<20) func endOfInputTogetherWithASignalIsNoError(turn: Int) async throws {
    let pipe = Pipe()
    let (gateway, broker) = try await gateway(reading: pipe)
    defer { broker.stop() }
    try pipe.fileHandleForWriting.write(contentsOf: Data(entry.utf8))
    #expect(try await gateway.wait { broker.messages.contains { $0.topic.hasSuffix("/status") } })
    gateway.signal(SIGTERM)
    usleep(UInt32(turn) * 2000)
    try pipe.fileHandleForWriting.close()
    let result = try await gateway.end()
    #expect(result.status == 0, "\(result.errors)")
    try await until("its last word is offline") { lastStatus(broker) == "offline" }
  }

  /// Nothing comes through the pipe, and it stays open: the gateway must not wait for it.
  @Test func aBrokerThatRefusesEndsItAlthoughNothingComes() async throws {
    let broker = try await Broker("allow_anonymous false\npassword_file \(try file("", "users"))")
    defer { broker.stop() }
    let password = try file("wrong-secret", "password", mode: 0o600)
    let configuration = try file(
      "broker: { url: \"mqtt://127.0.0.1:\(broker.port)\", username: gw, password_file: \(password) }", "yaml"
    )
    let pipe = Pipe()
    let gateway = try Command(
      ["run", "--config", configuration, "--capture", "-"], standardInput: pipe.fileHandleForReading)
    let result = try await gateway.end()
    #expect(result.status == 77)
    #expect(result.errors.contains("password"))
    try pipe.fileHandleForWriting.close()
  }

  @Test func aRivalEndsItAlthoughNothingComes() async throws {
    let (pipe, another) = (Pipe(), Pipe())
    let (gateway, broker) = try await gateway(reading: pipe)
    defer { broker.stop() }
    #expect(try await gateway.wait { gateway.outputSoFar.contains("watch: ") })
    let configuration = try file("broker: { url: \"mqtt://127.0.0.1:\(broker.port)\" }", "yaml")
    try await until("the first has said who it is") {
      broker.messages.contains { $0.topic.hasSuffix("/instance") }
    }
    let other = try Command(
      ["run", "--config", configuration, "--capture", "-"], standardInput: another.fileHandleForReading)
    let result = try await other.end()
    #expect(result.status == 69)
    #expect(result.errors.contains("another gateway with this name"))
    try pipe.fileHandleForWriting.write(contentsOf: Data(entry.utf8))
    for pipe in [pipe, another] { try pipe.fileHandleForWriting.close() }
    let first = try await gateway.end()
    #expect(first.status == 0, "\(first.errors)")
  }

  @Test func `lines that are no entries are counted and named, and the gateway goes on`() async throws {
    let pipe = Pipe()
    let (gateway, broker) = try await gateway(reading: pipe)
    defer { broker.stop() }
    let long = String(repeating: "x", count: 70_000)
    let lines = "my receiver starts\n" + entry + "{\"t\":1}\n{\"t\":2}\n\(long)\n"
    try pipe.fileHandleForWriting.write(contentsOf: Data(lines.utf8))
    #expect(
      try await gateway.wait {
        try? pipe.fileHandleForWriting.write(contentsOf: Data(entry.utf8))
        usleep(100_000)
        return gateway.outputSoFar.contains("enter  house")
      })
    func health() -> [String: Any]? {
      let last = broker.messages.last { $0.topic.hasSuffix("/health") }
      let fields =
        last.flatMap { try? JSONSerialization.jsonObject(with: Data($0.payload)) } as? [String: Any]
      return fields?["standard_input"] as? [String: Any]
    }
    #expect(try await gateway.wait { health()?["refused"] as? Int == 4 })
    #expect((health()?["last_refused"] as? String)?.hasPrefix("standard input: line 5") == true)
    try pipe.fileHandleForWriting.write(contentsOf: Data("{\"t\":".utf8))
    try pipe.fileHandleForWriting.close()
    let result = try await gateway.end()
    #expect(result.status == 0, "\(result.errors)")
    for line in [1, 3, 5] { #expect(result.errors.contains("refused standard input: line \(line)")) }
    #expect(!result.errors.contains("line 4"))
    #expect(result.isCalm)
  }
}
