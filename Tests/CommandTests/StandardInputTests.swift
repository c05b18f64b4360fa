import Foundation
import Testing

/// `run --capture -`: another program's receiver, through a pipe.
@Suite struct StandardInputTests {
  /// An entry with a time of long ago: it is heard when it arrives.
  private let entry =
    #"{"t":1,"receiver":"attic","address":"C1:00:00:00:00:01","address_type":"random","rssi":-60,"payload":"020106"}"#
    + "\n"

  private func gateway(reading pipe: Pipe) async throws -> (Command, Broker) {
    let broker = try await Broker()
    let configuration = try file(
      """
      broker: { url: "mqtt://127.0.0.1:\(broker.port)" }
      beacons: [{ name: key, address: "C1:00:00:00:00:01" }]
      zones: [{ name: house, enter: { signal: -70 dBm, dwell: 200 ms }, exit: { signal: -80 dBm, lost: 1 min } }]
      """, "yaml")
    let gateway = try Command(
      ["run", "--config", configuration, "--capture", "-"], standardInput: pipe.fileHandleForReading)
    // The gateway's end alone is to be left open.
    try pipe.fileHandleForReading.close()
    return (gateway, broker)
  }

  @Test func whatComesThroughAPipeIsHeardNowAndItsEndIsAnEndInGoodOrder() async throws {
    let pipe = Pipe()
    let (gateway, broker) = try await gateway(reading: pipe)
    defer { broker.stop() }
    #expect(
      try await gateway.wait(30) {
        try? pipe.fileHandleForWriting.write(contentsOf: Data(entry.utf8))
        usleep(100_000)
        return gateway.outputSoFar.contains("enter  house")
      })
    try pipe.fileHandleForWriting.close()
    let result = try await gateway.end(within: 20)
    #expect(result.status == 0)
    #expect(result.errors.contains("standard input ended"))
    let last = broker.messages.last { $0.topic.hasSuffix("/status") }
    #expect(last.map { String(decoding: $0.payload, as: UTF8.self) } == "offline")
  }

  @Test func aLineThatIsNoEntryEndsItWithItsNumber() async throws {
    let pipe = Pipe()
    let (gateway, broker) = try await gateway(reading: pipe)
    defer { broker.stop() }
    try pipe.fileHandleForWriting.write(contentsOf: Data((entry + "{\"t\":1}\n").utf8))
    let result = try await gateway.end(within: 30)
    #expect(result.status == 65)
    #expect(result.errors.contains("standard input: line 2"))
    #expect(result.isCalm)
  }
}
