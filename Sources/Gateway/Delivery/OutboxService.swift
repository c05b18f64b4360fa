import ServiceLifecycle

/// Writes to disk what can wait a little, tries a disk that failed and a broker that refused something again, and looks whether
/// the disk answers at all.
struct OutboxService: Service {
  private static let interval = Duration.seconds(1)
  /// It is written to once in so many intervals.
  private static let flush = 5

  private let delivery: Delivery

  init(_ delivery: Delivery) { self.delivery = delivery }

  func run() async throws {
    await cancelWhenGracefulShutdown {
      var round = 0
      while true {
        do { try await Task.sleep(for: Self.interval) } catch { return }
        delivery.watchDisk()
        round += 1
        if round % Self.flush == 0 {
          delivery.flushDisk()
          delivery.retryRefused()
        }
      }
    }
  }
}
