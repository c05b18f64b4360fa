import Core
import Glibc

/// A file for a recording, written block by block; `-` is standard output.
public struct RecordingFile: ~Copyable {
  private let descriptor: FileDescriptor

  /// Creates or truncates the file. Only its owner may read it, because it records who was where.
  public init(path: String) throws(SystemError) {
    descriptor = FileDescriptor(
      try systemCall("cannot write \(path)") {
        path == "-"
          ? fcntl(1, F_DUPFD_CLOEXEC, 3)
          : unsafe open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
      })
  }

  /// Writes the bytes and empties the array.
  public func write(_ bytes: inout [UInt8]) throws(SystemError) {
    try descriptor.write(bytes.span)
    bytes.removeAll(keepingCapacity: true)
  }
}
