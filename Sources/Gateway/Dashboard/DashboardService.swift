import Configuration
import Core
import FoundationEssentials
import Glibc
import Logging
import ServiceLifecycle
import Web

/// Serves the dashboard. If the port is in use, the gateway works without it, and tries again.
struct DashboardService: Feature {
  private static let pause = Duration.seconds(30)

  let settings: HTTPSettings
  let stage: any Stage
  /// The file of logins; nil: none outlasts the process.
  let logins: String?
  /// Called with the address of the page.
  let onReady: @Sendable (String) -> Void
  let logger: Logger

  func run() async throws {
    await cancelWhenGracefulShutdown {
      let content = DashboardContent(stage) { logger.notice("\($0)") }
      guard let server = await open(content) else { return }
      let scheme = settings.tls == nil ? "http" : "https"
      onReady("\(scheme)://\(settings.host):\(server.port)/")
      while (try? await Task.sleep(for: .seconds(86400))) != nil {}
      await content.enrolment.end()
      await server.close()
    }
  }

  private var store: SessionStore? {
    logins.map { path in
      SessionStore {
        guard let octets = FileManager.default.contents(atPath: path), octets.count <= 1 << 16 else {
          return nil
        }
        return String(decoding: octets, as: UTF8.self)
      } write: { text in
        do throws(SystemError) {
          try NewFile(path: path, mode: 0o600).write(text, .isDropped)
        } catch {
          logger.notice("logins are not kept through a restart: \(error)")
          // It may have somebody who has logged out.
          unlink(path)
        }
      }
    }
  }

  /// nil: the gateway ends.
  private func open(_ content: DashboardContent) async -> HTTPServer? {
    var told = ""
    while true {
      do {
        return try await HTTPServer.open(
          settings, machine: machineName(), content: content, store: store,
          onWrongPassword: { [logger] in logger.notice("dashboard: \($0)") })
      } catch {
        if "\(error)" != told { logger.warning("no dashboard: \(error); will try again") }
        told = "\(error)"
      }
      do { try await Task.sleep(for: Self.pause) } catch { return nil }
    }
  }
}
