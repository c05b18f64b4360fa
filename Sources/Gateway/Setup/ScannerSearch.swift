import Beacons
import Configuration
import Contract
import Core
import Mosquitto
import Synchronization

/// Looks for boards and gateways that publish what they hear to a broker.
package struct ScannerSearch: Sendable {
  /// Boards report at least every few seconds.
  private static let patience = Duration.seconds(8)
  private static let kinds: [Scanner.Kind] = [.espresense, .theengs, .beaconkeeper]

  private let broker: RemoteBroker
  private let gateway: String

  package init(_ broker: RemoteBroker, gateway: String) {
    self.broker = broker
    self.gateway = gateway
  }

  /// Those that were heard, by kind.
  package func run() async -> [FoundScanner] {
    let intakes = Mutex(
      Self.kinds.map { ScannerIntake([Scanner(kind: $0)], ownGateway: gateway, expected: []) })
    guard let client = try? Client(Options(beside: broker, gateway: gateway)) else { return [] }
    for filter in intakes.withLock({ $0.flatMap(\.filters) }) {
      try? client.subscribe(to: filter, qos: .atMostOnce)
    }
    _ = await client.firstAnswer(within: Self.patience) { event -> Bool? in
      guard case .message(let message) = event else { return nil }
      intakes.withLock { intakes in
        for place in intakes.indices {
          var hearing = Hearing()
          _ = intakes[place].take(
            message.payload, topic: message.topic, isRetained: message.retain, at: LiveClock.now,
            wallTime: LiveClock.wallNow, into: &hearing)
        }
      }
      return nil
    }
    return intakes.withLock { intakes in
      zip(Self.kinds, intakes).compactMap { kind, intake in
        let receivers = intake.table.names.sorted()
        return receivers.isEmpty ? nil : FoundScanner(kind: kind, receivers: receivers)
      }
    }
  }
}
