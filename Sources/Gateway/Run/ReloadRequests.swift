import Glibc
import UnixSignals

/// Requests by SIGHUP to reload the configuration. From here on none is lost, even while the gateway is still starting.
public struct ReloadRequests: Sendable {
  /// The file that is read again.
  let path: String
  let signals: UnixSignalsSequence

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
