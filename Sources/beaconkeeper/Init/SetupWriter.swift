import Configuration
import Core
import Gateway
import Glibc

/// Writes the configuration and the passwords: all or nothing. The user's files are not lost without a question.
struct SetupWriter {
  let placement: Placement
  let isForced: Bool
  let surroundings: InitSurroundings
  /// The configuration of the package, which no user wrote.
  var pristine = "/usr/share/beaconkeeper/beaconkeeper.yaml"

  /// Asks before the interview, so that the user does not answer ten questions in vain.
  func askToReplace(_ path: String, keeping consequence: String) throws(SetupFault) {
    let folder = folder(of: path)
    var status = stat()
    if lstat(path, &status) == 0 {
      if status.st_mode & S_IFMT == S_IFDIR { throw .unwritable(path: path, reason: "it is a folder") }
      guard !isForced, !isPristine(path) else { return }
      guard surroundings.isAnswered else { throw .exists(path: path) }
      let question = Question("\(path) exists. Replace it (\(consequence))?", usual: "no", option: "--force")
      guard try surroundings.agreed(question) else { throw .givenUp }
    } else if ![placement.passwordPath, placement.pagePath, placement.writePath].contains(path)
      || placement.unit == nil,
      access(folder, W_OK) != 0
    {
      throw .unwritable(path: path, reason: String(cString: strerror(errno)))
    }
  }

  private func isPristine(_ path: String) -> Bool {
    guard let package = Self.content(pristine) else { return false }
    return Self.content(path) == package
  }

  /// nil also for a file that is too large for a configuration.
  private static func content(_ path: String) -> [UInt8]? {
    let number = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK)
    guard number >= 0 else { return nil }
    return try? FileDescriptor(number).readToEnd(limit: 1 << 20)
  }

  func write(_ files: SetupFiles) throws(SetupFault) {
    // Ctrl-C is ignored meanwhile: it could leave only some of the files, or part of one.
    let usual = [SIGINT, SIGTERM, SIGHUP].map { ($0, signal($0, SIG_IGN)) }
    defer { for (number, handler) in usual { signal(number, handler) } }
    let secrets = [
      (files.password, placement.passwordPath), (files.page, placement.pagePath),
      (files.write, placement.writePath),
    ]
    var new: [String] = []
    do throws(SetupFault) {
      for case (let secret?, let path) in secrets {
        if placement.unit != nil { mkdir(folder(of: path), 0o700) }
        if access(path, F_OK) != 0 { new.append(path) }
        try write(secret.revealed + "\n", to: path, mode: 0o600, .isDropped)
      }
      try write(files.configuration, to: placement.path, mode: 0o644, .isKeptAsOld)
    } catch {
      for path in new { unlink(path) }
      throw error
    }
    for case (_?, let path) in secrets { say("Written: \(path), mode 0600") }
    say("Written and checked: \(placement.path)")
    if files.write != nil, placement.unit != nil { letServiceWrite(folder(of: placement.path)) }
  }

  /// The page replaces the configuration as a whole, for which the folder must be the service's.
  private func letServiceWrite(_ folder: String) {
    guard let user = unsafe getpwnam(Service.user)?.pointee else { return }
    var status = stat()
    if stat(folder, &status) == 0, status.st_uid == user.pw_uid { return }
    if chown(folder, user.pw_uid, gid_t.max) == 0 {
      say("Given to the service, so that the dashboard can save: \(folder)")
    } else {
      say("The dashboard cannot save yet: sudo chown \(Service.user) \(folder)")
    }
  }

  private func write(
    _ text: String, to path: String, mode: mode_t, _ existing: NewFile.Existing
  ) throws(SetupFault) {
    do throws(SystemError) {
      try NewFile(path: path, mode: mode).write(text, existing)
    } catch {
      throw .unwritable(path: path, reason: reason(error))
    }
  }
}
