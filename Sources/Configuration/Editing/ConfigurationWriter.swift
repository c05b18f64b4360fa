import Core
import Glibc
import Synchronization

/// The configuration's file, for changes from the page. It is replaced as a whole, never over another edit, and changes can be
/// undone.
package final class ConfigurationWriter: Sendable {
  /// Why the file is not written, in plain words.
  package struct Refusal: Error, Hashable, Sendable, CustomStringConvertible {
    package var reason: String
    package var remedy: String?
    /// Whether the file has changed since the client saw it.
    package var isConflict = false

    package var description: String { remedy.map { "\(reason): \($0)" } ?? reason }
  }

  /// How many changes can be undone.
  package static let undoLimit = 20

  private struct Step {
    var before: [UInt8]
    /// The revision after the change. If the file has another one, it was edited since, and undo must not lose that.
    var revision: String
  }

  package let path: String
  private let steps = Mutex<[Step]>([])

  package init(path: String) { self.path = path }

  /// Whether the last change can be undone, because the file was not edited since.
  package var canUndo: Bool {
    guard let last = steps.withLock({ $0.last }), let now = try? read() else { return false }
    return last.revision == now.revision
  }

  /// Why the file cannot be replaced, as far as its folder shows; nil: it probably can.
  package var obstacle: Refusal? { Refusal(toReplace: path) }

  /// The present file.
  package func read() throws(Refusal) -> (bytes: [UInt8], revision: String) {
    do throws(ConfigurationFile.Unreadable) {
      let bytes = try ConfigurationFile(path: path).bytes
      return (bytes, ConfigurationText.revision(of: bytes))
    } catch {
      throw Refusal(reason: "the configuration cannot be read: \(error.reason)")
    }
  }

  /// Replaces the text with this revision. Returns the new revision.
  package func replace(revision: String, with bytes: [UInt8]) throws(Refusal) -> String {
    try steps.withLock { steps throws(Refusal) in
      let before = try write(bytes, over: revision)
      let new = ConfigurationText.revision(of: bytes)
      if new != revision {
        steps.append(Step(before: before, revision: new))
        if steps.count > Self.undoLimit { steps.removeFirst() }
      }
      return new
    }
  }

  /// Undoes the last change, unless the file was edited since. Returns the new revision.
  package func undo() throws(Refusal) -> String {
    try steps.withLock { steps throws(Refusal) in
      guard let step = steps.last else {
        throw Refusal(reason: "there is nothing to take back", isConflict: true)
      }
      _ = try write(step.before, over: step.revision)
      steps.removeLast()
      return ConfigurationText.revision(of: step.before)
    }
  }

  private func write(_ bytes: [UInt8], over revision: String) throws(Refusal) -> [UInt8] {
    let before = try read()
    guard before.revision == revision else {
      throw Refusal(
        reason: "the file was changed meanwhile", remedy: "reload the page and try again", isConflict: true)
    }
    do throws(SystemError) {
      // The file may be saved by an editor while we write.
      try FileReplacement(path).write(bytes) { (try? read().revision) == revision }
    } catch  where error.code == ESTALE {
      throw Refusal(
        reason: "the file was changed meanwhile", remedy: "reload the page and try again", isConflict: true)
    } catch {
      throw Refusal(cannotWrite: path, error)
    }
    return before.bytes
  }
}

extension ConfigurationWriter.Refusal {
  /// Why a file cannot be replaced or created, as far as its folder shows; nil: it probably can.
  init?(toReplace path: String) {
    let file = unsafe realpath(path, nil)
    guard let real = unsafe file ?? realpath(Core.folder(of: path), nil) else { return nil }
    defer { unsafe free(real) }
    let found = unsafe String(cString: real)
    guard unsafe access(file == nil ? found : Core.folder(of: found), W_OK) != 0 else { return nil }
    self.init(cannotWrite: path, SystemError(call: "access", code: errno))
  }

  /// A file that cannot be written, and how to mend it.
  package init(cannotWrite path: String, _ error: SystemError) {
    reason = "\(path) cannot be written: \(unsafe String(cString: strerror(error.code)))"
    // The command may be pasted in another folder.
    let real = unsafe realpath(Core.folder(of: path), nil)
    defer { unsafe free(real) }
    let folder = unsafe real.map { unsafe String(cString: $0) } ?? Core.folder(of: path)
    switch error.code {
    case EACCES, EPERM:
      let user =
        unsafe getpwuid(geteuid()).map { unsafe String(cString: $0.pointee.pw_name) } ?? "\(geteuid())"
      remedy = "let the gateway write to its folder with: sudo chown \(user) \(shellWord(folder))"
    case EROFS: remedy = "in a unit of systemd, add ReadWritePaths=\(folder)"
    case EBUSY, EXDEV: remedy = "it is mounted by itself; mount its folder instead"
    case ENOSPC, EDQUOT: remedy = "the disk is full"
    default: remedy = nil
    }
  }
}

/// Replaces a user's file, completely or not at all. Its permissions stay, and its owner if that is permitted.
struct FileReplacement {
  /// The file itself, after following links.
  private let path: String

  init(_ path: String) throws(SystemError) {
    guard let real = unsafe realpath(path, nil) else { throw SystemError(call: "realpath", code: errno) }
    defer { unsafe free(real) }
    self.path = unsafe String(cString: real)
  }

  /// - Parameter isStillMeant: called directly before the old file is replaced; if it returns false, `ESTALE` is thrown.
  func write(_ bytes: [UInt8], ifStill isStillMeant: () -> Bool) throws(SystemError) {
    var old = stat()
    _ = try systemCall("stat") { unsafe stat(path, &old) }
    guard old.st_mode & S_IFMT == S_IFREG else { throw SystemError(call: "stat", code: EINVAL) }
    // In the same folder, so that it can replace the file in one step.
    let temporary = "\(path).\(getpid()).new"
    // The file of a crashed process.
    unsafe unlink(temporary)
    let file = try FileDescriptor(creating: temporary)
    do throws(SystemError) {
      try fill(file, bytes, like: old)
      guard isStillMeant() else { throw SystemError(call: "rename", code: ESTALE) }
      _ = try systemCall("rename") { unsafe rename(temporary, path) }
    } catch {
      unsafe unlink(temporary)
      throw error
    }
    synchroniseFolder(folder(of: path))
  }

  private func fill(_ file: consuming FileDescriptor, _ bytes: [UInt8], like old: stat) throws(SystemError) {
    let number = file.number
    var mode = old.st_mode & 0o777
    // Only root can change the owner. Another group must not get the permissions of the old one.
    if fchown(number, old.st_uid, old.st_gid) != 0, fchown(number, uid_t.max, old.st_gid) != 0 {
      mode = mode & 0o707 | mode & 0o070 & (mode & 0o007) << 3
    }
    try file.write(bytes.span)
    _ = try systemCall("fchmod") { fchmod(number, mode) }
    _ = try systemCall("fsync") { fsync(number) }
  }
}
