import Configuration
import Contract
import Core
import Logging
import Mosquitto
import Pipeline
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
    var hasToldOverwritten = false
    /// How many members were refused when places were last given to others.
    var refusedBefore = 0
    /// When to give places to others; nil: every member that is heard has one.
    var roomTime: MonotonicTime?
  }

  /// Between two times at which members that are heard get the places of silent ones.
  private static let roomPause = TimeSpan.seconds(15)

  private let state: Mutex<State>
  private let decisions: DecisionLoop
  private let delivery: Delivery
  /// Rings when all has been sent.
  let settlement = Alarm()
  private let logger: Logger
  private let start = LiveClock.now

  init(_ configuration: Configuration, _ decisions: DecisionLoop, _ logger: Logger) {
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
    let topics = delivery.remembered.all
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
    let (isOurs, overwritten) = state.withLock { state in
      let isOurs = state.announcer.take(
        message.payload, topic: message.topic, isRetained: message.retain, at: LiveClock.now)
      let overwritten = state.hasToldOverwritten ? nil : state.announcer.overwritten
      if overwritten != nil { state.hasToldOverwritten = true }
      return (isOurs, overwritten)
    }
    if let overwritten { logger.warning("\(MendingService.words(overwritten))") }
    if isOurs { decisions.news.ring() }
    return isOurs
  }

  func configure(_ new: Configuration) {
    state.withLock { $0.announcer.reconfigure(new, at: LiveClock.now) }
    // The decision loop has the configuration already, and its news may have been noted for the earlier plan.
    decisions.tellAgain()
  }

  func run() async throws {
    await cancelWhenGracefulShutdown {
      while !Task.isCancelled {
        self.announce()
        try? await Task.sleep(for: Self.pause)
        self.makeRoom()
        let time = self.state.withLock { state in
          [state.announcer.nextTime(after: LiveClock.now), state.roomTime].compactMap(\.self).min()
        }
        await self.decisions.news.wait(until: time)
      }
    }
  }

  /// Members that are heard get the places of those that have been silent longest.
  private func makeRoom() {
    let now = LiveClock.now
    let isDue = state.withLock { state in
      if state.announcer.refusedMembers != state.refusedBefore {
        state.refusedBefore = state.announcer.refusedMembers
        state.roomTime = state.roomTime ?? now + Self.roomPause
      }
      return state.roomTime.map { $0 <= now } ?? false
    }
    guard isDue else { return }
    let members = decisions.look(\.heardMembers)
    let admitted = state.withLock { state in
      let (admitted, isCrowded) = state.announcer.makeRoom(lastHeard: members, since: start, at: now)
      state.roomTime = isCrowded ? now + Self.roomPause : nil
      return admitted
    }
    if !admitted.isEmpty { decisions.tellAgain(admitted) }
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
        "more region members were heard than are announced to Home Assistant: those that are heard replace those that have been silent longest; raise `members` under `home_assistant:` to see all"
      )
    }
    if !messages.isEmpty { delivery.send(messages) }
    if isSettledNow { settlement.ring() }
  }
}
