import Glibc

/// Files that record who was where. No other user may read them, and they must not be links to other files.
enum PrivateFile {
  /// Makes sure that a path is a regular file that only its owner may read. Creates it if it is missing.
  ///
  /// It does not open an existing file, because closing it again would release SQLite's locks on it.
  static func prepare(_ path: String, isMade: Bool = true) throws(PrivateFileError) {
    var status = stat()
    if lstat(path, &status) != 0 {
      guard errno == ENOENT else { throw PrivateFileError(path: path, reason: systemWords(errno)) }
      guard isMade else { return }
      let descriptor = Glibc.open(path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
      guard descriptor >= 0 else { throw PrivateFileError(path: path, reason: systemWords(errno)) }
      close(descriptor)
      return
    }
    switch status.st_mode & S_IFMT {
    case S_IFREG: break
    case S_IFLNK:
      throw PrivateFileError(path: path, reason: "it is a symbolic link, which is not followed; remove it")
    case S_IFDIR: throw PrivateFileError(path: path, reason: "it is a folder")
    default: throw PrivateFileError(path: path, reason: "it is not a regular file")
    }
    guard status.st_nlink == 1 else {
      throw PrivateFileError(path: path, reason: "it has another name elsewhere (a hard link); remove it")
    }
    guard status.st_mode & 0o077 != 0 else { return }
    guard chmod(path, 0o600) == 0 else {
      throw PrivateFileError(path: path, reason: "others may read it, and it belongs to another user")
    }
  }

  /// The same for an SQLite file and the files beside it.
  static func prepare(store path: String) throws(PrivateFileError) {
    try prepare(path)
    for ending in Database.endings.dropFirst() { try prepare(path + ending, isMade: false) }
  }

  /// Opens such a file, or creates it.
  static func open(_ path: String) throws(PrivateFileError) -> Int32 {
    try prepare(path)
    let descriptor = Glibc.open(path, O_RDWR | O_NOFOLLOW | O_CLOEXEC)
    guard descriptor >= 0 else { throw PrivateFileError(path: path, reason: systemWords(errno)) }
    return descriptor
  }
}

/// Why a file cannot be used.
struct PrivateFileError: Error {
  var path: String
  var reason: String
}

func systemWords(_ code: Int32) -> String {
  switch code {
  case EACCES, EPERM: "permission denied"
  case ENOSPC, EDQUOT: "the disk is full"
  case EROFS: "the medium is read-only"
  default: String(cString: strerror(code))
  }
}
