import Configuration
import Contract
import Core
import Logging
import Mosquitto
import ServiceLifecycle
import Synchronization

/// Publishes retained topics of this gateway again if another client has changed them: an automation must not believe for ever
/// what somebody tried out with `mosquitto_pub`.
///
/// With MQTT 5 the broker does not send us our own messages. With 3.1.1 we recognise them by their content.
final class MendingService: Feature {
  /// How long false messages are collected, so that a flood of them causes no flood of ours.
  private static let pause = Duration.seconds(5)
  /// After lost messages, received ones are believed again after this many rounds without a loss. By then the
  /// queued ones have been read.
  private static let doubts = 3
  /// If messages are lost all the time, all retained topics are published again after this many rounds.
  private static let longDoubt = 12
  /// How many topics may wait.
  private static let limit = 1_000

  private struct State {
    var leftovers: Leftovers
    /// By topic, the hash of the latest payload that is another client's.
    var found: [String: Int] = [:]
    /// More topics were changed than may wait.
    var isOverfull = false
    var looks = RateLimit(burst: 2, interval: .seconds(60))
    var hasToldIt = false
    /// How many messages the client had dropped at the last look.
    var dropped: UInt64 = 0
    /// For how many further rounds received messages are not believed.
    var doubts = 0
    /// In how many rounds messages were not believed since all states were last published.
    var doubtful = 0
  }

  private static let nothing = [UInt8]().hashValue

  private let state: Mutex<State>
  private let alarm = Alarm()
  private let decisions: DecisionLoop
  private let delivery: Delivery
  private let lookAgain: @Sendable () -> Void
  private let logger: Logger

  /// - Parameter lookAgain: reads everything that the broker retains, and corrects it. It is called if there
  ///   is too much to correct.
  init(
    _ configuration: Configuration, _ decisions: DecisionLoop, _ logger: Logger,
    lookAgain: @escaping @Sendable () -> Void = {}
  ) {
    state = Mutex(State(leftovers: Leftovers(configuration)))
    self.decisions = decisions
    delivery = decisions.delivery
    self.lookAgain = lookAgain
    self.logger = logger
  }

  var filters: [Filter] {
    [
      Filter(
        topics: delivery.topics.base + "/+/+/+", qos: .atMostOnce, options: [.withoutOwn, .withoutRetained])
    ]
  }

  func configure(_ new: Configuration) {
    let leftovers = Leftovers(new)
    state.withLock { $0.leftovers = leftovers }
  }

  func received(_ message: ReceivedMessage) -> Bool {
    // The lost messages may include another client's.
    if delivery.client.events.lostMessages != state.withLock(\.dropped) { alarm.ring() }
    guard !message.retain, delivery.topics.retained(message.topic) != nil else { return false }
    // Compared at once, because only the last two payloads of a topic are known.
    let isOwn = delivery.isOwn(message.payload.hashValue, at: message.topic)
    state.withLock { state in
      if isOwn { return state.found[message.topic] = nil }
      guard state.found.count < Self.limit || state.found[message.topic] != nil else {
        state.isOverfull = true
        return
      }
      state.found[message.topic] = message.payload.hashValue
    }
    alarm.ring()
    return true
  }

  func run() async throws {
    await cancelWhenGracefulShutdown {
      while true {
        await self.alarm.wait()
        do { try await Task.sleep(for: Self.pause) } catch { return }
        self.mend()
      }
    }
  }

  func mend() {
    let dropped = delivery.client.events.lostMessages
    let (found, leftovers, isInDoubt, mayHaveMissed, mustLook) = state.withLock { state in
      // While messages come faster than they are read, they are read late. A message that seems foreign may
      // then be an older one of our own.
      state.doubts = state.dropped == dropped ? max(state.doubts - 1, 0) : Self.doubts
      defer { (state.found, state.dropped) = ([:], dropped) }
      let isInDoubt = state.doubts > 0
      state.doubtful += isInDoubt ? 1 : 0
      let mayHaveMissed = isInDoubt ? state.doubtful >= Self.longDoubt : state.doubtful > 0
      if mayHaveMissed { state.doubtful = 0 }
      let mustLook = (state.isOverfull || mayHaveMissed) && state.looks.take(at: LiveClock.now)
      // Otherwise the rate limit decides when.
      if mustLook { state.isOverfull = false } else if state.isOverfull { alarm.ring() }
      return (isInDoubt ? [:] : state.found, state.leftovers, isInDoubt, mayHaveMissed, mustLook)
    }
    if mustLook { lookAgain() }
    if isInDoubt { alarm.ring() }
    if mayHaveMissed { decisions.publishStates() }
    let foreign = found.filter { topic, hash in !delivery.isOwn(hash, at: topic) }
    guard !foreign.isEmpty else { return }
    let truth = decisions.truth(at: Set(foreign.keys))
    let known = Set(truth.map(\.topic))
    // Places that this run does not know are empty, and beacons that it does not know are nowhere. What was
    // retained before is lost, and the other client's message cannot be trusted.
    let others = foreign.keys.filter { !known.contains($0) && foreign[$0] != Self.nothing }.compactMap {
      leftovers.removal(of: $0) ?? leftovers.nowhere(at: $0)
    }
    let messages = truth + others
    guard let first = messages.first else { return }
    delivery.send(messages)
    let isNew = state.withLock { state in
      defer { state.hasToldIt = true }
      return !state.hasToldIt
    }
    if isNew {
      logger.warning("\(Self.words(first.topic))", metadata: ["topic": "\(first.topic)"])
    }
  }

  static func words(_ topic: String) -> String {
    "another client publishes to \(topic), which is this gateway's own; the gateway publishes the truth there again each time"
  }
}
