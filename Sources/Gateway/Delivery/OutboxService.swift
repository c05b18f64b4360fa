import ServiceLifecycle

/// Writes to disk what can wait a little, and retries a disk that failed and a broker that refused something.
struct OutboxService: Service {
  private static let interval = Duration.seconds(5)

  private let delivery: Delivery

  init(_ delivery: Delivery) { self.delivery = delivery }

  func run() async throws {
    await cancelWhenGracefulShutdown {
      while true {
        do { try await Task.sleep(for: Self.interval) } catch { return }
        delivery.flushDisk()
        delivery.retryRefused()
      }
    }
  }
}
