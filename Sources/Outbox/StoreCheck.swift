import CSQLite
import Glibc

/// Questions about the SQLite files of a gateway that does not run.
package enum StoreCheck {
  /// Moves the log of a gateway that ended without doing so into the file.
  ///
  /// - Throws: `OutboxInUse`: the gateway runs.
  package static func settle(_ path: String, gateway: String) throws {
    guard access(path, F_OK) == 0 else { return }
    do {
      let database = try Database(path: path, setUp: "PRAGMA locking_mode = EXCLUSIVE;")
      try database.use { database in
        try database.execute(script: "BEGIN EXCLUSIVE; COMMIT;")
        try database.checkpoint()
      }
      try database.close()
    } catch let error as DatabaseError where error.code == SQLITE_BUSY {
      throw OutboxInUse(path: path, gateway: gateway)
    } catch is DatabaseError {
      // The file is damaged, and will be set aside as it is.
    }
  }

  /// The outbox of a gateway, if a newer version wrote it, and this one would refuse to start.
  package static func newerOutbox(in directory: StateDirectory, gateway: String) -> NewerOutbox? {
    let path = directory.file(gateway: gateway)
    guard access(path, R_OK) == 0,
      let found = try? Database(unchanging: path).use({ try $0.value("PRAGMA user_version").int64 }),
      OutboxFile.isNewer(found)
    else { return nil }
    return NewerOutbox(path: path, version: found)
  }

  /// Refuses a file from a backup that this program cannot read.
  ///
  /// - Parameter name: such as `yard.sqlite`.
  package static func requireReadable(_ path: String, as name: String, madeBy version: String) throws {
    let newest =
      name.hasSuffix(".diary")
      ? DiaryStore.version : name.hasSuffix(".observations") ? ObservationStore.version : OutboxFile.version
    let found: Int64?
    do {
      found = try Database(unchanging: path).use { try $0.value("PRAGMA user_version").int64 }
    } catch let error as DatabaseError {
      throw BackupFault(
        "\(name) in the backup cannot be read: \(words(error)); nothing was done. Take another backup")
    }
    guard found ?? 0 <= newest else {
      throw BackupFault(
        "\(name) in the backup is of a newer Beaconkeeper (layout \(found ?? 0)), and this one cannot read it; nothing was done. Install the version that wrote it (version \(version) made the backup)"
      )
    }
  }
}
