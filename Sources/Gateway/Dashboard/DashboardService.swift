import Configuration
import Core
import Logging
import ServiceLifecycle
import Web

/// Serves the dashboard. If the port is in use, the gateway works without it, and tries again.
struct DashboardService: Feature {
  private static let pause = Duration.seconds(30)

  let settings: HTTPSettings
  let stage: any Stage
  /// Called with the address of the page.
  let onReady: @Sendable (String) -> Void
  let logger: Logger

  func run() async throws {
    await cancelWhenGracefulShutdown {
      guard let server = await open() else { return }
      let scheme = settings.tls == nil ? "http" : "https"
      onReady("\(scheme)://\(settings.host):\(server.port)/")
      while (try? await Task.sleep(for: .seconds(86400))) != nil {}
      await server.close()
    }
  }

  /// nil: the gateway ends.
  private func open() async -> HTTPServer? {
    var told = ""
    while true {
      do {
        return try await HTTPServer.open(settings, machine: machineName(), content: DashboardContent(stage))
      } catch {
        if "\(error)" != told { logger.warning("no dashboard: \(error); will try again") }
        told = "\(error)"
      }
      do { try await Task.sleep(for: Self.pause) } catch { return nil }
    }
  }
}
