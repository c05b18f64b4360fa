import Core
import Glibc

/// A file that is written completely or not at all.
package struct NewFile {
  private let path: String
  /// The mode of a new file.
  private var mode: mode_t

  package init(path: String, mode: mode_t) {
    self.path = path
    self.mode = mode
  }

  package enum Existing {
    /// Replaced. The old file is kept as `….old`, still older ones as `….old.2` to `….old.9`. The new file
    /// gets the owner and permissions of the old one.
    case isKeptAsOld
    /// Replaced; the old content is lost.
    case isDropped
  }

  package func write(_ text: String, _ existing: Existing) throws(SystemError) {
    let temporary = "\(path).\(getpid()).new"
    // The file of a crashed process: in a container, the next one often has the same process id.
    unlink(temporary)
    let file = try FileDescriptor(creating: temporary)
    do throws(SystemError) {
      try fill(file, text, keepsModes: existing == .isKeptAsOld)
      if existing == .isKeptAsOld, access(path, F_OK) == 0 {
        let kept = [path + ".old"] + (2...9).map { "\(path).old.\($0)" }
        for (earlier, later) in zip(kept, kept.dropFirst()).reversed() { rename(earlier, later) }
        try systemCall("link") { link(path, kept[0]) }
      }
      try systemCall("rename") { rename(temporary, path) }
    } catch {
      unlink(temporary)
      throw error
    }
    synchroniseFolder(folder(of: path))
  }

  private func fill(
    _ file: consuming FileDescriptor, _ text: String, keepsModes: Bool
  ) throws(SystemError) {
    let number = file.number
    var mode = mode
    var old = stat()
    if keepsModes, stat(path, &old) == 0 {
      mode = old.st_mode & 0o777
      // Only root can change the owner. If that fails, the file stays ours.
      if fchown(number, old.st_uid, old.st_gid) != 0 { mode &= 0o700 }
    }
    try systemCall("fchmod") { fchmod(number, mode) }
    try file.write(Array(text.utf8).span)
    try systemCall("fsync") { fsync(number) }
  }
}
