import ServiceLifecycle

/// Ends the gateway if its own broker ends, because nothing else would restart it.
struct EmbeddedBrokerService: Service {
  let broker: EmbeddedBroker

  func run() async throws {
    try await cancelWhenGracefulShutdown {
      if let words = await broker.ended() { throw EmbeddedBrokerError.ended(words) }
    }
  }
}
