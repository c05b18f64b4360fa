import Glibc
import UnixSignals

/// Asked for by SIGHUP: that a configuration is read again. None is lost from here on, also while the gateway still starts.
public struct ReloadRequests: Sendable {
  /// The file that is read again.
  let path: String
  let signals: UnixSignalsSequence

  /// Comes before the configuration is read for the first time: what is asked for earlier needs no second look.
  public init(of path: String) async {
    self.path = path
    signals = await UnixSignalsSequence(trapping: .sighup)
  }

  /// Until somebody listens, a request is not to end the program: to be called as the first thing of all.
  public static func ignore() { _ = before }

  /// There is no file to be read again: a terminal that closes ends the program, unless who started it ignored that.
  public static func end() { _ = signal(SIGHUP, before) }

  private static let before = signal(SIGHUP, SIG_IGN)
}
