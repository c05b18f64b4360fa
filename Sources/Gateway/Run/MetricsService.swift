import Configuration
import Core
import FoundationEssentials
import Logging
import ServiceLifecycle

/// Writes the counters of a gateway or a worker to a file for Prometheus' node_exporter (its textfile collector) and other
/// readers of that format. So the gateway needs no open port.
struct MetricsService: Feature {
  let settings: MetricsSettings
  let logger: Logger
  /// The present counters.
  let text: @Sendable () -> String

  /// A file that cannot be written is reported once per reason; the gateway continues. At the end it is removed, so that old
  /// counters are not mistaken for new ones.
  func run() async throws {
    await cancelWhenGracefulShutdown {
      var told = ""
      while true {
        let text = text()
        let reason = await Thread.run { write(text) }
        if let reason, reason != told {
          logger.warning("cannot write metrics to \(settings.file): \(reason); will try again")
        }
        told = reason ?? ""
        do { try await Task.sleep(for: .nanoseconds(settings.interval.nanoseconds)) } catch { break }
      }
      await Thread.run { try? FileManager.default.removeItem(atPath: settings.file) }
    }
  }

  /// Returns the reason if it cannot.
  private func write(_ text: String) -> String? {
    do {
      try Data(text.utf8).write(to: URL(fileURLWithPath: settings.file), options: .atomic)
      try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: settings.file)
      return nil
    } catch {
      return (error as? CocoaError)?.reason(else: "it cannot be written") ?? "\(error)"
    }
  }
}
