import Glibc
import Settings
import SettingsFile
import Synchronization
import UnixSignals

/// Requests to reload the configuration: by SIGHUP, or from the page, which has changed the file. None is lost from here on,
/// even while the gateway is still starting.
public struct ReloadRequests: Sendable {
  /// The file that is read again.
  let path: String
  private let signals: UnixSignalsSequence
  /// The content that the page has written; nil: read the file. Only the latest matters.
  private let asked = AsyncStream.makeStream(
    of: Configuration.Loaded?.self, bufferingPolicy: .bufferingNewest(1))
  public let revision = RunningRevision()

  /// Called before the configuration is first read: earlier requests need no reload.
  public init(of path: String) async {
    self.path = path
    signals = await UnixSignalsSequence(trapping: .sighup)
  }

  /// Requests a reload; nil: read the file again.
  func ask(_ loaded: Configuration.Loaded?) { asked.continuation.yield(loaded) }

  /// Calls `body` for each request, one after another, until the task is cancelled.
  func forEach(_ body: (Configuration.Loaded?) async -> Void) async {
    await withTaskGroup(of: Void.self) { group in
      group.addTask { for await _ in signals { ask(nil) } }
      for await loaded in asked.stream { await body(loaded) }
      group.cancelAll()
    }
  }

  /// Keeps SIGHUP from ending the program until it is handled. Call this first of all.
  public static func ignore() { _ = before }

  /// There is no file to reload: a closing terminal ends the program, unless its parent ignored SIGHUP.
  public static func end() { _ = signal(SIGHUP, before) }

  private static let before = signal(SIGHUP, SIG_IGN)
}

/// The revision of the configuration file that is in use. It is set after the configuration is in use, and read before that. So
/// a client that saves over a revision has seen that one or a newer one, never an older one.
public final class RunningRevision: Sendable {
  private let value = Mutex<String?>(nil)

  /// nil: there is no file.
  public var current: String? { value.withLock { $0 } }

  public func set(_ revision: String?) { value.withLock { $0 = revision } }
}
