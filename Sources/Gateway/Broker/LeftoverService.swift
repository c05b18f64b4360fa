import Logging
import Machine
import Beacons
import Settings
import Messages
import Mosquitto
import Radio
import ServiceLifecycle
import Synchronization

/// Corrects what an earlier run or configuration left at the broker: whenever it is connected, and after each reload.
///
/// States of beacons that are unknown to this run are corrected at once. Topics that are no longer configured are cleared after
/// Home Assistant has removed their entities: an entity takes an empty state for an error.
final class LeftoverService: Service {
  /// How long the broker may take to send what it keeps.
  private static let patience = TimeSpan.seconds(10)
  private static let tick = Duration.seconds(1)
  /// How long nothing more was announced to Home Assistant.
  private static let settling = TimeSpan.seconds(4)
  /// States to be put right that may wait; each took part of our memory.
  private static let correctionLimit = 1_000

  private struct State {
    var leftovers: Leftovers
    /// The broker is there, and nobody has looked yet what it says of beacons.
    var isConnected = false
    /// Nobody has looked yet for what is to be cleared.
    var isDue = true
    /// Since when Home Assistant knows everything; nil: it does not.
    var settled: MonotonicTime?
    /// Until then what the broker sends is looked at.
    var end: MonotonicTime?
    /// Whether it may be cleared.
    var mayClear = false
    /// By topic.
    var corrections: [String: Leftovers.Correction] = [:]
    /// Something is under way.
    var isBusy: Bool { isConnected || isDue || end != nil || !corrections.isEmpty }
  }

  private let state: Mutex<State>
  /// Rings where there is something to do again.
  private let alarm = Alarm()
  private let decisions: DecisionLoop
  private let delivery: Delivery
  private let homeAssistant: HomeAssistantLink
  private let logger: Logger

  init(
    _ configuration: Configuration, _ decisions: DecisionLoop, _ homeAssistant: HomeAssistantLink,
    _ logger: Logger
  ) {
    state = Mutex(State(leftovers: Leftovers(configuration)))
    self.decisions = decisions
    delivery = decisions.delivery
    self.homeAssistant = homeAssistant
    self.logger = logger
  }

  /// - Parameter gateway: the name that the gateway keeps until it is restarted.
  func reconfigure(_ configuration: Configuration, gateway: String) {
    var configuration = configuration
    configuration.gatewayName = gateway
    let leftovers = Leftovers(configuration)
    state.withLock { state in
      state.leftovers = leftovers
      state.isDue = true
      state.settled = nil
    }
    alarm.ring()
  }

  func connected() {
    state.withLock { state in
      state.isConnected = true
      state.isDue = true
      state.settled = nil
    }
    alarm.ring()
  }

  /// Takes in a message of the broker's; false if it is not a state of ours.
  func received(_ message: ReceivedMessage) -> Bool {
    let (isOwn, removal, isFull) = state.withLock { state in
      guard state.leftovers.isOwn(message.topic) else { return (false, nil as Message?, false) }
      // A message that is not retained is an echo of our own; an empty one is a removal.
      guard message.retain, !message.payload.isEmpty, state.end != nil else { return (true, nil, false) }
      if let correction = state.leftovers.correction(of: message.topic, message.payload) {
        state.corrections[message.topic] = correction
      }
      return (
        true, state.mayClear ? state.leftovers.removal(of: message.topic) : nil,
        state.corrections.count >= Self.correctionLimit
      )
    }
    if let removal { delivery.send([removal]) }
    if isFull { correct() }
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
    let isSettled = homeAssistant.isSettled
    let filters: [String] = state.withLock { state in
      let now = LiveClock.now
      state.settled = isSettled ? state.settled ?? now : nil
      if state.isConnected {
        state.isConnected = false
        state.mayClear = false
        state.end = now + Self.patience
        return state.leftovers.claims
      }
      guard state.isDue, let settled = state.settled, now - settled >= Self.settling else { return [] }
      state.isDue = false
      state.mayClear = true
      state.end = now + Self.patience
      return state.leftovers.filters
    }
    for filter in filters {
      do throws(PublishError) {
        try delivery.client.subscribe(to: filter)
      } catch {
        logger.error("cannot subscribe to \(filter): \(error)")
      }
    }
  }

  func run() async throws {
    await cancelWhenGracefulShutdown {
      while !Task.isCancelled {
        if self.state.withLock({ $0.isBusy }) {
          try? await Task.sleep(for: Self.tick)
        } else {
          await self.alarm.wait()
        }
        self.beginLook()
        self.correct()
        self.endLook()
      }
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
