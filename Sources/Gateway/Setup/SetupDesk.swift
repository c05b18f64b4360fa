import Configuration
import Core
import Pipeline
import Synchronization
import Web

/// Sets a gateway up from the page: looks for brokers and for boards, and tries a connection before it is saved.
///
/// It makes one inquiry at a time and a few a minute, and repeats nothing that a peer says about itself. So
/// nobody can use it as a tool to explore a network.
final class SetupDesk: Sendable {
  enum Inquiry: Sendable {
    case brokers
    /// The configuration with the broker as it would be saved.
    ///
    /// - Parameter id: identifies the input.
    case trial(Configuration, id: String)
    case receivers(RemoteBroker)

    var name: String {
      switch self {
      case .brokers: "brokers"
      case .trial: "trial"
      case .receivers: "receivers"
      }
    }
  }

  /// The result of trying a connection.
  struct Trial: Sendable {
    /// nil: the gateway's own.
    var url: String?
    var username: String?
    /// Identifies the input that was tried, so that a page does not show this result for other input.
    var id: String
    var finding: DoctorFinding
  }

  struct State: Sendable {
    /// What is being asked; nil: nothing.
    var inquiry: String?
    var limit = RateLimit(burst: 6, interval: .seconds(10))
    var brokers: [FoundBroker]?
    var trial: Trial?
    var receivers: [FoundScanner]?
    /// The ids of inputs that worked, the latest last.
    var working: [String] = []
  }

  /// How many of them are remembered.
  private static let mostWorking = 16

  let stage: any Stage
  /// The broker that the gateway uses.
  let running: BrokerSettings
  private let clock: @Sendable () -> MonotonicTime
  private let state = Mutex(State())

  init(_ stage: any Stage, clock: @escaping @Sendable () -> MonotonicTime = { LiveClock.now }) {
    self.stage = stage
    self.clock = clock
    running = stage.look { pipeline, _, _ in pipeline.configuration.broker }
  }

  var current: State { state.withLock { $0 } }

  /// Begins to ask. Returns a refusal if it cannot.
  func begin(_ inquiry: Inquiry) -> Response? {
    let refusal = state.withLock { state -> Response? in
      guard state.inquiry == nil else { return .error(409, "Something is being asked already.") }
      guard state.limit.take(at: clock()) else {
        return .error(429, "That was asked too often.", remedy: "Wait ten seconds.")
      }
      state.inquiry = inquiry.name
      switch inquiry {
      case .brokers: state.brokers = nil
      case .trial: state.trial = nil
      case .receivers: state.receivers = nil
      }
      return nil
    }
    if refusal == nil { Task { await self.ask(inquiry) } }
    return refusal
  }

  private func ask(_ inquiry: Inquiry) async {
    switch inquiry {
    case .brokers:
      let found = await BrokerSearch().run()
      state.withLock { $0.brokers = found }
    case .trial(let configuration, let id):
      let finding = await Doctor(configuration).broker(isAskedByGateway: true).finding
      let trial = Trial(configuration.broker, id: id, finding)
      state.withLock { state in
        state.trial = trial
        state.working.removeAll { $0 == id }
        if finding.state != .fault { state.working = state.working.suffix(Self.mostWorking - 1) + [id] }
      }
    case .receivers(let broker):
      let gateway = stage.look { pipeline, _, _ in pipeline.configuration.gatewayName }
      let found = await ScannerSearch(broker, gateway: gateway).run()
      state.withLock { $0.receivers = found }
    }
    state.withLock { $0.inquiry = nil }
  }
}

extension SetupDesk.Trial {
  init(_ broker: BrokerSettings, id: String, _ finding: DoctorFinding) {
    (self.id, self.finding) = (id, finding)
    if case .remote(let remote) = broker { (url, username) = (remote.url, remote.username) }
  }
}
