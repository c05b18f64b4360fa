import Beacons
import Configuration
import Contract
import Core
import Logging
import Mosquitto
import Radio
import ServiceLifecycle
import Synchronization

/// Publishes Home Assistant's discovery: reads retained messages and Home Assistant's birth message, and announces devices as
/// they are found.
final class HomeAssistantLink: Feature {
  /// The time between two rounds, so that a burst is announced together and Home Assistant can follow.
  private static let pause = Duration.milliseconds(250)

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
  let remembered: RememberedTopics
  private let logger: Logger

  init(
    _ configuration: Configuration, _ decisions: DecisionLoop, _ logger: Logger,
    _ remembered: RememberedTopics = RememberedTopics(path: nil)
  ) {
    self.remembered = remembered
    state = Mutex(State(announcer: Announcer(configuration)))
    self.decisions = decisions
    delivery = decisions.delivery
    self.logger = logger
  }

  /// With QoS 1, mosquitto forgets all but some thousand retained messages at once (`max_queued_messages`).
  var filters: [Filter] {
    state.withLock { $0.announcer.discovery.filters.map { Filter(topics: $0, qos: .atMostOnce) } }
  }

  func connected() {
    let topics = remembered.all
    state.withLock { state in
      state.announcer.connected(at: LiveClock.now)
      state.announcer.remember(topics)
    }
    decisions.news.ring()
  }

  func disconnected() { state.withLock { $0.announcer.disconnected() } }

  /// Since when all announcements and removals have been sent; nil: some have not.
  var settledSince: MonotonicTime? { state.withLock { $0.settledSince } }

  func received(_ message: ReceivedMessage) -> Bool {
    let isOurs = state.withLock {
      $0.announcer.take(
        message.payload, topic: message.topic, isRetained: message.retain, at: LiveClock.now)
    }
    if isOurs { decisions.news.ring() }
    return isOurs
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
