import Beacons
import GatewayConfiguration
import Messages
import Mosquitto
import Radio
import ServiceLifecycle
import Synchronization

/// Clears from the broker what an earlier configuration left there: once it is connected, and after each reload.
///
/// Home Assistant comes first. An entity that it has not yet let go of takes an empty state for an error.
final class LeftoverService: Service {
  /// How long the broker may take to send what it keeps.
  private static let patience = TimeSpan.seconds(10)
  private static let tick = Duration.seconds(1)
  /// So long Home Assistant has had nothing more to be told.
  private static let settling = TimeSpan.seconds(4)

  private struct State {
    var leftovers: Leftovers
    /// There is a configuration under which nobody has looked yet.
    var isDue = true
    /// Since when Home Assistant knows everything; nil: it does not.
    var settled: MonotonicTime?
    /// Until then what the broker sends is looked at.
    var end: MonotonicTime?
  }

  private let state: Mutex<State>
  private let client: Client
  private let station: Station
  private let homeAssistant: HomeAssistantLink
  private let listener: GatewayRun.Listener

  init(
    _ configuration: Configuration, _ client: Client, _ station: Station, _ homeAssistant: HomeAssistantLink,
    _ listener: GatewayRun.Listener
  ) {
    state = Mutex(State(leftovers: Leftovers(configuration)))
    self.client = client
    self.station = station
    self.homeAssistant = homeAssistant
    self.listener = listener
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
  }

  /// Takes in a message of the broker's; false if it is not a state of ours.
  func received(_ message: ReceivedMessage) -> Bool {
    let (isOwn, removal) = state.withLock { state in
      // What is not retained is our own word come back; an empty one is a removal.
      let isKept = message.retain && !message.payload.isEmpty && state.end != nil
      return (
        state.leftovers.isOwn(message.topic), isKept ? state.leftovers.removal(of: message.topic) : nil
      )
    }
    if let removal { station.send([removal]) }
    return isOwn
  }

  private func beginLook() {
    let isSettled = homeAssistant.isSettled
    let filters: [String] = state.withLock { state in
      let now = LiveClock.now
      state.settled = isSettled ? state.settled ?? now : nil
      guard state.isDue, let settled = state.settled, now - settled >= Self.settling else { return [] }
      state.isDue = false
      state.end = now + Self.patience
      return state.leftovers.filters
    }
    for filter in filters {
      do throws(PublishError) {
        try client.subscribe(to: filter)
      } catch {
        listener.onNotice("no subscription to \(filter): \(error)")
      }
    }
  }

  func run() async throws {
    await cancelWhenGracefulShutdown {
      while !Task.isCancelled {
        try? await Task.sleep(for: Self.tick)
        self.beginLook()
        self.endLook()
      }
    }
  }

  private func endLook() {
    let filters: [String] = state.withLock { state in
      guard let end = state.end, LiveClock.now >= end else { return [] }
      state.end = nil
      return state.leftovers.filters
    }
    for filter in filters { client.unsubscribe(from: filter) }
  }
}
