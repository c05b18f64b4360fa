import HTTP
public import Settings
import SettingsFile

/// `replay --http`: the dashboard over a recording.
public struct ReplayDashboard: Sendable {
  private let stage: ReplayStage
  private let settings: HTTPSettings

  public init(_ stage: ReplayStage, _ settings: HTTPSettings) {
    self.stage = stage
    self.settings = settings
  }

  /// Plays until the task is cancelled.
  ///
  /// - Parameter onReady: is called with the port.
  public func run(onReady: (Int) -> Void) async throws {
    let server = try await HTTPServer.open(settings, machine: machineName(), content: DashboardContent(stage))
    onReady(server.port)
    await stage.play()
    await server.close()
  }
}
