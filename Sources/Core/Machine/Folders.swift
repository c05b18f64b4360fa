import Glibc

/// The folder that a file is in.
package func folder(of path: String) -> String {
  path.lastIndex(of: "/").map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
}

/// A path up to its last slash; empty: the working directory.
package func folderPrefix(of path: String) -> String {
  path.lastIndex(of: "/").map { String(path[...$0]) } ?? ""
}

/// So that new names in a folder survive a power cut.
package func synchroniseFolder(_ folder: String) {
  let number = unsafe open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
  guard number >= 0 else { return }
  _ = fsync(number)
  close(number)
}

/// Locks a folder against others who use this lock, for as long as the value lives.
package final class FolderLock: Sendable {
  private let file: FileDescriptor

  /// - Throws: `EWOULDBLOCK`: another process has it.
  package init(_ folder: String) throws(SystemError) {
    file = FileDescriptor(
      try systemCall("open") { unsafe open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC) })
    try systemCall("flock") { flock(file.number, LOCK_EX | LOCK_NB) }
  }
}
