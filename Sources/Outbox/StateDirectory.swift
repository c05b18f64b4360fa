import Contract
import FoundationEssentials
import Glibc

/// Where the gateway keeps its persistent state.
package struct StateDirectory: Sendable {
  package let path: String
  /// Whether the directory has only our files.
  private let isOurs: Bool

  /// The configured directory, else systemd's (`StateDirectory=`), else the system's for root, else the user's own
  /// (XDG base directories).
  package init(configured: String?, environment: [String: String] = ProcessInfo.processInfo.environment) {
    isOurs = configured == nil
    if let configured {
      path = configured
    } else if let given = environment["STATE_DIRECTORY"]?.split(separator: ":").first {
      path = String(given)
    } else if geteuid() == 0 {
      path = "/var/lib/beaconkeeper"
    } else if let state = environment["XDG_STATE_HOME"], state.hasPrefix("/") {
      path = state + "/beaconkeeper"
    } else {
      path =
        (environment["HOME"] ?? FileManager.default.homeDirectoryForCurrentUser.path)
        + "/.local/state/beaconkeeper"
    }
  }

  /// Creates it if needed, readable only for its owner, because it records who was where. An existing directory is closed
  /// to others only if it is ours alone: a directory that the user named may also have other purposes.
  ///
  /// - Returns: a warning for the user.
  package func make() throws -> String? {
    try FileManager.default.createDirectory(
      atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    var status = stat()
    guard stat(path, &status) == 0, status.st_mode & 0o077 != 0 else { return nil }
    if isOurs, chmod(path, 0o700) == 0 { return nil }
    let mode = String(status.st_mode & 0o777, radix: 8)
    let owner = geteuid() == status.st_uid || geteuid() == 0 ? "" : "sudo chown \(geteuid()) \(path); "
    return
      "other users can read \(path) (mode 0\(mode)), which records who was where; \(owner)chmod 700 \(path)"
  }

  func file(gateway: String) -> String { "\(path)/\(topicLevel(gateway)).sqlite" }

  /// Whether another process has the gateway's outbox open; nil: there is none, or we may not look. Not for the gateway itself:
  /// closing the file ends its own locks (fcntl_locking(2)).
  package func isInUse(gateway: String) -> Bool? {
    let outbox = open(file(gateway: gateway), O_RDONLY | O_CLOEXEC)
    guard outbox >= 0 else { return nil }
    defer { close(outbox) }
    var lock = flock(l_type: Int16(F_WRLCK), l_whence: Int16(SEEK_SET), l_start: 0, l_len: 0, l_pid: 0)
    guard unsafe fcntl(outbox, F_GETLK, &lock) == 0 else { return nil }
    return lock.l_type != Int16(F_UNLCK)
  }

  /// A file of the gateway that its user cannot write, as after a run of root's in the same folder, and what mends that; nil: there
  /// is none. To root, the user is the folder's owner.
  package func unwritable(gateway: String) -> (path: String, remedy: String)? {
    var folder = stat()
    guard stat(path, &folder) == 0 else { return nil }
    for (name, _) in Self.files(gateway: gateway) {
      let file = "\(path)/\(name)"
      var status = stat()
      guard stat(file, &status) == 0 else { continue }
      let user = geteuid() == 0 ? folder.st_uid : geteuid()
      guard status.st_uid != user, geteuid() == 0 || access(file, R_OK | W_OK) != 0 else { continue }
      return (file, "sudo chown \(user) \(path)/\(topicLevel(gateway)).*")
    }
    return nil
  }

  /// The retained topics of earlier configurations.
  package func topics(gateway: String) -> String { "\(path)/\(topicLevel(gateway)).topics" }

  /// The diary. No outbox has such a name, whatever its gateway's name.
  package func diary(gateway: String) -> String { "\(path)/\(topicLevel(gateway)).diary" }

  /// The file of the page's logins.
  package func logins(gateway: String) -> String { "\(path)/\(topicLevel(gateway)).logins" }

  /// Exists while a restore renames files; see `UnfinishedRestore`.
  package func restoreMark(gateway: String) -> String { "\(path)/\(topicLevel(gateway))\(Self.restoring)" }
  static let restoring = ".restoring"

  /// The names of a gateway's files in the directory, and whether each is an SQLite file.
  package static func files(gateway: String) -> [(name: String, isStore: Bool)] {
    let level = topicLevel(gateway)
    return [
      ("\(level).sqlite", true), ("\(level).sqlite.mark", false), ("\(level).observations", true),
      ("\(level).diary", true), ("\(level).topics", false), ("\(level).logins", false),
    ]
  }

  /// The file of waiting observations. No outbox has such a name, whatever its gateway's name.
  func observations(gateway: String) -> String { "\(path)/\(topicLevel(gateway)).observations" }
}
