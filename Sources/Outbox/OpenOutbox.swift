import CSQLite
import Core
import FoundationEssentials
import Glibc

/// The outbox on disk, as found at the start.
package struct OpenOutbox {
  /// nil: transitions wait only in memory.
  package var store: OutboxStore?
  /// Set if there is a `store`.
  package var mark: EpochMark?
  package var remains: OutboxStore.Remains?
  /// Why nothing can be written; with a `store`, it may pass.
  package var fault: String?
  /// The outbox is on a file system in memory, as with a read-only root: it is lost when the machine restarts.
  package var isVolatile = false
  /// Outboxes of gateways with other names.
  package var former: [FormerOutbox] = []
  /// Messages for the user.
  package var notices: [String] = []

  /// In memory only.
  package init() {}

  /// Opens the outbox of a gateway, or creates it. A damaged file is set aside. Without a usable file the gateway runs
  /// without one.
  ///
  /// - Parameters:
  ///   - configuration: the path of the configuration file; nil: there is none.
  ///   - instance: the `instance` of the run that begins.
  ///   - chance: a number unique to this run; see `Epoch`.
  ///
  /// Throws `OutboxInUse`, `NewerOutbox`, `UnfinishedRestore`.
  package init(
    gateway: String, directory: StateDirectory, configuration: String? = nil, instance: String = "",
    wallTime: WallTime, chance: UInt64 = .random(in: 0 ... .max)
  ) throws {
    let path = directory.file(gateway: gateway)
    try UnfinishedRestore.refuse(in: directory, gateway: gateway)
    do {
      if let notice = try directory.make() { notices.append(notice) }
      let wasThere = FileManager.default.fileExists(atPath: EpochMark.path(of: path))
      if wasThere, Self.isMissingOrEmpty(path) {
        notices.append(
          "the outbox \(path) of an earlier run is gone or was emptied, with everything that was waiting in it; starting a new one"
        )
      }
      let mark = try EpochMark(path: EpochMark.path(of: path))
      do {
        try open(path, mark, wallTime, chance)
      } catch var newer as NewerOutbox {
        newer.path = path
        throw newer
      } catch  where Self.isDamage(error) {
        let aside = try setAside(path, wallTime)
        notices.append(
          "the outbox \(path) is damaged; it is set aside as \(aside), with everything that was waiting in it; starting a new one"
        )
        try open(path, mark, wallTime, chance)
      }
      try UnfinishedRestore.refuse(in: directory, gateway: gateway)
      try store?.note(configuration: configuration, instance: instance)
      former = FormerOutbox.all(in: directory, besides: gateway)
    } catch let error as DatabaseError where error.code == SQLITE_BUSY {
      throw OutboxInUse(path: path, gateway: gateway)
    } catch  where error is NewerOutbox || error is UnfinishedRestore {
      throw error
    } catch {
      giveUp(path, error)
    }
  }

  private mutating func open(_ path: String, _ mark: EpochMark, _ wallTime: WallTime, _ chance: UInt64) throws
  {
    let store = try OutboxStore(path: path)
    let remains = try store.begin(bootID: Self.bootID) { last in
      Epoch.next(after: [last, mark.epoch].compactMap(\.self).max(), wallTime: wallTime, chance: chance)
    }
    if remains.damagedBeacons > 0 {
      notices.append(
        "\(remains.damagedBeacons) rows of \(path), each with where a beacon is, cannot be read; they are removed, and those beacons are found again once they are heard"
      )
    }
    mark.set(remains.epoch)
    if let fault = remains.fault {
      self.fault = fault
      notices.append(
        "cannot write to the outbox \(path): \(fault). It is tried again; until then transitions wait in memory, where a crash or a stop loses them"
      )
    }
    self.remains = remains
    self.mark = mark
    self.store = store
    isVolatile = MountTable.current.isInMemory(Self.realPath(path))
  }

  /// Tables with invalid contents count as damage, too.
  private static func isDamage(_ error: any Error) -> Bool {
    if error is CocoaError || error is POSIXError || error is PrivateFileError { return false }
    guard let error = error as? DatabaseError else { return true }
    return [SQLITE_CORRUPT, SQLITE_NOTADB, SQLITE_ERROR, SQLITE_CONSTRAINT, SQLITE_MISMATCH]
      .contains(error.code)
  }

  private mutating func giveUp(_ path: String, _ error: any Error) {
    var (place, reason) = (path, words(error))
    if let error = error as? PrivateFileError { (place, reason) = (error.path, error.reason) }
    let folder = URL(fileURLWithPath: path).deletingLastPathComponent().path
    func isOthers(_ path: String) -> Bool {
      var status = stat()
      return stat(path, &status) == 0 && status.st_uid != geteuid()
    }
    let remedy =
      if isOthers(folder) {
        "sudo chown \(geteuid()) \(folder)"
      } else if isOthers(path) || isOthers(place) {
        // As after a run of root's.
        "sudo chown \(geteuid()) \(path.dropLast(".sqlite".count)).*"
      } else if (error as? DatabaseError)?.code == SQLITE_FULL {
        "free space, and restart the gateway once nothing waits"
      } else {
        "name a writable folder with gateway: { state_directory: … }"
      }
    fault = reason
    notices.append(
      "no outbox at \(place): \(reason). Transitions wait in memory, where a crash or a stop loses them: \(remedy)"
    )
  }

  /// Without links; what does not exist yet stays as it is.
  package static func realPath(_ path: String) -> String {
    URL(fileURLWithPath: path).resolvingSymlinksInPath().path
  }

  private static func isMissingOrEmpty(_ path: String) -> Bool {
    // FileManager's attributes include the owner's name, for which it reads the list of users.
    var status = stat()
    return stat(path, &status) != 0 || status.st_size == 0
  }

  private static let asideLimit = 3

  private func setAside(_ path: String, _ wallTime: WallTime) throws -> String {
    let url = URL(fileURLWithPath: path)
    let folder = url.deletingLastPathComponent()
    let prefix = url.lastPathComponent + ".damaged-"
    let older = try FileManager.default.contentsOfDirectory(atPath: folder.path)
      .filter { $0.hasPrefix(prefix) && !$0.hasSuffix("-wal") && !$0.hasSuffix("-shm") }.sorted()
    for name in older.dropLast(Self.asideLimit - 1) {
      for suffix in Database.endings {
        try? FileManager.default.removeItem(atPath: folder.appendingPathComponent(name + suffix).path)
      }
    }
    let aside = "\(path).damaged-\(wallTime.nanoseconds / 1_000_000)"
    try FileManager.default.moveItem(atPath: path, toPath: aside)
    for suffix in ["-wal", "-shm"] where FileManager.default.fileExists(atPath: path + suffix) {
      try FileManager.default.moveItem(atPath: path + suffix, toPath: aside + suffix)
    }
    return aside
  }

  /// Identifies one boot of the machine, and so its monotonic clock.
  package static var bootID: String {
    bootID(
      kernel: try? String(contentsOfFile: "/proc/sys/kernel/random/boot_id", encoding: .utf8),
      service: ProcessInfo.processInfo.environment["BOOT_ID"])
  }

  /// - Parameters:
  ///   - kernel: the kernel's boot id; nil: the service cannot see it (`ProcSubset=pid`).
  ///   - service: the unit's (`%b`), in another spelling.
  static func bootID(kernel: String?, service: String?) -> String {
    (kernel ?? service ?? "").filter(\.isHexDigit).lowercased()
  }
}

/// Two gateways with the same name would mix their transitions.
package struct OutboxInUse: Error, CustomStringConvertible {
  package let path: String
  let gateway: String

  package var description: String {
    "another program uses \(path): a gateway that is called \(gateway), too (give one of them another name or state_directory), or one that reads the file, such as sqlite3 or a backup (end it)"
  }
}

/// The kind of file system at a path (proc_pid_mountinfo(5), the format of `/proc/self/mounts`).
package struct MountTable {
  private let mounts: [(place: String, kind: String, options: Substring)]
  /// Whether a directory exists.
  private let exists: (String) -> Bool
  private let isContainer: Bool

  init(_ text: String, isContainer: Bool = false, exists: @escaping (String) -> Bool = { _ in true }) {
    mounts = text.split(separator: "\n").compactMap { line in
      let fields = line.split(separator: " ")
      guard fields.count >= 3 else { return nil }
      return (
        String(fields[1].replacing("\\040", with: " ")), String(fields[2]),
        fields.count > 3 ? fields[3] : ""
      )
    }
    self.isContainer = isContainer
    self.exists = exists
  }

  package static var current: MountTable {
    MountTable(
      (try? String(contentsOfFile: "/proc/self/mounts", encoding: .utf8)) ?? "",
      isContainer: ["/.dockerenv", "/run/.containerenv"].contains(where: FileManager.default.fileExists),
      exists: FileManager.default.fileExists)
  }

  /// Whether files there are lost when the machine restarts.
  package func isInMemory(_ path: String) -> Bool { isInMemory(path, depth: 0) }

  private func isInMemory(_ path: String, depth: Int) -> Bool {
    // Of two mounts at the same place, the later one covers the other.
    let holder = mounts.enumerated()
      .filter { ("\(path)/").hasPrefix($0.element.place == "/" ? "/" : $0.element.place + "/") }
      .max { ($0.element.place.count, $0.offset) < ($1.element.place.count, $1.offset) }
    guard let mount = holder?.element else { return false }
    if ["tmpfs", "ramfs"].contains(mount.kind) { return true }
    // Files written to an overlay go to its upper layer (overlayfs in the kernel's documentation), as with a read-only root.
    let option = mount.options.split(separator: ",").first { $0.hasPrefix("upperdir=") }
    guard mount.kind == "overlay", depth < 4, let option else { return false }
    let upper = String(option.dropFirst("upperdir=".count))
    // In containers the path may be relative to another root, and cannot be found.
    guard upper.hasPrefix("/") else { return false }
    // Outside of containers, a layer that cannot be seen was mounted before the root was, in memory (raspi-config).
    return exists(upper) ? isInMemory(upper, depth: depth + 1) : !isContainer
  }
}

/// The outbox was written by a newer Beaconkeeper, and this one cannot read it. It is not changed.
package struct NewerOutbox: Error, CustomStringConvertible {
  var path = ""
  let version: Int64

  package var description: String {
    "the outbox \(path) is of a newer Beaconkeeper (layout \(version)), and this one cannot read it; install the newer "
      + "version again, or restore a backup from before the upgrade, or move the file away to start without what is waiting in it"
  }
}

/// The text of an SQLite or file error.
package func words(_ error: any Error) -> String {
  if let error = error as? PrivateFileError { return error.reason }
  if let error = error as? CocoaError { return error.reason(else: "the folder cannot be created") }
  if error is OutboxFull { return "too many transitions wait for the broker, the file is full" }
  if error is OutboxRemoved { return "the file was removed or replaced; a restart begins a new one" }
  guard let error = error as? DatabaseError else { return "the file is damaged" }
  switch error.code {
  case SQLITE_FULL: return "the disk is full"
  case SQLITE_READONLY: return "the file is read-only"
  case SQLITE_CANTOPEN: return "the file cannot be opened or created"
  case SQLITE_BUSY: return "another process uses the file"
  case SQLITE_CORRUPT, SQLITE_NOTADB: return "the file is damaged"
  case SQLITE_IOERR: return "the medium reports an error"
  default: return error.message ?? "SQLite error \(error.code)"
  }
}
