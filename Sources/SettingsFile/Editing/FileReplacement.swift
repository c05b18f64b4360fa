import Glibc
import Machine

/// Replaces a user's file: completely or not at all, keeping its permissions, and its owner where that is allowed.
struct FileReplacement {
  /// The file itself: where a link leads.
  private let path: String

  init(_ path: String) throws(SystemError) {
    guard let real = unsafe realpath(path, nil) else { throw SystemError(call: "realpath", code: errno) }
    defer { unsafe free(real) }
    self.path = unsafe String(cString: real)
  }

  static func folder(of path: String) -> String {
    path.lastIndex(of: "/").map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
  }

  /// - Parameter isStillMeant: is asked directly before the old file gives way; if not, `ESTALE` is thrown.
  func write(_ bytes: [UInt8], ifStill isStillMeant: () -> Bool) throws(SystemError) {
    var old = stat()
    _ = try systemCall("stat") { unsafe stat(path, &old) }
    guard old.st_mode & S_IFMT == S_IFREG else { throw SystemError(call: "stat", code: EINVAL) }
    // In the same folder, so that it can take the place of the file at one blow.
    let temporary = "\(path).\(getpid()).new"
    let number = try create(temporary)
    do throws(SystemError) {
      try fill(FileDescriptor(number), bytes, like: old)
      guard isStillMeant() else { throw SystemError(call: "rename", code: ESTALE) }
      _ = try systemCall("rename") { unsafe rename(temporary, path) }
    } catch {
      unsafe unlink(temporary)
      throw error
    }
    synchroniseFolder()
  }

  private func create(_ temporary: String) throws(SystemError) -> Int32 {
    // What a crash left.
    unsafe unlink(temporary)
    return try systemCall("open") {
      unsafe open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
    }
  }

  private func fill(_ file: consuming FileDescriptor, _ bytes: [UInt8], like old: stat) throws(SystemError) {
    let number = file.number
    var mode = old.st_mode & 0o777
    // Only root can give files away. Another group must not read what its own was allowed to.
    if fchown(number, old.st_uid, old.st_gid) != 0, fchown(number, uid_t.max, old.st_gid) != 0 {
      mode = mode & 0o707 | mode & 0o070 & (mode & 0o007) << 3
    }
    try file.write(bytes.span)
    _ = try systemCall("fchmod") { fchmod(number, mode) }
    _ = try systemCall("fsync") { fsync(number) }
  }

  /// So that the new name survives a power cut.
  private func synchroniseFolder() {
    let number = unsafe open(Self.folder(of: path), O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard number >= 0 else { return }
    _ = fsync(number)
    close(number)
  }
}
