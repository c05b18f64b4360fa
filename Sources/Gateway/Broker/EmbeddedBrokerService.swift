import ServiceLifecycle

/// Ends the gateway if its own broker ends: nobody else would bring it back.
struct EmbeddedBrokerService: Service {
  private let broker: EmbeddedBroker

  init(_ broker: EmbeddedBroker) { self.broker = broker }

  func run() async throws {
    try await cancelWhenGracefulShutdown {
      if let words = await broker.ended() { throw EmbeddedBrokerError.ended(words) }
    }
  }
}
