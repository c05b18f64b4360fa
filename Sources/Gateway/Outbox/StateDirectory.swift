import Foundation
import Messages

/// Where the gateway keeps what must outlive it.
public struct StateDirectory: Sendable {
  public let path: String

  /// The configured one, else what systemd gives (`StateDirectory=`), else the system's for root, else the user's own
  /// (XDG base directories).
  public init(configured: String?, environment: [String: String] = ProcessInfo.processInfo.environment) {
    if let configured {
      path = configured
    } else if let given = environment["STATE_DIRECTORY"]?.split(separator: ":").first {
      path = String(given)
    } else if geteuid() == 0 {
      path = "/var/lib/beaconkeeper"
    } else if let state = environment["XDG_STATE_HOME"], state.hasPrefix("/") {
      path = state + "/beaconkeeper"
    } else {
      path = (environment["HOME"] ?? NSHomeDirectory()) + "/.local/state/beaconkeeper"
    }
  }

  /// Nobody else may read who was where.
  func make() throws {
    try FileManager.default.createDirectory(
      atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
  }

  func file(gateway: String) -> String { "\(path)/\(topicLevel(gateway)).sqlite" }
}
