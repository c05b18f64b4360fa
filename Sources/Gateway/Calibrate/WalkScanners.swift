import Beacons
import MQTT
import Machine
import Mosquitto
import Scanners
import Settings

/// Receives scanners' messages beside a running gateway: with a random client id and no last will.
struct WalkScanners: Sendable {
  private let scanners: [Scanner]
  private let gateway: String
  private let client: Client
  private let broker: String
  private let walk: LiveWalk
  private let onNotice: @Sendable (String) -> Void

  /// Throws `InvalidOptions`.
  init(
    _ configuration: Configuration, _ broker: RemoteBroker, _ walk: LiveWalk,
    onNotice: @escaping @Sendable (String) -> Void
  ) throws {
    let options = Options(beside: broker)
    client = try Client(options)
    scanners = configuration.resolvedScanners
    gateway = configuration.gatewayName
    self.broker = "\(options.host):\(options.port)"
    self.walk = walk
    self.onNotice = onNotice
  }

  /// Receives until the task is cancelled. Throws `BrokerRefusal` for permanent errors.
  func run() async throws {
    try await withTaskCancellationHandler {
      try await follow()
    } onCancel: {
      Task { await client.stop() }
    }
  }

  private func follow() async throws {
    var intake = ScannerIntake(scanners, ownGateway: gateway, expected: [])
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
}
