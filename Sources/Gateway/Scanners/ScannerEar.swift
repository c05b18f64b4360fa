import Beacons
import Configuration
import Contract
import Core
import Mosquitto

/// Receives what the configured scanners publish, beside a running gateway: with a client id of its own and without a last will.
package struct ScannerEar: Sendable {
  private let configuration: Configuration
  private let client: Client
  private let broker: String

  /// nil: there are no scanners, or no broker to which they could publish.
  ///
  /// Throws `InvalidOptions`.
  package init?(_ configuration: Configuration, _ onNotice: (String) -> Void) throws {
    guard !configuration.resolvedScanners.isEmpty else { return nil }
    guard case .remote(let broker) = configuration.broker else {
      onNotice("scanners are left out: the configuration names no broker that they could publish to")
      return nil
    }
    let options = Options(beside: broker, gateway: configuration.gatewayName)
    self.configuration = configuration
    client = try Client(options)
    self.broker = "\(options.host):\(options.port)"
  }

  /// Listens until the task is cancelled. Throws `BrokerRefusal` for permanent errors, and at the end if the broker never accepted
  /// the connection.
  package func listen(
    _ onNotice: @Sendable (String) -> Void, _ hear: (borrowing Hearing, ReceiverTable) -> Void
  ) async throws {
    try await withTaskCancellationHandler {
      try await follow(onNotice, hear)
    } onCancel: {
      Task { await client.stop() }
    }
  }

  private func follow(
    _ onNotice: (String) -> Void, _ hear: (borrowing Hearing, ReceiverTable) -> Void
  ) async throws {
    var intake = ScannerIntake(
      configuration.resolvedScanners, ownGateway: configuration.gatewayName, expected: [])
    for filter in intake.filters { try client.subscribe(to: filter, qos: .atMostOnce) }
    client.start()
    var hearing = Hearing()
    var hasConnected = false
    var lastRefusal: ConnectionFailure?
    for await event in client.events {
      switch event {
      case .connected:
        hasConnected = true
        intake.brokerConnected(at: LiveClock.now, wallTime: LiveClock.wallNow, into: &hearing)
      case .refused(let failure):
        if failure.isPermanent { throw BrokerRefusal(broker: broker, failure: failure) }
        if lastRefusal?.kind != failure.kind { onNotice("cannot reach the broker at \(broker): \(failure)") }
        lastRefusal = failure
      case .disconnected(let reason):
        if !Task.isCancelled { onNotice("lost the broker: \(reason)") }
      case .subscriptionRefused(let filter, let reason):
        onNotice("the broker refused the subscription to \(filter): \(reason)")
      case .message(let message):
        _ = intake.take(
          message.payload, topic: message.topic, isRetained: message.retain, at: LiveClock.now,
          wallTime: LiveClock.wallNow, into: &hearing)
        for notice in hearing.notices { onNotice(notice) }
        hear(hearing, intake.table)
        hearing.removeAll()
      default: continue
      }
    }
    if !hasConnected, let lastRefusal { throw BrokerRefusal(broker: broker, failure: lastRefusal) }
  }
}
