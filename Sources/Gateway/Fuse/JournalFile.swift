import Core
import Fleet
import Glibc

/// The messages that a worker read from a partition's queue, for `replay --journal`. Each takeover of a partition begins a
/// file, so several workers may share a folder.
package final class JournalFile {
  private let descriptor: FileDescriptor
  private var buffer: [UInt8] = []

  /// Only its owner may read it, because it records who was where.
  ///
  /// - Parameter seen: how many messages of the epoch were read before.
  package init(
    _ folder: String, partition: Int, of partitions: Int, epoch: UInt64, seen: UInt64 = 0, lease: UInt64
  ) throws(SystemError) {
    let path = "\(folder)/partition-\(partition)-epoch-\(epoch)-lease-\(lease).jsonl"
    descriptor = FileDescriptor(
      try systemCall("cannot write \(path)") {
        unsafe open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
      })
    add(.takeover(partition: partition, of: partitions, epoch: epoch, seen: seen))
  }

  /// Throws if the folder cannot be written. Such a worker should not start, because its decisions could never be replayed.
  /// Only writing proves it: the disk may be full, or mounted read-only.
  package static func check(_ folder: String) throws(SystemError) {
    let path = "\(folder)/.\(getpid()).new"
    let file = FileDescriptor(
      try systemCall("cannot write journals to \(folder)") {
        unsafe open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0o600)
      })
    defer { unlink(path) }
    do throws(SystemError) { try file.write([UInt8](repeating: 0, count: 4096).span) } catch {
      throw SystemError(call: "cannot write journals to \(folder)", code: error.code)
    }
  }

  /// How many octets wait to be written.
  package var waiting: Int { buffer.count }

  package func add(_ line: JournalLine) { buffer += line.bytes }

  /// Call it before anything that was decided is published, so that after a crash the journal has everything that subscribers
  /// have seen.
  package func write() throws(SystemError) {
    guard !buffer.isEmpty else { return }
    let lines = buffer
    try descriptor.write(lines.span)
    buffer.removeAll(keepingCapacity: true)
  }
}
