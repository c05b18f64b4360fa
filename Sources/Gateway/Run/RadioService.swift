import Beacons
import Configuration
import Contract
import Core
import Logging
import Phones
import Radio
import ServiceLifecycle
import Synchronization

/// Receives through this machine's adapters, and broadcasts wake regions.
final class RadioService: Feature {
  private let radio: LiveRadio
  private let decisions: DecisionLoop
  private let logger: Logger
  private let wake: WakeSettings?
  private let broadcast = Mutex(Broadcast())

  private struct Broadcast {
    /// nil: nothing is to be broadcast.
    var status: BroadcastStatus?
    var toldNotice: String?
  }

  init(
    _ options: LiveRadio.Options, _ decisions: DecisionLoop, _ configuration: Configuration,
    _ logger: Logger
  ) throws(RadioError) {
    radio = try LiveRadio(options)
    self.decisions = decisions
    wake = configuration.wake
    self.logger = logger
  }

  func run() async throws {
    var handlers = LiveRadio.Handlers { [decisions] batch, table in decisions.observe(batch, table) }
    let told = Mutex<[ReceiverIndex: ReceiverHealth]>([:])
    handlers.onHealth = { [decisions, logger] change, table in
      decisions.apply(change, table)
      // A quiet adapter is not logged.
      let health = change.health == .quiet ? .ok : change.health
      guard told.withLock({ $0.updateValue(health, forKey: change.receiver) }) != health else { return }
      let reason = change.reason.isEmpty || health == .ok ? "" : ": \(change.reason)"
      logger.log(
        level: health == .ok ? .notice : .warning,
        "\(table.name(of: change.receiver)) is \(health.rawValue)\(reason)")
    }
    handlers.onCounts = { [decisions] in decisions.count($0, $1) }
    if let wake { handlers.onBroadcast = { [weak self] status in self?.tell(status, of: wake) } }
    handlers.onNotice = { [logger] in logger.warning("\($0)") }
    do {
      try await listen(handlers)
    } catch {
      // A user who mends the radio should not learn only afterwards that the broker refuses the connection. So the broker gets
      // time to answer. If its refusal ends the gateway meanwhile, the radio's error is logged, too.
      do { try await Task.sleep(for: Self.brokersTurn) } catch is CancellationError {
        logger.error("\(error)")
      }
      throw error
    }
  }

  /// Publishes a change of the broadcast; the progress of the rotation does not count.
  func tell(_ status: BroadcastStatus, of wake: WakeSettings) {
    let before = broadcast.withLock { broadcast in
      defer { broadcast.status = status }
      return broadcast.status
    }
    if before?.state != status.state || before?.reason != status.reason || before?.adapter != status.adapter {
      decisions.publishHealth()
    }
    guard let notice = wake.notice(status) else { return }
    let isNew = broadcast.withLock { broadcast in
      defer { broadcast.toldNotice = notice }
      return broadcast.toldNotice != notice
    }
    if isNew { logger.notice("\(notice)") }
  }

  func report(into health: inout HealthMessage) {
    guard let wake, let status = broadcast.withLock({ $0.status }) else { return }
    health.wake = wake.message(status, began: status.began.map { health.time - (LiveClock.now - $0) })
  }

  private static let brokersTurn = Duration.seconds(1)

  private func listen(_ handlers: LiveRadio.Handlers) async throws {
    try await withGracefulShutdownHandler {
      try await radio.listen(handlers)
    } onGracefulShutdown: { [radio] in
      radio.stop()
    }
  }
}

extension LiveRadio.Options {
  /// The adapters of the configuration.
  package init(_ configuration: Configuration) {
    self.init()
    duty =
      switch configuration.radio.duty {
      case .full: .full
      // No adapter is used, so any value will do.
      case .off: .balanced
      case .balanced: .balanced
      case .wifiFriendly: .wifiFriendly
      }
    takesBus = true
    unblocks = configuration.radio.unblocks
    broadcast = configuration.wake.map { BroadcastPlan($0) }
    for receiver in configuration.receivers {
      if let address = receiver.adapter { aliases[address] = receiver.name }
    }
  }
}

extension BroadcastPlan {
  /// The broadcast that the configuration asks for.
  init(_ wake: WakeSettings) {
    let plan = wake.plan
    self.init(adapter: wake.adapter, identities: wake.identities, mostAtOnce: plan.mostAtOnce) { elapsed in
      // Rounded down, also before the start.
      let milliseconds =
        elapsed.nanoseconds / 1_000_000 - (elapsed.nanoseconds % 1_000_000 < 0 ? 1 : 0)
      let now = plan.onAir(at: milliseconds)
      return OnAir(identities: Array(now.regions), until: now.until.map { .milliseconds($0) })
    }
  }
}

extension WakeSettings {
  /// The log line when the broadcast starts, fails or must wait; nil: none.
  func notice(_ status: BroadcastStatus) -> String? {
    let because = status.reason.isEmpty ? "" : ": \(status.reason)"
    let minors =
      regions.minors.count == 1
      ? "minor \(regions.minors.lowerBound)"
      : "minor \(regions.minors.lowerBound) to \(regions.minors.upperBound)"
    switch status.state {
    case .on:
      return
        "broadcasting wake regions (major \(regions.major), \(minors)) on \(status.adapter ?? "an adapter")\(because)"
    case .failed: return "wake regions are not on air as planned\(because)"
    case .waiting: return status.reason.isEmpty ? nil : "wake regions are not on air yet\(because)"
    }
  }

  /// Its entry in `health`.
  func message(_ status: BroadcastStatus, began: WallTime?) -> HealthMessage.Wake {
    HealthMessage.Wake(
      state: status.state.rawValue, reason: status.reason, adapter: status.adapter, began: began,
      uuid: regions.uuid, major: regions.major, minors: Array(regions.minors),
      onAir: status.onAir.compactMap { regions.minors.dropFirst($0).first })
  }
}
