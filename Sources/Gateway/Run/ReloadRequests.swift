import Glibc
import Settings
import SettingsFile
import Synchronization
import UnixSignals

/// Requests to reload the configuration: by SIGHUP, or of who has changed the file. From here on none is lost, even while the
/// gateway is still starting.
public struct ReloadRequests: Sendable {
  /// The file that is read again.
  let path: String
  private let signals: UnixSignalsSequence
  /// What the file says, from who has written it; nil: it is to be read. The latest counts.
  private let asked = AsyncStream.makeStream(
    of: Configuration.Loaded?.self, bufferingPolicy: .bufferingNewest(1))
  public let revision = RunningRevision()

  /// Called before the configuration is first read: earlier requests need no reload.
  public init(of path: String) async {
    self.path = path
    signals = await UnixSignalsSequence(trapping: .sighup)
  }

  /// Asks for a configuration to be used: nil, for the file to be read again.
  func ask(_ loaded: Configuration.Loaded?) { asked.continuation.yield(loaded) }

  /// Calls for each request, one after another, until the task is cancelled.
  func forEach(_ body: (Configuration.Loaded?) async -> Void) async {
    await withTaskGroup(of: Void.self) { group in
      group.addTask { for await _ in signals { ask(nil) } }
      for await loaded in asked.stream { await body(loaded) }
      group.cancelAll()
    }
  }

  /// Keeps a request from ending the program until somebody listens. Call this first of all.
  public static func ignore() { _ = before }

  /// There is no file to reload: a closing terminal ends the program, unless its parent ignored SIGHUP.
  public static func end() { _ = signal(SIGHUP, before) }

  private static let before = signal(SIGHUP, SIG_IGN)
}

/// Which revision of its file the gateway runs by. Written after what was read of it is in use, and looked at before: whoever saves
/// over it has then seen what it says, or something newer, and never something older.
public final class RunningRevision: Sendable {
  private let value = Mutex<String?>(nil)

  /// nil: it runs by no file.
  public var current: String? { value.withLock { $0 } }

  public func set(_ revision: String?) { value.withLock { $0 = revision } }
}
