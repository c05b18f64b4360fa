import HTTP
import Logging
import Machine
import ServiceLifecycle
import Settings
import SettingsFile

/// Serves the dashboard. If the port is in use, the gateway works without it, and tries again.
struct DashboardService: Feature {
  private static let pause = Duration.seconds(30)

  private let settings: HTTPSettings
  private let stage: any Stage
  private let onReady: @Sendable (String) -> Void
  private let logger: Logger

  /// - Parameter onReady: is called with the address of the page.
  init(
    _ settings: HTTPSettings, _ stage: any Stage, onReady: @escaping @Sendable (String) -> Void,
    _ logger: Logger
  ) {
    self.settings = settings
    self.stage = stage
    self.onReady = onReady
    self.logger = logger
  }

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
