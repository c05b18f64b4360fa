import MQTT
import Logging
import Machine
import Beacons
import Settings
import Messages
import Mosquitto
import Radio
import ServiceLifecycle
import Synchronization

/// Publishes Home Assistant's discovery: reads retained messages and Home Assistant's birth message, and announces devices as
/// they are found.
final class HomeAssistantLink: Feature {
  /// The time between two rounds, so that a burst is announced together and Home Assistant can follow.
  private static let pause = Duration.milliseconds(250)
  /// The topic of Home Assistant's birth message, whatever its discovery prefix.
  private static let usualBirthTopic = "homeassistant/status"

  private struct State {
    var announcer: Announcer {
      didSet { settledSince = announcer.isSettled ? settledSince ?? LiveClock.now : nil }
    }
    /// Since when all announcements and removals have been sent; nil: some have not.
    var settledSince: MonotonicTime?
    var hasToldLimit = false
  }

  private let state: Mutex<State>
  private let decisions: DecisionLoop
  private let delivery: Delivery
  /// Rings when all has been sent.
  let settlement = Alarm()
  private let logger: Logger

  init(_ configuration: Configuration, _ decisions: DecisionLoop, _ logger: Logger) {
    state = Mutex(State(announcer: Announcer(configuration)))
    self.decisions = decisions
    delivery = decisions.delivery
    self.logger = logger
  }

  /// With QoS 1, mosquitto forgets all but some thousand retained messages at once (`max_queued_messages`).
  var filters: [Filter] {
    let discovery = state.withLock { $0.announcer.discovery }
    return [discovery.filter, discovery.birthTopic, Self.usualBirthTopic].map {
      Filter(topics: $0, qos: .atMostOnce)
    }
  }

  func connected() {
    state.withLock { $0.announcer.connected(at: LiveClock.now) }
    decisions.news.ring()
  }

  func disconnected() { state.withLock { $0.announcer.disconnected() } }

  /// Since when all announcements and removals have been sent; nil: some have not.
  var settledSince: MonotonicTime? { state.withLock { $0.settledSince } }

  func received(_ message: ReceivedMessage) -> Bool {
    let isOwn = take(message)
    if isOwn { decisions.news.ring() }
    return isOwn
  }

  private func take(_ message: ReceivedMessage) -> Bool {
    state.withLock { state in
      let discovery = state.announcer.discovery
      if message.topic == discovery.birthTopic || message.topic == Self.usualBirthTopic {
        if message.payload.elementsEqual("online".utf8) { state.announcer.born(at: LiveClock.now) }
        return true
      }
      guard discovery.isOwn(message.topic) else { return false }
      // A message that is not retained is an echo of our own.
      if message.retain {
        state.announcer.received(message.payload, at: message.topic, time: LiveClock.now)
      }
      return true
    }
  }

  func configure(_ new: Configuration) {
    state.withLock { $0.announcer.reconfigure(new, at: LiveClock.now) }
    decisions.news.ring()
  }

  func run() async throws {
    await cancelWhenGracefulShutdown {
      while !Task.isCancelled {
        self.announce()
        try? await Task.sleep(for: Self.pause)
        let time = self.state.withLock { $0.announcer.nextTime(after: LiveClock.now) }
        await self.decisions.news.wait(until: time)
      }
    }
  }

  private func announce() {
    let (news, forgotten) = decisions.takeNews()
    let (messages, limit, isSettledNow) = state.withLock { state in
      let wasSettled = state.settledSince != nil
      for name in forgotten { state.announcer.forget(name) }
      for (name, beacon) in news { state.announcer.note(name, beacon) }
      let isNew = state.announcer.refusedMembers > 0 && !state.hasToldLimit
      if isNew { state.hasToldLimit = true }
      let messages = state.announcer.next(at: LiveClock.now)
      return (messages, isNew, !wasSettled && state.settledSince != nil)
    }
    if limit {
      logger.warning(
        "more region members were heard than are announced to Home Assistant; raise `members` under `home_assistant:` to see all"
      )
    }
    if !messages.isEmpty { delivery.send(messages) }
    if isSettledNow { settlement.ring() }
  }
}
