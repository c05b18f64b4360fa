import Beacons
import Configuration
import Contract
import Core
import Mosquitto
import Radio
import ServiceLifecycle
import Synchronization

/// Corrects retained messages that an earlier run or configuration left at the broker: whenever it is connected, and after each
/// reload.
///
/// States of beacons that are unknown to this run are corrected at once. Topics that are no longer configured are cleared only
/// after Home Assistant has removed their entities, because an entity logs an error about an empty state.
///
/// Its subscriptions come and go with each search, so they are not among its `filters`: subscribing once more makes the broker
/// send again what it retains.
final class LeftoverService: Feature {
  /// How long the broker may take to send its retained messages.
  private static let patience = TimeSpan.seconds(10)
  /// Between two rounds, so that a burst is corrected together.
  private static let pause = Duration.seconds(1)
  /// Topics are cleared after this time without announcements to Home Assistant.
  private static let settling = TimeSpan.seconds(4)
  /// The largest number of corrections that may wait, because each needs memory.
  private static let correctionLimit = 1_000

  private struct State {
    var leftovers: Leftovers
    /// The retained topics that are configured.
    var configured: [String]
    /// The broker is connected, but its retained states of beacons are not checked yet.
    var isConnected = false
    /// Obsolete topics have not been searched yet.
    var isDue = true
    /// The broker's retained messages are checked until then.
    var end: MonotonicTime?
    /// Whether it may be cleared.
    var mayClear = false
    var corrections: [String: Leftovers.Correction] = [:]
  }

  private let state: Mutex<State>
  /// Rings when there may be work again.
  private var alarm: Alarm { homeAssistant.settlement }
  private let decisions: DecisionLoop
  private let delivery: Delivery
  private let homeAssistant: HomeAssistantLink
  private var remembered: RememberedTopics { homeAssistant.remembered }

  init(_ configuration: Configuration, _ decisions: DecisionLoop, _ homeAssistant: HomeAssistantLink) {
    let (leftovers, configured) = Self.topics(of: configuration)
    state = Mutex(State(leftovers: leftovers, configured: configured))
    self.decisions = decisions
    delivery = decisions.delivery
    self.homeAssistant = homeAssistant
    remembered.add(configured)
  }

  /// Without those that nothing is published on, such as places where there are none: they need no clearing.
  private static func topics(of configuration: Configuration) -> (leftovers: Leftovers, configured: [String])
  {
    let leftovers = Leftovers(configuration)
    return (leftovers, TopicCatalogue(configuration).retained.filter { leftovers.removal(of: $0) == nil })
  }

  func configure(_ new: Configuration) {
    let (leftovers, configured) = Self.topics(of: new)
    remembered.add(configured)
    state.withLock { state in
      state.leftovers = leftovers
      state.configured = configured
      state.isDue = true
    }
    alarm.ring()
  }

  func connected() {
    state.withLock { state in
      state.isConnected = true
      state.isDue = true
    }
    alarm.ring()
  }

  func received(_ message: ReceivedMessage) -> Bool {
    let (isOwn, removal, count) = state.withLock { state in
      guard state.leftovers.isOwn(message.topic) else { return (false, nil as Message?, 0) }
      // A message that is not retained is an echo of our own; an empty one is a removal.
      guard message.retain, !message.payload.isEmpty, state.end != nil else { return (true, nil, 0) }
      if let correction = state.leftovers.correction(of: message.topic, message.payload) {
        state.corrections[message.topic] = correction
      }
      return (
        true, state.mayClear ? state.leftovers.removal(of: message.topic) : nil, state.corrections.count
      )
    }
    if let removal { delivery.send([removal]) }
    if count >= Self.correctionLimit {
      correct()
    } else if count > 0 {
      alarm.ring()
    }
    return isOwn
  }

  private func correct() {
    let corrections = state.withLock { state in
      defer { state.corrections.removeAll() }
      return state.corrections
    }
    if !corrections.isEmpty { decisions.correct(Array(corrections.values)) }
  }

  private func beginLook() {
    let settledSince = homeAssistant.settledSince
    let (filters, removals): ([String], [Message]) = state.withLock { state in
      let now = LiveClock.now
      if state.isConnected {
        state.isConnected = false
        state.mayClear = false
        state.end = now + Self.patience
        return (state.leftovers.claims, [])
      }
      guard state.isDue, let settledSince, now - settledSince >= Self.settling else { return ([], []) }
      state.isDue = false
      state.mayClear = true
      state.end = now + Self.patience
      let topics = remembered.all
      let moved = state.leftovers.removalsBelowFormerRoots(among: topics)
      return (state.leftovers.filters, topics.sorted().compactMap(state.leftovers.removal) + moved)
    }
    if !removals.isEmpty { delivery.send(removals) }
    // With QoS 1, mosquitto forgets all but some thousand retained messages at once (`max_queued_messages`).
    delivery.subscribe(to: filters.map { Filter(topics: $0, qos: .atMostOnce, options: .withoutOwn) })
  }

  func run() async throws {
    await cancelWhenGracefulShutdown {
      while !Task.isCancelled {
        await self.alarm.wait(until: self.nextTime)
        self.beginLook()
        self.correct()
        self.endLook()
        try? await Task.sleep(for: Self.pause)
      }
    }
  }

  /// The time of the next work if no event comes before.
  private var nextTime: MonotonicTime? {
    let settledSince = homeAssistant.settledSince
    return state.withLock { state in
      let look = state.isDue ? settledSince.map { $0 + Self.settling } : nil
      return [state.end, look].compactMap { $0 }.min()
    }
  }

  private func endLook() {
    let (filters, configured): ([String], [String]?) = state.withLock { state in
      guard let end = state.end, LiveClock.now >= end else { return ([], nil) }
      defer {
        state.end = nil
        state.mayClear = false
      }
      // Nothing is due: neither the connection nor the configuration has changed since the topics were cleared.
      let isCleared = state.mayClear && !state.isDue && delivery.client.isConnected
      return (state.leftovers.filters, isCleared ? state.configured : nil)
    }
    if let configured {
      // Those that the broker did not let us clear are tried again by the next look.
      let left = delivery.unsettled(among: remembered.all)
      remembered.keepOnly(configured + homeAssistant.announcedTopics + left)
    }
    for filter in filters { delivery.client.unsubscribe(from: filter) }
  }
}
