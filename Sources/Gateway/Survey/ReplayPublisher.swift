import Configuration
import Contract
import Mosquitto
import Pipeline

/// Sends a replay's decisions to the configured broker, as fast as the broker accepts them.
package struct ReplayPublisher: Sendable {
  private let client: Client
  private let topics: Topics
  private let broker: String

  /// nil if the configuration has no broker: the embedded one would end before anybody could subscribe.
  ///
  /// Throws `InvalidOptions`.
  package init?(_ configuration: Configuration) throws {
    guard case .remote(let remote) = configuration.broker else { return nil }
    var options = Options(beside: remote, gateway: configuration.gatewayName)
    options.will = Options(remote, gateway: configuration.gatewayName).will
    client = try Client(options)
    topics = configuration.topics
    broker = "\(options.host):\(options.port)"
  }

  /// Waits for the broker, and says `online`: what is retained counts only then.
  ///
  /// Throws `BrokerRefusal` at the first failure: somebody is watching a replay.
  package func connect() async throws {
    client.start()
    for await event in client.events {
      switch event {
      case .connected: return try await send(Status.online.message(topics: topics))
      case .refused(let failure):
        await client.stop()
        throw BrokerRefusal(broker: broker, failure: failure)
      default: continue
      }
    }
  }

  package func send(_ output: Pipeline.Output) async throws {
    for item in output.items {
      switch item {
      case .transition(let transition): try await send(transition.message(topics: topics))
      case .verdict(let verdict): try await send(verdict.message(topics: topics))
      case .state(let state): try await send(state.message(topics: topics))
      case .roomPresence(let presence): try await send(presence.message())
      }
    }
  }

  private func send(_ message: Message) async throws {
    try await client.publishWhenRoom(
      message.payload, to: message.topic, qos: message.qos,
      retain: message.retained)
  }

  /// Says `offline`, because what stays retained is no longer true, and waits until the broker has everything; returns how many
  /// messages are missing after 30 s.
  package func finish() async -> Int {
    try? await send(Status.offline.message(topics: topics))
    return await client.stop(within: .seconds(30))
  }
}

/// The broker refuses the connection permanently.
package struct BrokerRefusal: Error, CustomStringConvertible {
  package let broker: String
  package let failure: ConnectionFailure

  package var description: String { "the broker at \(broker): \(failure)" }
}
