import CSQLite
import Core
import Glibc

/// An opened backup whose digests are all right. The file may come from somebody hostile.
package final class BackupReader {
  package let members: [BackupMember]
  package let properties: [String: String]
  private let path: String
  private let database: Database

  /// Only known properties with one line each.
  private static let longestProperty = 4096
  private static let longestName = 1024

  /// - Throws: `BackupFault`, `SystemError`.
  package init(path: String) throws {
    self.path = path
    var status = stat()
    try systemCall("open") { stat(path, &status) }
    guard status.st_mode & S_IFMT == S_IFREG else { throw BackupFault("\(path) is not a regular file") }
    guard status.st_size <= BackupFile.limit + BackupFile.limit / 8 else {
      throw BackupFault("\(path) is larger than any backup (1 GiB)")
    }
    let file = FileDescriptor(try systemCall("open") { open(path, O_RDONLY | O_CLOEXEC) })
    var head = [UInt8](repeating: 0, count: 16)
    var span = head.mutableSpan
    guard try file.read(into: &span) == 16, head.elementsEqual("SQLite format 3\0".utf8) else {
      throw BackupFault("\(path) is not a backup; name a file that `beaconkeeper backup` wrote")
    }
    do {
      database = try Database(unchanging: path)
      (members, properties) = try database.use { try Self.read($0, path, length: Int64(status.st_size)) }
    } catch let error as DatabaseError {
      throw Self.damage(path, words(error))
    }
    for member in members { try check(member) }
  }

  private static func damage(_ path: String, _ what: String) -> BackupFault {
    BackupFault("\(path) is damaged: \(what); nothing was done. Take another backup")
  }

  private static func read(_ database: SQLConnection, _ path: String, length: Int64) throws
    -> ([BackupMember], [String: String])
  {
    guard try database.value("PRAGMA application_id").int64 == BackupFile.applicationID else {
      throw BackupFault("\(path) is not a backup; name a file that `beaconkeeper backup` wrote")
    }
    let format = try database.value("PRAGMA user_version").int64 ?? 0
    guard format <= BackupFile.format else {
      throw BackupFault(
        "\(path) is of a newer Beaconkeeper (format \(format)), and this one cannot read it; install the newer version"
      )
    }
    // A view or a trigger in place of a table would be run.
    let schema = try database.rows(
      "SELECT type, name, sql FROM sqlite_schema WHERE name NOT LIKE 'sqlite_autoindex_%'")
    let isOurs =
      schema.count == BackupFile.tables.count
      && schema.allSatisfy { row in
        row.values[0].string == "table"
          && row.values[1].string.flatMap { BackupFile.tables[$0] } == row.values[2].string
      }
    guard isOurs else { throw damage(path, "it has other tables than a backup") }
    let verdict = try database.value("PRAGMA integrity_check(1)").string
    guard verdict == "ok" else { throw damage(path, verdict ?? "it cannot be checked") }

    let pages = try database.value("PRAGMA page_count").int64 ?? 0
    guard pages * (try database.value("PRAGMA page_size").int64 ?? 0) == length else {
      throw damage(path, "its end is missing, or something follows it")
    }

    let count = try database.value("SELECT count(*) FROM sqlar").int64 ?? 0
    guard count <= BackupFile.mostMembers,
      try database.value("SELECT count(*) FROM property").int64 ?? 0 < 100
    else {
      throw damage(path, "it has too many members")
    }
    let rows = try database.rows(
      """
      SELECT a.name, a.mode, a.mtime, a.sz, d.owner, d.grp, typeof(a.data) = 'blob' AND length(a.data) = a.sz,
      d.sha256 FROM sqlar a LEFT JOIN digest d ON d.name = a.name ORDER BY a.name
      """)
    var members: [(member: BackupMember, digest: String)] = []
    var sum = 0
    for row in rows.map(\.values) {
      guard let name = row[0].string, isName(name) else {
        throw damage(path, "a member has an impossible name")
      }
      guard let mode = row[1].int64, mode & ~0o777 == Int64(S_IFREG), let modified = row[2].int64,
        let size = row[3].int64, row[6].int64 == 1, let owner = row[4].string, let group = row[5].string,
        let digest = row[7].string
      else {
        throw damage(path, "\(name) was added or changed by another program")
      }
      sum += Int(size)
      guard sum <= BackupFile.limit else { throw damage(path, "its members are larger than any backup's") }
      members.append(
        (
          BackupMember(
            name: name, mode: UInt32(mode & 0o777), modified: modified, owner: owner, group: group,
            size: Int(size)), digest
        ))
    }
    var properties: [String: String] = [:]
    for row in try database.rows("SELECT name, value FROM property") {
      guard let name = row.values[0].string, let value = row.values[1].string,
        value.utf8.count < longestProperty, value.printable == value
      else {
        throw damage(path, "what it says of itself cannot be read")
      }
      properties[name] = value
    }
    let whole = properties.removeValue(forKey: "digest")
    guard whole == BackupFile.summary(members, properties) else {
      throw damage(path, "its list of members is not what was written")
    }
    return (members.map(\.member), properties)
  }

  /// A path below a folder.
  private static func isName(_ name: String) -> Bool {
    let parts = name.split(separator: "/", omittingEmptySubsequences: false)
    return parts.count > 1 && name.utf8.count <= longestName && name.printable == name
      && parts.allSatisfy { !$0.isEmpty && $0 != "." && $0 != ".." }
  }

  private func check(_ member: BackupMember) throws { try forEachPiece(of: member) { _ in } }

  /// Writes a member to a new file, which is on disk when this returns.
  ///
  /// - Parameter owner: nil: the user of this process. It is set on the open file and not by name, because another user may
  ///   replace the name in the folder.
  package func unpack(_ member: BackupMember, to path: String, owner: (user: uid_t, group: gid_t)? = nil)
    throws
  {
    let file = try FileDescriptor(creating: path)
    try forEachPiece(of: member) { try file.write(Array($0).span) }
    if let owner { try systemCall("fchown") { fchown(file.number, owner.user, owner.group) } }
    try systemCall("fchmod") { fchmod(file.number, mode_t(member.mode)) }
    try systemCall("fsync") { fsync(file.number) }
  }

  /// Its bytes.
  package func contents(of member: BackupMember) throws -> [UInt8] {
    var bytes: [UInt8] = []
    try forEachPiece(of: member) { bytes += $0 }
    return bytes
  }

  private func forEachPiece(of member: BackupMember, _ body: (ArraySlice<UInt8>) throws -> Void) throws {
    do {
      try database.use { database in
        let place = try database.rows(
          "SELECT a.rowid, d.sha256 FROM sqlar a JOIN digest d ON d.name = a.name WHERE a.name = ?",
          .text(member.name)
        ).first?.values
        var digest = SHA256()
        if member.size > 0, let row = place?[0].int64 {
          let blob = try database.blob("sqlar", "data", row: row, writes: false)
          for start in stride(from: 0, to: member.size, by: BackupFile.piece) {
            let piece = try blob.read(min(BackupFile.piece, member.size - start), at: start)
            digest.add(piece[...])
            try body(piece[...])
          }
        }
        guard digest.hexadecimal == place?[1].string else {
          throw Self.damage(path, "\(member.name) is not what was written")
        }
      }
    } catch let error as DatabaseError {
      throw Self.damage(path, words(error))
    }
  }
}
