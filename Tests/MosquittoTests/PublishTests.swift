import CMosquitto
import Core
import Foundation
import Glibc
import Synchronization
import TestSupport
import Testing

@testable import Mosquitto

extension RealBroker {
  @Suite("Publishing to a real broker") struct PublishTests {
    @Test(arguments: [ProtocolVersion.v5, .v311])
    func bothQualitiesOfServiceArrive(_ version: ProtocolVersion) async throws {
      let broker = try await Broker().start()
      let (client, recorder) = try connect(to: broker) { $0.protocolVersion = version }
      try await recorder.waitForConnection()
      try client.subscribe(to: "a/#")
      try client.publish(Array("zero".utf8), to: "a/0", qos: .atMostOnce)
      try client.publish(Array("one".utf8), to: "a/1", qos: .atLeastOnce, id: 7)
      try await recorder.wait("both messages") { $0.messages.count == 2 }
      try await recorder.wait("the acknowledgement") { $0.acknowledged == [7] }
      #expect(
        recorder.messages.contains(
          ReceivedMessage(topic: "a/0", payload: Array("zero".utf8), qos: 0, retain: false)))
      #expect(
        recorder.messages.contains(
          ReceivedMessage(topic: "a/1", payload: Array("one".utf8), qos: 1, retain: false)))
      #expect(client.outstanding == 0)
      #expect(await client.stop() == 0)
    }

    @Test func retainedMessagesGreetLaterSubscribersUntilTheyExpire() async throws {
      let broker = try await Broker().start()
      let (writer, _) = try connect(to: broker)
      try writer.publish(Array("kept".utf8), to: "r/kept", retain: true)
      try writer.publish(Array("brief".utf8), to: "r/brief", retain: true, expiry: .seconds(1))
      #expect(await writer.stop(within: .seconds(60)) == 0)
      /// What greets another subscriber.
      func greeting() async throws -> [ReceivedMessage] {
        let (reader, recorder) = try connect(to: broker)
        try reader.subscribe(to: "r/#")
        try await recorder.wait("the retained message") { !$0.messages.isEmpty }
        try reader.publish(Array("end".utf8), to: "r/end")
        try await recorder.wait("the end") { $0.texts.last == "end" }
        await reader.stop()
        return recorder.messages.dropLast()
      }
      var messages = try await greeting()
      for _ in 0..<600 where messages.count > 1 {
        #expect(Set(messages.map(\.topic)) == ["r/kept", "r/brief"])
        try await Task.sleep(for: .milliseconds(100))
        messages = try await greeting()
      }
      #expect(messages.map(\.topic) == ["r/kept"] && messages.allSatisfy(\.retain))
    }

    @Test func messagesPublishedBeforeTheBrokerIsThereArriveInOrder() async throws {
      let broker = try Broker()
      let (client, recorder) = try connect(to: broker)
      for number in 0..<500 {
        try client.publish(Array("\(number)".utf8), to: "early", id: UInt64(number))
      }
      try client.subscribe(to: "early")
      try await recorder.wait("a refusal") { !$0.refusals.isEmpty }
      #expect(recorder.refusals.first?.kind == .connectionRefused)
      #expect(recorder.refusals.first?.isPermanent == false)
      #expect(client.outstanding == 500)
      try await broker.start()
      try await recorder.wait("all acknowledgements") { $0.acknowledged.count == 500 }
      #expect(recorder.acknowledged == Array(0..<500))
      #expect(await client.stop() == 0)
    }

    @Test func brokerRestartLosesNothing() async throws {
      let broker = try await Broker().start()
      let (client, recorder) = try connect(to: broker)
      let (listener, heard) = try connect(to: broker)
      try listener.subscribe(to: "n")
      try await recorder.waitForConnection()
      try await heard.waitForConnection()
      try client.publish([1], to: "n", id: 1)
      try await recorder.wait("the first") { $0.acknowledged == [1] }
      broker.kill()
      for number in 2...200 { try client.publish([UInt8(number)], to: "n", id: UInt64(number)) }
      try await recorder.wait("the disconnection") { !$0.disconnections.isEmpty }
      #expect(throws: PublishError.notConnected) { try client.publish([0], to: "n", qos: .atMostOnce) }
      try await recorder.wait("a vain attempt") { !$0.refusals.isEmpty }
      try await broker.start()
      try await recorder.wait("the second connection") { $0.connections == 2 }
      try await recorder.wait("all acknowledgements") { $0.acknowledged.count == 200 }
      #expect(recorder.acknowledged == Array(1...200))
      // The subscription came back by itself: what is published from now on is heard.
      try await heard.wait("the listener's second connection") { $0.connections == 2 }
      try await heard.wait("a message after the restart") { heard in
        try? client.publish([255], to: "n", qos: .atMostOnce)
        return heard.messages.contains { $0.payload == [255] }
      }
      #expect(await client.stop() == 0)
      await listener.stop()
    }

    @Test func messagesOnTheWayWhenTheConnectionBreaksAreSentAgainInOrder() async throws {
      let broker = try await Broker().start()
      let (listener, heard) = try connect(to: broker) { $0.maximumOutstanding = 10 }
      try listener.subscribe(to: "cut")
      try await heard.waitForConnection()
      let (client, recorder) = try connect(to: broker) { $0.maximumOutstanding = 200 }
      try await recorder.waitForConnection()
      for number in 0..<3000 {
        try await client.publishWhenRoom(Array("\(number)".utf8), to: "cut", id: UInt64(number))
        if number % 500 == 250 { client.cut() }
        // A listener loses what it has not read in time.
        if number % 500 == 499 { try await heard.wait("these") { $0.texts.contains("\(number)") } }
      }
      try await recorder.wait("all acknowledgements") { $0.acknowledged.count == 3000 }
      #expect(recorder.connections >= 4)
      // Each is acknowledged once and in order; the broker may have heard some twice, but none is missing.
      #expect(recorder.acknowledged == Array(0..<3000))
      try await heard.wait("the last") { $0.texts.contains("2999") }
      #expect(Set(heard.texts) == Set((0..<3000).map(String.init)))
      var last = -1
      for text in heard.texts {
        let number = try #require(Int(text))
        #expect(number <= last + 1, "\(number) overtook")
        last = max(last, number)
      }
      await client.stop()
      await listener.stop()
    }

    @Test func outstandingMessagesAreBounded() async throws {
      let broker = try await Broker().start()
      let (client, recorder) = try connect(to: broker) {
        $0.window = 5
        $0.maximumOutstanding = 20
      }
      try await recorder.waitForConnection()
      broker.pause()
      for number in 0..<20 { try client.publish([0], to: "b", id: UInt64(number)) }
      #expect(throws: PublishError.outstandingLimit(20)) { try client.publish([0], to: "b") }
      #expect(client.outstanding == 20)
      let patient = Task { try await client.publishWhenRoom([1], to: "b", id: 20) }
      let impatient = Task { try await client.publishWhenRoom([2], to: "b", id: 21) }
      try await recorder.wait("both to wait") { _ in client.session.state.withLock { $0.waiters.count == 2 } }
      impatient.cancel()
      await #expect(throws: PublishError.outstandingLimit(20)) { try await impatient.value }
      broker.resume()
      try await patient.value
      try await recorder.wait("all acknowledgements") { $0.acknowledged == Array(0...20) }
      #expect(await client.stop() == 0)
    }

    /// Few of them fill the sockets' buffers.
    private static let large = [UInt8](repeating: 0, count: 200_000)

    /// A client with room for ten messages, and its broker, which reads no more until it is resumed.
    private func connectToOneThatStopsReading() async throws -> (Broker, Client, Recorder) {
      let broker = try await Broker().start()
      let (client, recorder) = try connect(to: broker) { $0.maximumOutstanding = 10 }
      try await recorder.waitForConnection()
      broker.pause()
      return (broker, client, recorder)
    }

    @Test func aQoS0SenderWaitingForRoomWakesWhenTheConnectionIsLost() async throws {
      let (broker, client, recorder) = try await connectToOneThatStopsReading()
      defer { broker.resume() }
      let patient = Task {
        for _ in 0..<1000 { try await client.publishWhenRoom(Self.large, to: "z", qos: .atMostOnce) }
      }
      // Not asking again and again: it is among those who wait.
      try await recorder.wait("somebody who waits") { _ in
        client.session.state.withLock { $0.waiters.count == 1 }
      }
      client.cut()
      await #expect(throws: PublishError.notConnected) { try await patient.value }
      broker.resume()
      await client.stop()
    }

    @Test func unwrittenMessagesWithoutAcknowledgementAreBounded() async throws {
      let (broker, client, _) = try await connectToOneThatStopsReading()
      defer { broker.resume() }
      var refused: PublishError?
      for _ in 0..<1000 where refused == nil {
        do throws(PublishError) { try client.publish(Self.large, to: "z", qos: .atMostOnce) } catch {
          refused = error
        }
      }
      #expect(refused == .outstandingLimit(10))
      await client.stop()
    }

    /// What was lost with a connection is counted no more, and what is written in the next one is counted once.
    @Test func afterALostConnectionThereIsRoomForAsManyAsBefore() async throws {
      let (broker, client, recorder) = try await connectToOneThatStopsReading()
      defer { broker.resume() }
      func outstanding() -> Int { client.session.state.withLock { $0.outstandingAtMostOnce } }
      // Until the kernel's buffers are full: then nothing leaves any more.
      func isWritable() -> Bool {
        var entry = pollfd(
          fd: mosquitto_socket(client.session.handle.pointer), events: Int16(POLLOUT), revents: 0)
        return poll(&entry, 1, 0) > 0
      }
      while outstanding() < 8 || isWritable() {
        if outstanding() < 8 {
          try await client.publishWhenRoom(Self.large, to: "z", qos: .atMostOnce)
        } else {
          try await Task.sleep(for: .milliseconds(10))
        }
      }
      #expect(outstanding() > 0)
      client.cut()
      try await recorder.wait("the disconnection") { !$0.disconnections.isEmpty }
      broker.resume()
      try await recorder.wait("the second connection") { $0.connections == 2 }
      #expect(outstanding() == 0)
      for number in 0..<200 {
        try await client.publishWhenRoom([UInt8(number)], to: "z", qos: .atMostOnce)
        #expect(0...10 ~= outstanding())
      }
      try await recorder.wait("all to be written") { _ in outstanding() == 0 }
      #expect(await client.stop() == 0)
    }

    @Test func payloadsOfEverySize() async throws {
      let broker = try await Broker().start()
      let (client, recorder) = try connect(to: broker) { $0.maximumPayload = 300_000 }
      try client.subscribe(to: "size")
      try await recorder.waitForConnection()
      let sizes = [0, 1, 127, 128, 16_383, 16_384, 300_000]
      for size in sizes { try client.publish([UInt8](repeating: 0xA5, count: size), to: "size") }
      try await recorder.wait("all of them") { $0.messages.count == sizes.count }
      #expect(recorder.messages.map(\.payload.count) == sizes)
      #expect(recorder.messages.allSatisfy { $0.payload.allSatisfy { $0 == 0xA5 } })
      #expect(throws: PublishError.payloadTooLarge(bytes: 300_001, limit: 300_000)) {
        try client.publish([UInt8](repeating: 0, count: 300_001), to: "size")
      }
      await client.stop()
    }

    @Test(arguments: [ProtocolVersion.v5, .v311])
    func messagesLargerThanWeWantAreNotDelivered(_ version: ProtocolVersion) async throws {
      let broker = try await Broker().start()
      let (client, recorder) = try connect(to: broker) {
        $0.maximumPayload = 1000
        $0.protocolVersion = version
      }
      try client.subscribe(to: "big")
      try await recorder.waitForConnection()
      let (other, _) = try connect(to: broker) { $0.maximumPayload = 10_000_000 }
      try other.publish([UInt8](repeating: 1, count: 5_000_000), to: "big")
      try other.publish([UInt8](repeating: 1, count: 1001), to: "big")
      try other.publish([1], to: "big")
      try await recorder.wait("the small one") { !$0.messages.isEmpty }
      #expect(recorder.messages.map(\.payload) == [[1]])
      #expect(client.events.lostMessages == (version == .v5 ? 1 : 2))
      await other.stop()
      await client.stop()
    }

    @Test func aMessageTheBrokerFindsTooLargeIsRejectedAndTheNextOnesGoOn() async throws {
      let broker = try await Broker("allow_anonymous true\nmax_packet_size 2000").start()
      let (client, recorder) = try connect(to: broker)
      try client.publish([UInt8](repeating: 1, count: 5000), to: "p", id: 1)
      try client.publish([1], to: "p", id: 2)
      try await recorder.wait("the small one") { $0.acknowledged == [2] }
      func rejects(_ number: UInt64) -> Bool {
        recorder.rejected.contains { $0.id == number }
      }
      #expect(rejects(1))
      // Also where the broker's limits are known already.
      try client.publish([UInt8](repeating: 1, count: 5000), to: "p", id: 3)
      try await recorder.wait("the second rejection") { _ in rejects(3) }
      #expect(await client.stop() == 0)
    }

    /// libmosquitto keeps what it finds too large only after it has taken it, and would lose a place in its window for ever.
    @Test(arguments: [Duration?.none, .seconds(60)])
    func aMessageJustTooLargeTakesNoRoomForEver(expiry: Duration?) async throws {
      let broker = try await Broker("allow_anonymous true\nmax_packet_size 200\nmax_inflight_messages 1")
        .start()
      let (client, recorder) = try connect(to: broker)
      try await recorder.waitForConnection()
      var rejected: Set<UInt64> {
        Set(recorder.rejected.map(\.id))
      }
      for size in 170...210 as ClosedRange<UInt64> {
        let payload = [UInt8](repeating: 1, count: Int(size))
        try client.publish(payload, to: "p", expiry: expiry, id: size)
      }
      try await recorder.wait("an answer to each") { $0.acknowledged.count + rejected.count == 41 }
      #expect(rejected == Set((expiry == nil ? 193 : 188)...210))
      client.cut()
      try await recorder.wait("the second connection") { $0.connections == 2 }
      try client.publish([1], to: "p", id: 1)
      try await recorder.wait("the one that fits") { $0.acknowledged.last == 1 }
      #expect(await client.stop() == 0)
    }

    @Test(arguments: ["", "a\0b", "a/+/b", "#", "a/#", "a\u{1}", String(repeating: "x", count: 65536)])
    func impossibleTopicsAreRefused(_ topic: String) throws {
      let client = try Client(Options(host: "127.0.0.1"))
      #expect(throws: PublishError.self) { try client.publish([], to: topic) }
      #expect(client.outstanding == 0)
    }

    @Test(arguments: ["", "a\0", "a+", "a/#/b", "#a"])
    func impossibleFiltersAreRefused(_ filter: String) throws {
      let client = try Client(Options(host: "127.0.0.1"))
      #expect(throws: PublishError.self) { try client.subscribe(to: filter) }
    }

    @Test func anUnreadFloodDoesNotFillTheMemory() async throws {
      let broker = try await Broker().start()
      let client = try Client(Options(host: "127.0.0.1", port: broker.port))
      try client.subscribe(to: "flood", qos: .atMostOnce)
      client.start()
      let (writer, recorder) = try connect(to: broker)
      try await recorder.waitForConnection()
      try await recorder.wait("the other connection") { _ in client.isConnected }
      for number in 0..<3000 { try await writer.publishWhenRoom([0], to: "flood", id: UInt64(number)) }
      try await recorder.wait("all sent") { $0.acknowledged.count == 3000 }
      try await recorder.wait("the overflow") { _ in client.events.lostMessages == 2000 }
      await writer.stop()
      await client.stop()
      var read = 0
      for await event in client.events { if case .message = event { read += 1 } }
      #expect(read == 1000)
    }
  }
}
