import ServiceLifecycle

/// Writes to disk what can wait a little, and tries a disk that failed again.
struct OutboxService: Service {
  private static let interval = Duration.seconds(5)

  private let station: Station

  init(_ station: Station) { self.station = station }

  func run() async throws {
    await cancelWhenGracefulShutdown {
      while true {
        do { try await Task.sleep(for: Self.interval) } catch { return }
        station.flushDisk()
      }
    }
  }
}
