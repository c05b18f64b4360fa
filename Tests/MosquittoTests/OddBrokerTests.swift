import Core
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import Mosquitto

extension RealBroker {
  @Suite("With a broker of odd habits") struct OddBrokerTests {
    private func outstandingAtMostOnce(_ client: Client) -> Int {
      client.session.state.withLock { $0.outstandingAtMostOnce }
    }

    @Test func unacknowledgedMessagesDoNotDelayQoS0() async throws {
      let broker = try await OddBroker(.silent)
      let (client, recorder) = try connect(to: broker) {
        $0.protocolVersion = .v311
        $0.window = 20
      }
      try await recorder.waitForConnection()
      for number in 0..<30 { try client.publish([0], to: "one", id: UInt64(number)) }
      try client.publish([0], to: "zero", qos: .atMostOnce)
      try await recorder.wait("the one to be written") { _ in outstandingAtMostOnce(client) == 0 }
      #expect(await client.stop() == 30)
    }

    /// Message ids have 16 bits, and both qualities of service take theirs from them.
    @Test func aNumberThatComesAgainAcknowledgesNothing() async throws {
      let broker = try await OddBroker(.silent)
      let (client, recorder) = try connect(to: broker) { $0.protocolVersion = .v311 }
      try await recorder.waitForConnection()
      try client.publish([0], to: "one", id: 4711)
      for _ in 0..<70_000 { try await client.publishWhenRoom([0], to: "zero", qos: .atMostOnce) }
      try await recorder.wait("all to be written") { _ in outstandingAtMostOnce(client) == 0 }
      #expect(recorder.acknowledged.isEmpty)
      #expect(await client.stop() == 1)
    }

    /// Four hundred messages before it: more than what libmosquitto rings its own bell with, which nobody hears, has room for.
    @Test(arguments: [1, 400]) func packetsInOneTLSRecordAreReadTogether(before: Int) async throws {
      let certificates = try await Certificates()
      try await certificates.issue("server", host: "127.0.0.1")
      let broker = try await OddBroker(
        .talkative, certificate: (certificates.path("server.pem"), certificates.path("server.key")))
      let (client, recorder) = try connect(to: broker) {
        $0.protocolVersion = .v311
        // No ping is to wake a client that has overlooked something.
        $0.keepAlive = .seconds(600)
        $0.tls = TLS(authority: .file(certificates.path("ca.pem")))
      }
      try client.subscribe(to: "in")
      try await recorder.waitForConnection()
      for number in 0..<before { try await client.publishWhenRoom([0], to: "out", id: UInt64(number)) }
      try await recorder.wait("those before") { $0.acknowledged.count == before }
      try client.publish([0], to: "go", id: 9999)
      try await recorder.wait("five messages") { $0.texts == ["1", "2", "3", "4", "5"] }
      try await recorder.wait("the acknowledgement") { $0.acknowledged.last == 9999 }
      // More than are read in one go.
      try client.publish([0], to: "flood", id: 10_000)
      try await recorder.wait("what comes after them") { $0.acknowledged.last == 10_000 }
      await client.stop()
    }

    @Test func messagesHandedOverTogetherTravelInFewSegments() async throws {
      let broker = try await OddBroker(.talkative)
      let (client, recorder) = try prepare(to: broker) { $0.protocolVersion = .v311 }
      for number in 0..<60 { try client.publish([0], to: "out", id: UInt64(number)) }
      try client.publish([0], to: "segments", id: 60)
      client.start()
      try await recorder.wait("the acknowledgements") { $0.acknowledged == Array(0...60) }
      // One says who we are; the others could be sixty-one.
      #expect(try #require(recorder.texts.first.flatMap { Int($0) }) < 10)
      await client.stop()
    }

    @Test func anUnexpectedPacketEndsTheConnection() async throws {
      let broker = try await OddBroker(.boundless)
      let (client, recorder) = try connect(to: broker) {
        $0.protocolVersion = .v311
        $0.backoff = Backoff(first: .seconds(60))
      }
      let before = residentOctets()
      try await recorder.wait("the end") { !$0.disconnections.isEmpty }
      #expect(
        recorder.disconnections.first?.contains("more than 16777216 octets") == true,
        "\(recorder.disconnections)")
      #expect(residentOctets() - before < 60_000_000)
      await client.stop()
    }

    private func residentOctets() -> Int {
      let text = (try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8)) ?? ""
      return (text.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0) * 4096
    }

    @Test func rejectionsWakeASenderThatWaitsForRoom() async throws {
      let broker = try await Broker("allow_anonymous true\nmax_qos 0").start()
      var options = Options(host: "127.0.0.1", port: broker.port)
      options.maximumOutstanding = 100
      let client = try Client(options)
      let recorder = Recorder(client, of: broker)
      for number in 0..<100 { try client.publish([0], to: "t", id: UInt64(number)) }
      let waiter = Task { try await client.publishWhenRoom([0], to: "t", id: 100) }
      try await recorder.wait("somebody who waits") { _ in
        client.session.state.withLock { $0.waiters.count == 1 }
      }
      client.start()
      try await recorder.wait("all rejections") {
        $0.all.count { if case .rejected = $0 { true } else { false } } == 101
      }
      try await waiter.value
      #expect(await client.stop() == 0)
    }

    @Test func anOversizedQoS0MessageIsRejected() async throws {
      let broker = try await Broker("allow_anonymous true\nmax_packet_size 1000").start()
      let (client, recorder) = try connect(to: broker)
      try await recorder.waitForConnection()
      try client.publish([UInt8](repeating: 0, count: 5000), to: "zero", qos: .atMostOnce, id: 8)
      try await recorder.wait("the rejection") {
        $0.rejected.map(\.id) == [8]
      }
      #expect(outstandingAtMostOnce(client) == 0)
      await client.stop()
    }
  }
}
