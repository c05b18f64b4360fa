import Contract
import Core
import InMemoryLogging
import Logging
import Pipeline
import Scenes
import Synchronization
import Testing

@testable import Gateway
@testable import Mosquitto

@Suite struct MendingTests {
  /// - Returns: with it, whether it has told of another client.
  private func service(
    lookAgain: @escaping @Sendable () -> Void = {}
  ) throws -> (MendingService, Delivery, told: () -> Bool) {
    let log = InMemoryLogHandler()
    let logger = Logger(label: "test") { _ in log }
    let configuration = try Scene.configuration(Scene.rules)
    let pipeline = Pipeline(configuration)
    let delivery = try Delivery(
      try Client(Options(host: "127.0.0.1", port: 1)), pipeline.topics, listener: GatewayRun.Listener(),
      logger: logger)
    let decisions = DecisionLoop(pipeline, delivery: delivery, logger: logger)
    return (
      MendingService(configuration, decisions, logger, lookAgain: lookAgain), delivery,
      { log.entries.contains { "\($0.message)".contains("another client") } }
    )
  }

  @Test func `what is read late, because messages come too fast, is not taken for another client's`() throws {
    let (mending, delivery, told) = try service()
    func hear() {
      _ = mending.received(
        ReceivedMessage(
          topic: "beaconkeeper/forecourt/zone/pump-3/occupancy", payload: Array("{}".utf8), qos: 0,
          retain: false))
    }
    delivery.client.events.countLost()
    for _ in 0..<3 {
      hear()
      mending.mend()
      #expect(!told())
    }
    hear()
    mending.mend()
    #expect(told())
  }

  /// By MQTT 3.1.1 the broker sends us what we publish.
  @Test func `what we published a while ago is not taken for another client's`() throws {
    let (mending, delivery, told) = try service()
    let topic = "beaconkeeper/forecourt/zone/pump-3/occupancy"
    func hear(_ words: String) {
      _ = mending.received(ReceivedMessage(topic: topic, payload: Array(words.utf8), qos: 0, retain: false))
    }
    func say(_ words: String) {
      let message = Message(topic: topic, payload: Array(words.utf8), qos: .atLeastOnce, retained: true)
      delivery.state.withLock { delivery.note(message, &$0) }
    }
    say("one")
    hear("one")
    for words in ["two", "three", "four"] { say(words) }
    mending.mend()
    #expect(!told())
    // And what another client said is gone once we have spoken again.
    hear("lie")
    hear("four")
    mending.mend()
    #expect(!told())
    hear("lie")
    mending.mend()
    #expect(told())
  }

  @Test func `more false topics than may wait are searched for at the broker`() throws {
    let searches = Mutex(0)
    let (mending, _, _) = try service { searches.withLock { $0 += 1 } }
    for count in [900, 1100] {
      for number in 0..<count {
        _ = mending.received(
          ReceivedMessage(
            topic: "beaconkeeper/forecourt/beacon/ghost\(number)/room", payload: [0x31], qos: 0, retain: false
          ))
      }
      mending.mend()
      #expect(searches.withLock { $0 } == (count > 1000 ? 1 : 0))
    }
  }

  @Test(.timeLimit(.minutes(1)))
  func `after messages were lost, the truth is published everywhere, for nobody knows what they said`() throws
  {
    let (mending, delivery, _) = try service()
    let client = delivery.client
    func published(after rounds: Int) -> Bool {
      let before = client.outstanding
      for _ in 0..<rounds { mending.mend() }
      return client.outstanding > before
    }
    #expect(!published(after: 5))
    client.events.countLost()
    #expect(!published(after: 3))
    #expect(published(after: 1))
    #expect(!published(after: 5))
  }
}
