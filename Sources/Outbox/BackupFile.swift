import CCrypto
import CSQLite
import Core
import FoundationEssentials
import Glibc

/// A file in a backup.
package struct BackupMember: Hashable, Sendable {
  /// Its path in the archive, such as `configuration/beaconkeeper.yaml`.
  package var name: String
  /// Permission bits, such as 0o600.
  package var mode: UInt32
  /// Seconds since 1970.
  package var modified: Int64
  /// The names of its user and group.
  package var owner: String
  package var group: String
  package var size: Int
}

/// Why a file cannot be used as a backup, and what to do.
package struct BackupFault: Error, CustomStringConvertible {
  package let description: String

  package init(_ description: String) { self.description = description }
}

/// One SQLite file in the form of an archive (`sqlar`), which `sqlite3 -A` lists and unpacks, too. It also has the members'
/// digests, the backup's properties, and one digest of all this.
enum BackupFile {
  /// "BKbu".
  static let applicationID: Int64 = 0x424B_6275
  static let format: Int64 = 1
  /// The largest sum of all members in bytes: the largest outbox, and as much again for the diary.
  static let limit = 1 << 30
  static let mostMembers = 256
  static let piece = 1 << 18

  static let tables = [
    "sqlar": "CREATE TABLE sqlar(name TEXT PRIMARY KEY, mode INT, mtime INT, sz INT, data BLOB)",
    "digest": "CREATE TABLE digest(name TEXT PRIMARY KEY, owner TEXT, grp TEXT, sha256 TEXT)",
    "property": "CREATE TABLE property(name TEXT PRIMARY KEY, value TEXT)",
  ]

  /// The text from which the digest of the whole is computed.
  static func summary(_ members: [(member: BackupMember, digest: String)], _ properties: [String: String])
    -> String
  {
    var digest = SHA256()
    for (member, sum) in members.sorted(by: { $0.member.name < $1.member.name }) {
      let words = "\(member.mode) \(member.modified) \(member.size) \(member.owner) \(member.group)"
      digest.add(Array("\(sum) \(words) \(member.name)\n".utf8)[...])
    }
    for (name, value) in properties.sorted(by: { $0.key < $1.key }) {
      digest.add(Array("\(name)=\(value)\n".utf8)[...])
    }
    return digest.hexadecimal
  }
}

/// A digest of what is given piece by piece.
struct SHA256: ~Copyable {
  private let context = EVP_MD_CTX_new()

  init() { EVP_DigestInit_ex(context, EVP_sha256(), nil) }

  deinit { EVP_MD_CTX_free(context) }

  mutating func add(_ bytes: ArraySlice<UInt8>) {
    _ = bytes.withUnsafeBytes { EVP_DigestUpdate(context, $0.baseAddress, $0.count) }
  }

  /// Ends it.
  var hexadecimal: String {
    mutating get {
      var octets = [UInt8](repeating: 0, count: 32)
      EVP_DigestFinal_ex(context, &octets, nil)
      return Core.hexadecimal(octets)
    }
  }
}

/// Writes a backup, which appears under its name when it is complete.
package final class BackupWriter {
  private let path: String
  private let temporary: String
  private let database: Database
  private var members: [(member: BackupMember, digest: String)] = []

  /// - Throws: `SystemError`: it cannot be created; `EEXIST`: there is one.
  package init(path: String) throws {
    let temporary = "\(path).\(getpid()).new"
    (self.path, self.temporary) = (path, temporary)
    guard access(path, F_OK) != 0 else { throw SystemError(call: "open", code: EEXIST) }
    unlink(temporary)
    // Created with its final mode, because it holds keys and passwords.
    _ = try FileDescriptor(creating: temporary)
    do {
      database = try Database(
        path: temporary,
        setUp: """
          PRAGMA locking_mode = EXCLUSIVE;
          PRAGMA journal_mode = OFF;
          PRAGMA synchronous = OFF;
          PRAGMA application_id = \(BackupFile.applicationID);
          PRAGMA user_version = \(BackupFile.format);
          \(BackupFile.tables.sorted { $0.key < $1.key }.map { $0.value + ";" }.joined(separator: "\n"))
          """)
    } catch {
      unlink(temporary)
      throw error
    }
  }

  /// Removes an incomplete backup.
  package func cancel() {
    try? database.close()
    unlink(temporary)
  }

  /// Adds a file. `isStore`: an SQLite file that a gateway may be writing to; it is copied in a consistent state.
  ///
  /// - Parameter isOthers: whether another user may write in its folder. That user could put a link to any file there.
  package func add(_ name: String, contentsOf path: String, isStore: Bool = false, isOthers: Bool = false)
    throws
  {
    var status = stat()
    try systemCall("stat") { isOthers ? lstat(path, &status) : stat(path, &status) }
    guard isStore else { return try add(name, path, like: status, flags: isOthers ? O_NOFOLLOW : 0) }
    let copy = temporary + ".copy"
    defer { for ending in Database.endings { unlink(copy + ending) } }
    try StoreCopy.make(of: path, at: copy)
    try add(name, copy, like: status)
  }

  private func add(_ name: String, _ path: String, like status: stat, flags: Int32 = 0) throws {
    let file = FileDescriptor(
      try systemCall("open") { open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | flags) })
    guard let length = file.fileLength else { throw BackupFault("\(path) is not a regular file") }
    guard length <= BackupFile.limit else { throw BackupFault("\(path) is larger than a backup may be") }
    let member = BackupMember(
      name: name, mode: UInt32(status.st_mode & 0o777), modified: Int64(status.st_mtim.tv_sec),
      owner: Account.user(status.st_uid), group: Account.group(status.st_gid), size: Int(length))
    var digest = SHA256()
    try database.use { database in
      try database.execute(
        "INSERT INTO sqlar VALUES (?, ?, ?, ?, zeroblob(?))", .text(name),
        .integer(Int64(S_IFREG | member.mode)),
        .integer(member.modified), .integer(length), .integer(length))
      let blob = try database.blob("sqlar", "data", row: database.lastRow, writes: true)
      var place = 0
      var piece = [UInt8](repeating: 0, count: BackupFile.piece)
      while place < member.size {
        var span = piece.mutableSpan
        let count = min(try file.read(into: &span), member.size - place)
        guard count > 0 else { throw BackupFault("\(path) changed while it was read; try again") }
        digest.add(piece[..<count])
        try blob.write(piece[..<count], at: place)
        place += count
      }
    }
    members.append((member, digest.hexadecimal))
  }

  /// - Parameter properties: the properties to store in the backup.
  /// - Returns: the members.
  package func finish(_ properties: [String: String]) throws -> [BackupMember] {
    var properties = properties
    properties["digest"] = BackupFile.summary(members, properties)
    try database.use { database in
      for (member, digest) in members {
        try database.execute(
          "INSERT INTO digest VALUES (?, ?, ?, ?)", .text(member.name), .text(member.owner),
          .text(member.group),
          .text(digest))
      }
      for (name, value) in properties {
        try database.execute("INSERT INTO property VALUES (?, ?)", .text(name), .text(value))
      }
    }
    try database.close()
    let file = FileDescriptor(try systemCall("open") { open(temporary, O_RDONLY | O_CLOEXEC) })
    try systemCall("fsync") { fsync(file.number) }
    // Checks that `restore` would accept the file.
    _ = try BackupReader(path: temporary)
    try systemCall("rename") { rename(temporary, path) }
    return members.map(\.member)
  }
}

/// The names of users and groups.
enum Account {
  static func user(_ number: uid_t) -> String {
    getpwuid(number).map { String(cString: $0.pointee.pw_name) } ?? ""
  }
  static func group(_ number: gid_t) -> String {
    getgrgid(number).map { String(cString: $0.pointee.gr_name) } ?? ""
  }
}

/// A copy of an SQLite file with a write-ahead log that another process may keep locked, as a gateway does with its outbox.
enum StoreCopy {
  /// Differs before and after copying if pages were written to the file, or the log was begun anew meanwhile. Appending to the
  /// log does no harm, because SQLite ignores an incomplete transaction.
  private struct Look: Equatable {
    var place: UInt64 = 0
    var size: Int = 0
    var seconds: Int = 0
    var nanoseconds: Int = 0
    var log: [UInt8] = []

    init(_ path: String) throws(SystemError) {
      var status = stat()
      try systemCall("stat") { stat(path, &status) }
      (place, size) = (UInt64(status.st_ino), Int(status.st_size))
      (seconds, nanoseconds) = (status.st_mtim.tv_sec, status.st_mtim.tv_nsec)
      let number = open(path + "-wal", O_RDONLY | O_CLOEXEC)
      guard number >= 0 else { return }
      let file = FileDescriptor(number)
      var head = [UInt8](repeating: 0, count: 32)
      var span = head.mutableSpan
      let count = try file.read(into: &span)
      log = Array(head.prefix(count))
    }

    /// A second change at the same tick of the file system's clock would not show.
    var isFresh: Bool {
      var now = timespec()
      clock_gettime(CLOCK_REALTIME, &now)
      let age = Double(now.tv_sec - seconds) + Double(now.tv_nsec - nanoseconds) / 1e9
      return age >= 0 && age < 0.05
    }
  }

  private static let attempts = 100

  static func make(of path: String, at copy: String) throws {
    for _ in 0..<attempts {
      let before = try Look(path)
      if !before.isFresh {
        for ending in Database.endings { unlink(copy + ending) }
        try copyFile(path, copy)
        if !before.log.isEmpty { try copyFile(path + "-wal", copy + "-wal") }
        if try Look(path) == before { return try settle(copy, of: path) }
      }
      usleep(50_000)
    }
    throw BackupFault("\(path) is being written all the time; stop the gateway, and try again")
  }

  /// Moves the log into the copy, and checks it.
  private static func settle(_ copy: String, of path: String) throws {
    do {
      let database = try Database(path: copy)
      let verdict = try database.use { database in
        try database.checkpoint()
        return try database.value("PRAGMA quick_check(1)").string
      }
      try database.close()
      guard verdict == "ok" else { throw DatabaseError(code: SQLITE_CORRUPT, message: verdict) }
    } catch let error as DatabaseError where [SQLITE_CORRUPT, SQLITE_NOTADB].contains(error.code) {
      throw BackupFault("\(path) is damaged; restart the gateway, which sets a damaged file aside")
    } catch let error as DatabaseError {
      throw BackupFault(
        "the copy of \(path) beside the backup cannot be written: \(error); free some space, or name another folder"
      )
    }
  }

  private static func copyFile(_ path: String, _ copy: String) throws(SystemError) {
    let source = FileDescriptor(try systemCall("open") { open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW) })
    let target = try FileDescriptor(creating: copy)
    var piece = [UInt8](repeating: 0, count: BackupFile.piece)
    while true {
      var span = piece.mutableSpan
      let count = try source.read(into: &span)
      guard count > 0 else { return }
      try target.write(piece.span.extracting(..<count))
    }
  }
}
