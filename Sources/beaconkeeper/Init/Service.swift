import FoundationEssentials
import Glibc

/// The systemd unit of the package.
struct Service {
  let unit: String

  /// Whether the package's unit is there, for systemd or for the next boot.
  static var isInstalled: Bool {
    ["/etc/systemd/system", "/usr/lib/systemd/system", "/lib/systemd/system"]
      .contains { FileManager.default.fileExists(atPath: $0 + "/beaconkeeper.service") }
  }

  /// Whether it can be started from here.
  static var canBeStarted: Bool {
    FileManager.default.fileExists(atPath: "/run/systemd/system") && geteuid() == 0
  }

  /// Starts it now and at boot. A running one is restarted, because a reload does not read the password again.
  ///
  /// - Returns: whether it runs.
  func start() -> Bool {
    systemctl("enable", "--quiet", unit) && systemctl("restart", unit)
  }

  private func systemctl(_ arguments: String...) -> Bool {
    var argv = (["systemctl"] + arguments).map { strdup($0) } + [nil]
    defer { for argument in argv { free(argument) } }
    var identifier: pid_t = 0
    guard posix_spawnp(&identifier, "systemctl", nil, nil, &argv, environ) == 0 else { return false }
    var status: Int32 = 0
    while waitpid(identifier, &status, 0) == -1, errno == EINTR {}
    return status == 0
  }
}
