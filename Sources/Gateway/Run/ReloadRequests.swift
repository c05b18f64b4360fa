import Glibc
import Synchronization
import UnixSignals

/// Requests by SIGHUP to reload the configuration. From here on none is lost, even while the gateway is still starting.
public struct ReloadRequests: Sendable {
  /// The file that is read again.
  let path: String
  let signals: UnixSignalsSequence
  public let revision = RunningRevision()

  /// Called before the configuration is first read: earlier requests need no reload.
  public init(of path: String) async {
    self.path = path
    signals = await UnixSignalsSequence(trapping: .sighup)
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
