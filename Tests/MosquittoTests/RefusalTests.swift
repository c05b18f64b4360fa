import Core
import TestSupport
import Testing

@testable import Mosquitto

extension RealBroker {
  @Suite("What a broker does not let through holds up nothing else") struct RefusalTests {
    /// Open ones, and two that are not, among them.
    private static let topics = (0..<60).map { $0 == 7 || $0 == 41 ? "closed/\($0)" : "open/\($0)" }

    private func publishAll(_ client: Client) throws {
      for (number, topic) in Self.topics.enumerated() {
        try client.publish(Array("\(number)".utf8), to: topic, id: UInt64(number))
      }
    }

    private let open = (0..<60).filter { $0 != 7 && $0 != 41 }.map(UInt64.init)

    private func isSettled(_ recorder: Recorder) -> Bool {
      recorder.rejected.count == 2 && Set(recorder.acknowledged).isSuperset(of: open)
    }

    /// mosquitto before 2.0.22 drops whoever publishes what it does not allow, where `max_queued_messages` is 0.
    @Test(arguments: ["max_queued_messages 0", "max_queued_messages 100000"])
    func withMQTT5(_ queue: String) async throws {
      let broker = try Broker("allow_anonymous true\nacl_file DIR/acl\n\(queue)")
      try broker.write("topic readwrite open/#\n", to: "acl")
      try await broker.start()
      let (client, recorder) = try connect(to: broker)
      try await recorder.waitForConnection()
      try publishAll(client)
      try await recorder.wait("an answer to each") { isSettled($0) }
      #expect(recorder.rejected.map(\.topic) == ["closed/7", "closed/41"])
      #expect(recorder.rejected.map(\.payload) == [Array("7".utf8), Array("41".utf8)])
      #expect(recorder.acknowledged == open)
      #expect(recorder.connections <= 6, "\(recorder.connections)")
      try client.publish([1], to: "open/more", id: 100)
      try await recorder.wait("what comes later") { $0.acknowledged.last == 100 }
      #expect(await client.stop() == 0)
    }

    @Test(arguments: [OddBroker.Habit.strict, .treacherous])
    func withMQTT311(_ habit: OddBroker.Habit) async throws {
      let broker = try await OddBroker(habit)
      let (client, recorder) = try connect(to: broker) { $0.protocolVersion = .v311 }
      try await recorder.waitForConnection()
      try publishAll(client)
      try await recorder.wait("an answer to each") { isSettled($0) }
      #expect(recorder.rejected.map(\.topic) == ["closed/7", "closed/41"])
      // Those that were acknowledged before the connection went are told only once.
      #expect(Set(recorder.acknowledged).subtracting([7, 41]).count == open.count)
      #expect(recorder.acknowledged.count == Set(recorder.acknowledged).count)
      #expect(recorder.connections <= 8, "\(recorder.connections)")
      try client.publish([1], to: "open/more", id: 100)
      try await recorder.wait("what comes later") { $0.acknowledged.last == 100 }
      #expect(await client.stop() == 0)
    }

    /// A message that is acknowledged, and alone, and costs the connection all the same.
    @Test func aSingleMessageIsFoundToo() async throws {
      let broker = try await OddBroker(.treacherous)
      let (client, recorder) = try connect(to: broker) { $0.protocolVersion = .v311 }
      try await recorder.waitForConnection()
      try client.publish([1], to: "closed/alone", id: 1)
      try await recorder.wait("the rejection") { $0.rejected.map(\.topic) == ["closed/alone"] }
      try client.publish([1], to: "open/more", id: 2)
      try await recorder.wait("what comes later") { $0.acknowledged.last == 2 }
      #expect(await client.stop() == 0)
    }

    /// Caution is asked for while others are under way: each of them is told of all the same.
    @Test func retriesAmongOtherMessagesLoseNoAcknowledgement() async throws {
      let broker = try Broker("allow_anonymous true")
      try await broker.start()
      let (client, recorder) = try connect(to: broker) { $0.protocolVersion = .v311 }
      try await recorder.waitForConnection()
      for id in 1...200 as ClosedRange<UInt64> { try client.publish([1], to: "open/\(id)", id: id) }
      // Some of them are under way now.
      try await recorder.wait("the first answer") { !$0.acknowledged.isEmpty }
      try client.publish([1], to: "open/again", id: 201, isOnTrial: true)
      try await recorder.wait("an answer to the last") { $0.acknowledged.last == 201 }
      #expect(recorder.acknowledged == Array(1...201))
      #expect(await client.stop() == 0)
    }

    @Test func unknownBrokerPropertiesDoNotEndTheConnection() async throws {
      let broker = try await OddBroker(.inventive)
      let (client, recorder) = try connect(to: broker) { $0.protocolVersion = .safest }
      try await recorder.wait("an answer") { $0.connections + $0.refusals.count > 0 }
      #expect((recorder.connections > 0) == (ProtocolVersion.safest == .v311))
      await client.stop()
    }

    /// One connection for many of them; one for each that costs it.
    @Test(arguments: ["max_queued_messages 0", "max_queued_messages 100000"], [1, 20])
    func probingABrokersRightsReachesNoSubscriber(queue: String, limit: Int) async throws {
      let broker = try Broker(
        "allow_anonymous true\nacl_file DIR/acl\n\(queue)\nmax_inflight_messages \(limit)")
      try broker.write("topic readwrite open/#\n", to: "acl")
      try await broker.start()
      let (client, recorder) = try connect(to: broker)
      try await recorder.waitForConnection()
      try client.subscribe(to: "#")
      let probe = AccessProbe(Options(host: "127.0.0.1", port: broker.port))
      let answers = try await probe.mayPublish(Self.topics.map { ($0, [1]) })
      let refused = answers.indices.filter { answers[$0] != .allowed }
      #expect(refused == [7, 41], "\(refused)")
      // Also by a broker that closes the connection after it has said so.
      for place in refused { #expect(answers[place] != .closed, "\(answers[place])") }
      #expect(try await probe.mayPublish(to: "closed/1") != .allowed)
      #expect(try await probe.mayPublish(to: "open/1") == .allowed)
      #expect(try await probe.maySubscribe(to: "open/#") == .allowed)
      #expect(recorder.messages.isEmpty)
      await client.stop()
    }

    @Test func onlyALibraryThatIsKnownToBearItSpeaksMQTT5() {
      #expect(ProtocolVersion.safest(with: LibraryVersion(2, 0, 11)) == .v311)
      #expect(ProtocolVersion.safest(with: LibraryVersion(2, 0, 21)) == .v5)
      #expect(ProtocolVersion.safest(with: LibraryVersion(2, 1, 0)) == .v5)
    }
  }
}
