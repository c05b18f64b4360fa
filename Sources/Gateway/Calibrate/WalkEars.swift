public import Settings
import Beacons
import Captures
import Dispatch
import MQTT
import Machine
import Mosquitto
import Radio
import Scanners

/// The sources of a live walk: our radios, or a recording instead of them, and the configured scanners.
public struct WalkEars: Sendable {
  /// The source of advertisements.
  public enum Input: Sendable {
    case radio
    /// Played in real time, once.
    case recording(path: String)
    /// As they arrive.
    case standardInput
  }

  private let configuration: Configuration
  private let walk: LiveWalk

  public init(_ configuration: Configuration, _ walk: LiveWalk) {
    self.configuration = configuration
    self.walk = walk
  }

  /// Receives until the task is cancelled or the input ends. A source's messages go to `onNotice`.
  ///
  /// Throws errors after which no source is left: `RadioError`, `CaptureError`, `BrokerRefusal`, `InvalidOptions`.
  public func hear(_ input: Input, onNotice: @escaping @Sendable (String) -> Void) async throws {
    let options = brokerOptions(onNotice)
    let client = try options.map { try Client($0) }
    try await withThrowingTaskGroup(of: Void.self) { group in
      if let client, let options {
        group.addTask {
          try await withTaskCancellationHandler {
            try await follow(client, "\(options.host):\(options.port)", onNotice)
          } onCancel: {
            Task { await client.stop() }
          }
        }
      }
      group.addTask { try await listen(input, hasScanners: client != nil, onNotice) }
      try await group.next()
      group.cancelAll()
    }
  }

  /// For the scanners' messages, beside a running gateway: with a random client id and no last will. nil: there are none.
  private func brokerOptions(_ onNotice: (String) -> Void) -> Options? {
    guard !configuration.resolvedScanners.isEmpty else { return nil }
    guard case .remote(let broker) = configuration.broker else {
      onNotice("scanners are left out: the configuration names no broker that they could publish to")
      return nil
    }
    var options = Options(broker, gateway: configuration.gatewayName)
    options.clientID = ""
    options.will = nil
    return options
  }

  /// Receives scanners' messages until the connection is stopped. Throws `BrokerRefusal` for permanent errors.
  private func follow(_ client: Client, _ broker: String, _ onNotice: (String) -> Void) async throws {
    var intake = ScannerIntake(
      configuration.resolvedScanners, ownGateway: configuration.gatewayName, expected: [])
    for filter in intake.filters { try client.subscribe(to: filter, qos: .atMostOnce) }
    client.start()
    var hearing = Hearing()
    var lastRefusal: ConnectionFailure.Kind?
    for await event in client.events {
      switch event {
      case .connected: intake.brokerConnected(at: LiveClock.now)
      case .refused(let failure):
        if failure.isPermanent { throw BrokerRefusal(broker: broker, failure: failure) }
        if lastRefusal != failure.kind { onNotice("cannot reach the broker at \(broker): \(failure)") }
        lastRefusal = failure.kind
      case .disconnected(let reason):
        if !Task.isCancelled { onNotice("lost the broker: \(reason)") }
      case .subscriptionRefused(let filter, let reason):
        onNotice("the broker refused the subscription to \(filter): \(reason)")
      case .message(let message):
        _ = intake.take(
          message.payload, topic: message.topic, isRetained: message.retain, at: LiveClock.now,
          wallTime: LiveClock.wallNow, into: &hearing)
        for notice in hearing.notices { onNotice(notice) }
        walk.hear(hearing, intake.table)
        hearing.removeAll()
      default: continue
      }
    }
  }

  private func listen(
    _ input: Input, hasScanners: Bool, _ onNotice: @escaping @Sendable (String) -> Void
  ) async throws {
    switch input {
    case .radio where configuration.radio.duty == .off: try await waitForCancellation()
    case .radio:
      do throws(RadioError) { try await listenToRadio(onNotice) } catch {
        guard hasScanners else { throw error }
        onNotice("no radio here: \(error)")
        try await waitForCancellation()
      }
    case .recording(let path):
      try await Recording.play(path, onObservation: { walk.hear([$0], $1, isRemote: false) }) {
        walk.hear($0, $1, isRemote: false)
      }
    case .standardInput: try await listenToStandardInput()
    }
  }

  private func waitForCancellation() async throws {
    while true { try await Task.sleep(for: .seconds(3600)) }
  }

  private func listenToRadio(_ onNotice: @escaping @Sendable (String) -> Void) async throws(RadioError) {
    var options = LiveRadio.Options(configuration)
    options.broadcast = nil
    let radio = try LiveRadio(options)
    var handlers = LiveRadio.Handlers { [walk] batch, table in walk.hear(batch, table, isRemote: false) }
    handlers.onNotice = onNotice
    try await radio.listen(handlers)
  }

  /// On a thread of its own, because reading blocks; it ends with the process.
  private func listenToStandardInput() async throws {
    let ended = AsyncThrowingStream.makeStream(of: Void.self)
    DispatchQueue(label: "standard input").async { [walk] in
      do throws(CaptureError) {
        try Recording.hearStandardInput(onObservation: { walk.hear([$0], $1, isRemote: false) }) {
          walk.hear($0, $1, isRemote: false)
        }
        ended.continuation.finish()
      } catch {
        ended.continuation.finish(throwing: error)
      }
    }
    for try await _ in ended.stream {}
  }
}
