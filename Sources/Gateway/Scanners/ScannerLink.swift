import Beacons
import Configuration
import Contract
import Core
import Logging
import Mosquitto
import Pipeline
import ServiceLifecycle
import Synchronization

/// Receives through scanners on MQTT: subscribes to their topics, and passes advertisements and observations to the decision
/// loop.
final class ScannerLink: Feature {
  /// How often to look for silent receivers.
  private static let pause = Duration.seconds(2)
  /// How often if their silence may mean that they failed.
  private static let briefPause = Duration.milliseconds(500)

  private struct State {
    var intake: ScannerIntake
    /// Reused for the content of one message.
    var hearing = Hearing()
    var notices = BlindNotices()
  }

  private let state: Mutex<State>
  /// Rings after a reload.
  private let reloads = Alarm()
  /// Held while a message is processed and passed on, so that the order stays. `state` is never locked at that time, because
  /// decisions ask for a report under their own lock.
  private let order = Mutex(())
  private let decisions: DecisionLoop
  private let client: Client
  private let logger: Logger

  init(_ configuration: Configuration, _ decisions: DecisionLoop, _ logger: Logger) {
    state = Mutex(
      State(
        intake: ScannerIntake(
          configuration.resolvedScanners, ownGateway: configuration.gatewayName,
          expected: decisions.receiverNames, named: decisions.look(\.configuredReceivers))))
    self.decisions = decisions
    client = decisions.delivery.client
    self.logger = logger
  }

  /// With QoS 0: the next observation is better than one that the broker repeats.
  var filters: [Filter] {
    state.withLock { state in
      let ofStatus = state.intake.statusFilters
      return state.intake.filters.map {
        Filter(topics: $0, qos: ofStatus.contains($0) ? .atLeastOnce : .atMostOnce)
      }
    }
  }

  func received(_ message: ReceivedMessage) -> Bool {
    take { intake, hearing in
      // Most gateways have no scanner, so this check comes first.
      guard !intake.scanners.isEmpty else { return false }
      return intake.take(
        message.payload, topic: message.topic, isRetained: message.retain, at: LiveClock.now,
        wallTime: LiveClock.wallNow, into: &hearing)
    }
  }

  func connected() {
    // The log has the broker's return, and later those that did not come back.
    take(isLogged: false) { intake, hearing in
      intake.brokerConnected(at: LiveClock.now, wallTime: LiveClock.wallNow, into: &hearing)
    }
  }

  func disconnected() {
    take { intake, hearing in
      intake.brokerDisconnected(at: LiveClock.now, wallTime: LiveClock.wallNow, into: &hearing)
    }
  }

  /// A renamed receiver is the same as before: beacons that are in a zone because of it stay there.
  func prepare(for new: Configuration) {
    order.withLock { _ in
      let (renamings, table) = state.withLock {
        ($0.intake.rename(for: new.resolvedScanners), $0.intake.table)
      }
      decisions.rename(renamings, table)
    }
  }

  func configure(_ new: Configuration) {
    let (expected, named) = (decisions.receiverNames, decisions.look(\.configuredReceivers))
    take { intake, hearing in
      intake.reconfigure(
        new.resolvedScanners, expected: expected, named: named, at: LiveClock.now,
        wallTime: LiveClock.wallNow, into: &hearing)
    }
    reloads.ring()
  }

  func run() async throws {
    await cancelWhenGracefulShutdown {
      while !Task.isCancelled {
        let pause = self.state.withLock { state -> Duration? in
          if state.intake.scanners.isEmpty { return nil }
          return state.intake.judgesSilence ? Self.briefPause : Self.pause
        }
        await self.reloads.wait(for: pause)
        if Task.isCancelled { return }
        self.take { intake, hearing in
          intake.look(at: LiveClock.now, wallTime: LiveClock.wallNow, into: &hearing)
        }
        let rest = self.state.withLock { $0.notices.rest(at: LiveClock.now) }
        if let rest { self.logger.warning("\(rest)") }
      }
    }
  }

  private func take<Result>(
    isLogged: Bool = true, _ body: (inout ScannerIntake, inout Hearing) -> Result
  ) -> Result {
    order.withLock { _ in
      let (result, hearing, table) = state.withLock { state in
        let result = body(&state.intake, &state.hearing)
        // Taken out, so that its storage is uniquely referenced and can be reused.
        var hearing = Hearing()
        swap(&hearing, &state.hearing)
        return (result, hearing, state.intake.table)
      }
      guard !hearing.isEmpty else { return result }
      for notice in hearing.notices { logger.warning("\(notice)") }
      if isLogged { tell(of: hearing.changes, table) }
      decisions.hear(hearing, table)
      var emptied = hearing
      emptied.removeAll()
      state.withLock { $0.hearing = emptied }
      return result
    }
  }

  private func tell(of changes: [ReceiverHealthChange], _ table: ReceiverTable) {
    if changes.isEmpty { return }
    let now = LiveClock.now
    let lines = state.withLock { state in
      changes.compactMap { state.notices.notice(of: $0, named: table.name(of: $0.receiver), at: now) }
    }
    for line in lines { logger.warning("\(line)") }
  }

  func report(into health: inout HealthMessage) {
    state.withLock { state in
      guard !state.intake.scanners.isEmpty else { return }
      health.remote = HealthMessage.Remote(
        scanners: state.intake.figures, gateways: state.intake.gatewayFigures,
        lostMessages: client.events.lostMessages)
      health.remote?.unlistedGateways = state.intake.unlistedGateways
    }
  }
}

/// Log messages about scanners that went blind or may have failed, or work again. If there are many, only their number is logged.
struct BlindNotices: Sendable {
  private var limit = RateLimit(burst: 20, interval: .seconds(10))
  private var untold = 0
  /// Receivers that were logged as blind.
  private var told: Set<String> = []

  /// The log message about a change; nil: none now.
  mutating func notice(
    of change: ReceiverHealthChange, named name: String, at time: MonotonicTime
  ) -> String? {
    guard change.health.isBlind || change.isGivenUp else {
      // In other states, such as after the broker was away, the receiver is only presumed to work.
      guard change.health == .ok || change.health == .lossy else { return nil }
      return told.remove(name).map { "\($0) is back" }
    }
    guard limit.take(at: time) else {
      untold += 1
      return nil
    }
    told.insert(name)
    return "\(name) is \(change.health.rawValue): \(change.reason)"
  }

  /// The log message about skipped changes; nil: none, or it is too early.
  mutating func rest(at time: MonotonicTime) -> String? {
    guard untold > 0, limit.take(at: time) else { return nil }
    defer { untold = 0 }
    return "receivers of scanners became blind \(untold) more times; health has the present state of each"
  }
}
