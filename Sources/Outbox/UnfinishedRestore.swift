import Core
import FoundationEssentials
import Glibc

/// A restore is renaming files, or was interrupted: some files are old, and some are the backup's. A mark beside the outbox says
/// so. A process that opens an outbox looks for the mark twice: before it opens, so that nothing changes, and once it holds the
/// lock. A restore makes its mark first, and then checks whether the outbox is locked. So if both begin at once, at least one
/// sees the other.
package struct UnfinishedRestore: Error, CustomStringConvertible {
  private let mark: String

  /// - Throws: itself, if there is a mark.
  package static func refuse(in directory: StateDirectory, gateway: String) throws(UnfinishedRestore) {
    let mark = directory.restoreMark(gateway: gateway)
    guard access(mark, F_OK) != 0 else { throw UnfinishedRestore(mark: mark) }
  }

  /// The unfinished restore of any gateway, for callers that cannot read the configuration, perhaps because
  /// of it. nil: there is none, or it cannot be seen.
  package static func any(in directory: StateDirectory) -> UnfinishedRestore? {
    let names = try? FileManager.default.contentsOfDirectory(atPath: directory.path)
    return names?.sorted().first { $0.hasSuffix(StateDirectory.restoring) }.map {
      UnfinishedRestore(mark: "\(directory.path)/\($0)")
    }
  }

  package var what: String {
    "a restore has not finished (\(mark)), so that configuration and state may not belong together"
  }

  package static let remedy =
    "unless it still runs, restore that backup again; or give the files that end with .before-restore- and the time their names "
    + "back, of each the oldest, and delete the mark"

  package var description: String { "\(what); \(Self.remedy)" }
}
