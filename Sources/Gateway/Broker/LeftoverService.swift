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
    var discovery: Discovery
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

  init(_ configuration: Configuration, _ decisions: DecisionLoop, _ homeAssistant: HomeAssistantLink) {
    state = Mutex(
      State(leftovers: Leftovers(configuration), discovery: AnnouncementPlan(configuration).discovery))
    self.decisions = decisions
    delivery = decisions.delivery
    self.homeAssistant = homeAssistant
  }

  func configure(_ new: Configuration) {
    let (leftovers, discovery) = (Leftovers(new), AnnouncementPlan(new).discovery)
    state.withLock { state in
      state.leftovers = leftovers
      state.discovery = discovery
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
    if let removal {
      delivery.send([removal])
    } else if isOwn, message.retain, !message.payload.isEmpty {
      // The file that an earlier run kept may be gone.
      delivery.remembered.note(message.topic, isCleared: false)
    }
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
      let remembered = delivery.remembered.all.sorted()
      return (
        state.leftovers.filters,
        remembered.compactMap { state.leftovers.removal(ofRemembered: $0, state.discovery) }
      )
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
        // Those that the broker did not let us clear are tried again by the next look.
        self.delivery.remembered.forgetCleared(except: self.delivery.unsettled)
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
    let filters: [String] = state.withLock { state in
      guard let end = state.end, LiveClock.now >= end else { return [] }
      state.end = nil
      state.mayClear = false
      return state.leftovers.filters
    }
    for filter in filters { delivery.client.unsubscribe(from: filter) }
  }
}
