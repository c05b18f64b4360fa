import CMosquitto
import Core
import Foundation
import Glibc
import TestSupport
import Testing

@testable import Mosquitto

extension Client {
  /// Cuts the connection as a broken network does, without a good-bye.
  func cut() { shutdown(mosquitto_socket(session.handle.pointer), Int32(SHUT_RDWR)) }
}

extension RealBroker {
  @Suite("Connecting to a real broker") struct ConnectionTests {
    private static let passwords = "allow_anonymous false\npassword_file DIR/passwords"

    private func guarded() async throws -> Broker {
      let broker = try Broker(Self.passwords)
      try await run(["mosquitto_passwd", "-b", "-c", "passwords", "gw", "right"], in: broker.directory)
      return try await broker.start()
    }

    @Test(arguments: [ProtocolVersion.v5, .v311])
    func wrongPasswordIsAPermanentRefusalInWords(_ version: ProtocolVersion) async throws {
      let broker = try await guarded()
      let (client, recorder) = try connect(to: broker) {
        $0.protocolVersion = version
        $0.credentials = Credentials(username: "gw", password: "wrong")
      }
      try await recorder.wait("a refusal") { !$0.refusals.isEmpty }
      let failure = try #require(recorder.refusals.first)
      #expect(failure.kind == .notAuthorised)
      #expect(failure.isPermanent)
      #expect(failure.description.contains("password"))
      #expect(recorder.connections == 0)
      await client.stop()
    }

    @Test func rightPasswordIsAccepted() async throws {
      let broker = try await guarded()
      let (client, recorder) = try connect(to: broker) {
        $0.credentials = Credentials(username: "gw", password: "right")
      }
      try await recorder.waitForConnection()
      #expect(recorder.refusals.isEmpty)
      await client.stop()
    }

    @Test func passwordsAreNeverPrinted() {
      var options = Options(host: "broker")
      options.credentials = Credentials(username: "gw", password: "hunter2")
      var dumped = "\(options) \(String(reflecting: options))"
      dump(options, to: &dumped)
      #expect(!dumped.contains("hunter2"))
    }

    @Test func anUnknownHostIsReported() async throws {
      let (client, recorder) = try connect(to: Listener(answer: nil), host: "no-such-host.invalid")
      try await recorder.wait("a refusal") { !$0.refusals.isEmpty }
      #expect(recorder.refusals.first?.kind == .hostUnknown)
      #expect(recorder.refusals.first?.isPermanent == false)
      await client.stop()
    }

    @Test func theWillIsPublishedWhenTheConnectionBreaksAndNotAfterAProperEnd() async throws {
      let broker = try await Broker().start()
      let (listener, heard) = try connect(to: broker)
      try listener.subscribe(to: "status")
      try await heard.waitForConnection()
      let (client, recorder) = try connect(to: broker) {
        $0.will = Will(topic: "status", payload: Array("offline".utf8))
        $0.backoff = Backoff(first: .milliseconds(200))
      }
      try await recorder.waitForConnection()
      client.cut()
      try await heard.wait("the will") { $0.texts == ["offline"] }
      try await recorder.wait("the second connection") { $0.connections == 2 }
      try client.publish(Array("bye".utf8), to: "status", retain: true)
      #expect(await client.stop(within: .seconds(60)) == 0)
      try await fence(listener, heard, topic: "status")
      #expect(heard.texts.filter { $0 != "fence" } == ["offline", "bye"])
      await listener.stop()
    }

    /// Waits until the broker has dealt with all that other clients did before: their farewells may stand behind the first
    /// message, but not behind the second.
    private func fence(_ listener: Client, _ heard: Recorder, topic: String) async throws {
      for count in 1...2 {
        try listener.publish(Array("fence".utf8), to: topic)
        try await heard.wait("the fence") { $0.texts.count { $0 == "fence" } == count }
      }
    }

    /// A client, and another one that hears what it publishes to a topic.
    private func connectWithListener(to topic: String) async throws -> (Client, Client, Recorder) {
      let broker = try await Broker().start()
      let (listener, heard) = try connect(to: broker)
      try listener.subscribe(to: topic)
      try await heard.waitForConnection()
      let (client, recorder) = try connect(to: broker)
      try await recorder.waitForConnection()
      return (client, listener, heard)
    }

    @Test func stopDeliversOutstandingMessagesAndEndsTheEvents() async throws {
      let (client, listener, heard) = try await connectWithListener(to: "last")
      for number in 0..<900 { try client.publish(Array("\(number)".utf8), to: "last") }
      let began = ContinuousClock.now
      #expect(await client.stop(within: .seconds(3600)) == 0)
      #expect(ContinuousClock.now - began < .seconds(120), "it does not wait for its limit")
      try await heard.wait("all") { $0.messages.count == 900 }
      for await _ in client.events {}
      #expect(throws: PublishError.stopped) { try client.publish([], to: "last") }
      await listener.stop()
    }

    @Test func stopWritesWaitingQoS0Messages() async throws {
      let (client, listener, heard) = try await connectWithListener(to: "last")
      for number in 0..<900 { try client.publish(Array("\(number)".utf8), to: "last", qos: .atMostOnce) }
      await client.stop(within: .seconds(60))
      try await heard.wait("all") { $0.messages.count == 900 }
      #expect(heard.texts == (0..<900).map(String.init))
      await listener.stop()
    }

    @Test func pausingTheReaderLosesNoEvents() async throws {
      let broker = try await Broker().start()
      let client = try Client(Options(host: "127.0.0.1", port: broker.port))
      for number in 0..<300 { try client.publish([0], to: "again", id: UInt64(number)) }
      client.start()
      var acknowledged: [UInt64] = []
      while acknowledged.count < 300 {
        for await event in client.events {
          guard case .acknowledged(let id) = event else { continue }
          acknowledged.append(id)
          break
        }
      }
      #expect(acknowledged == Array(0..<300))
      await client.stop()
    }

    @Test func stopIsQuickWhenTheBrokerIsDeafOrGone() async throws {
      let broker = try await Broker().start()
      let (client, recorder) = try connect(to: broker) { $0.keepAlive = .seconds(600) }
      try await recorder.waitForConnection()
      broker.pause()
      try client.publish([1], to: "x")
      let began = ContinuousClock.now
      #expect(await client.stop() == 1)
      #expect(ContinuousClock.now - began < .seconds(120), "the broker never answers")
      broker.resume()
      broker.kill()
      let (lonely, waiting) = try connect(to: broker) {
        $0.backoff = Backoff(first: .seconds(3600), limit: .seconds(3600))
      }
      try await waiting.wait("a vain attempt") { !$0.refusals.isEmpty }
      let again = ContinuousClock.now
      await lonely.stop(within: .seconds(3600))
      #expect(
        ContinuousClock.now - again < .seconds(120), "it waits neither for its limit nor for the next attempt"
      )
    }

    @Test func stopBeforeStartEnds() async throws {
      let client = try Client(Options(host: "127.0.0.1"))
      #expect(await client.stop() == 0)
      for await _ in client.events {}
      client.start()
      #expect(!client.isConnected)
    }

    @Test func aClientThatIsForgottenDisconnects() async throws {
      let broker = try await Broker().start()
      let (listener, heard) = try connect(to: broker)
      try listener.subscribe(to: "gone")
      try await heard.waitForConnection()
      var forgotten: (Client, Recorder)? = try connect(to: broker) {
        $0.will = Will(topic: "gone", payload: Array("will".utf8))
      }
      let recorder = try #require(forgotten?.1)
      try await recorder.waitForConnection()
      forgotten = nil
      try await recorder.wait("its end") { $0.isFinished }
      try await fence(listener, heard, topic: "gone")
      #expect(!heard.texts.contains("will"), "a proper end needs no will")
      await listener.stop()
    }

    @Test func aSecondClientWithOurNameThrowsUsOut() async throws {
      let broker = try await Broker().start()
      let (first, recorder) = try connect(to: broker) {
        $0.clientID = "twin"
        $0.backoff = Backoff(first: .seconds(30))
      }
      try await recorder.waitForConnection()
      let (second, _) = try connect(to: broker) { $0.clientID = "twin" }
      try await recorder.wait("the end") { !$0.disconnections.isEmpty }
      let reason = try #require(recorder.disconnections.first)
      // mosquitto before 2.0.15 gives a wrong reason, and with MQTT 3.1.1 there is none: what is not known is not guessed.
      let isKnown = reason.contains("another client has connected with our client id")
      #expect(isKnown || !reason.contains("client id"), "\(reason)")
      #expect(reason != "Unknown error.")
      await first.stop()
      await second.stop()
    }

    @Test func aPeerThatSpeaksNoMQTTIsReported() async throws {
      let web = try Listener(answer: "HTTP/1.1 400 Bad Request\r\n\r\n")
      let (client, recorder) = try connect(to: web)
      try await recorder.wait("a refusal") { !$0.refusals.isEmpty }
      #expect(recorder.connections == 0)
      let failure = try #require(recorder.refusals.first)
      #expect(
        failure.description
          == "the other side closed the connection without a valid answer (is it a broker, does it expect TLS on this port or MQTT 3.1.1, or has it as many clients as it allows?)"
      )
      await client.stop()
    }

    @Test func silenceAfterTheGreetingIsNotWaitedForForEver() async throws {
      let silent = try Listener(answer: nil)
      let (client, recorder) = try connect(to: silent) { $0.keepAlive = .seconds(5) }
      try await recorder.wait("a refusal") { !$0.refusals.isEmpty }
      #expect(recorder.refusals.first?.kind == .unreachable, "\(recorder.refusals)")
      let count = recorder.refusals.count
      await client.stop()
      #expect(recorder.refusals.count == count, "the next attempt is given up, too")
    }

    @Test func optionsThatCannotWorkAreRefusedAtOnce() {
      let broken: [(inout Options) -> Void] = [
        { $0.host = "" }, { $0.host = "a\0b" }, { $0.port = 0 }, { $0.port = 70_000 }, { $0.window = 0 },
        { $0.maximumOutstanding = 0 }, { $0.keepAlive = .seconds(1) }, { $0.clientID = "a\0" },
        { $0.credentials = Credentials(username: "a\0", password: nil) },
        { $0.will = Will(topic: "a/+", payload: []) },
        { $0.tls = TLS(authority: .file("/nowhere/ca.pem")) },
      ]
      for change in broken {
        var options = Options(host: "127.0.0.1")
        change(&options)
        #expect(throws: InvalidOptions.self) { try Client(options) }
      }
    }

    @Test func forbiddenMessagesAreRejectedAndTheOthersGoOn() async throws {
      let broker = try Broker("allow_anonymous true\nacl_file DIR/acl")
      try broker.write("topic read open/#\ntopic write open/#\n", to: "acl")
      try await broker.start()
      let (client, recorder) = try connect(to: broker)
      try await recorder.waitForConnection()
      try client.publish([1], to: "closed/x", id: 5)
      try client.publish([1], to: "open/x", id: 6)
      try await recorder.wait("both verdicts") { recorder in
        recorder.acknowledged == [6]
          && recorder.rejected.map(\.topic) == ["closed/x"]
      }
      await client.stop()
    }
  }
}
