import Logging
import Beacons
import Settings
import Radio
import ServiceLifecycle
import Synchronization
import Setup

/// Receives through this machine's adapters.
struct RadioService: Service {
  private let radio: LiveRadio
  private let decisions: DecisionLoop
  private let logger: Logger
  private let introductions: Introductions?
  private let wake: WakeSettings?

  init(
    _ options: LiveRadio.Options, _ decisions: DecisionLoop, _ configuration: Configuration,
    _ logger: Logger
  ) throws(RadioError) {
    radio = try LiveRadio(options)
    self.decisions = decisions
    wake = configuration.wake
    self.logger = logger
    introductions = configuration.beacons.isEmpty ? Introductions(configuration) : nil
  }

  func run() async throws {
    var handlers = LiveRadio.Handlers { batch, table in
      decisions.observe(batch, table)
      introductions?.observe(batch) { logger.notice("\($0)") }
    }
    let told = Mutex<[ReceiverIndex: ReceiverHealth]>([:])
    handlers.onHealth = { change, table in
      decisions.apply(change, table)
      // A quiet adapter is not logged.
      let health = change.health == .quiet ? .ok : change.health
      guard told.withLock({ $0.updateValue(health, forKey: change.receiver) }) != health else { return }
      let reason = change.reason.isEmpty || health == .ok ? "" : ": \(change.reason)"
      logger.log(
        level: health == .ok ? .notice : .warning,
        "\(table.name(of: change.receiver)) is \(health.rawValue)\(reason)")
    }
    handlers.onCounts = { decisions.count($0, $1) }
    if let wake { handlers.onBroadcast = Self.teller(of: wake, decisions, logger) }
    handlers.onNotice = { logger.warning("\($0)") }
    if introductions != nil {
      logger.notice(
        "no beacons are configured; those heard are printed here, ready to paste under `beacons:`")
    }
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

  /// Also prints a notice when the status of the broadcast changes.
  private static func teller(
    of wake: WakeSettings, _ decisions: DecisionLoop, _ logger: Logger
  ) -> @Sendable (BroadcastStatus) -> Void {
    let told = Mutex<String?>(nil)
    return { status in
      decisions.apply(status)
      guard let notice = wake.notice(status) else { return }
      let before = told.withLock { known in
        defer { known = notice }
        return known
      }
      guard notice != before else { return }
      logger.notice("\(notice)")
    }
  }

  private static let brokersTurn = Duration.seconds(1)

  private func listen(_ handlers: LiveRadio.Handlers) async throws {
    try await withGracefulShutdownHandler {
      try await radio.listen(handlers)
    } onGracefulShutdown: {
      radio.stop()
    }
  }
}

/// Logs each beacon in range once, with the line that would configure it.
final class Introductions: Sendable {
  private struct State {
    var survey: AirSurvey
    var introduced: Set<BeaconPattern> = []
  }

  /// How often a beacon must be heard: one that only drives by is not logged.
  private static let patience = 3
  private static let limit = 1000

  private let state: Mutex<State>

  init(_ configuration: Configuration) { state = Mutex(State(survey: AirSurvey(configuration))) }

  func observe(_ batch: borrowing AdvertisementBatch, _ tell: (String) -> Void) {
    state.withLock { state in
      batch.forEach { advertisement, payload in
        guard let device = state.survey.observe(advertisement, payload: payload),
          device.count == Self.patience,
          let suggestion = BeaconSuggestion(device), state.introduced.count < Self.limit,
          state.introduced.insert(suggestion.pattern).inserted
        else { return }
        let signal = device.rssi.map { "  # \($0) dBm" } ?? ""
        tell("  \(suggestion)\(signal)")
      }
    }
  }
}
