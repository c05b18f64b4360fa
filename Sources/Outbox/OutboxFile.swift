import CSQLite

/// The layout of the outbox on disk.
enum OutboxFile {
  /// The largest file size in bytes: enough for about a million transitions.
  static let largest = 1 << 28
  /// Small, because a transition changes few rows, and pages are written whole.
  private static let pageSize = 512
  /// Pages in the log before it is moved into the file. A page that changes many times is then written there only once.
  private static let logPages = 2048
  static let version: Int64 = 5
  /// Earlier versions have the same tables, but no transitions of rooms (2), of zones of rooms (3), or other messages (4).
  /// Programs of these versions must not open a file that has them.
  private static let earlierVersions: ClosedRange<Int64> = 2...4

  /// Makes sure that the file exists, and that only its owner may read it and the files beside it.
  static func prepare(_ path: String) throws {
    try PrivateFile.prepare(path)
    for ending in ["-wal", "-shm", "-journal"] { try PrivateFile.prepare(path + ending, isMade: false) }
  }

  static func open(_ path: String, largest: Int = largest) throws -> Database {
    try Database(
      path: path, pageSize: pageSize, isExclusive: true,
      setUp: """
        PRAGMA synchronous = FULL;
        PRAGMA wal_autocheckpoint = \(logPages);
        PRAGMA journal_size_limit = \(2 * logPages * pageSize);
        PRAGMA secure_delete = ON;
        PRAGMA max_page_count = \(largest / pageSize);
        """)
  }

  /// A much later number means damage.
  static func isNewer(_ found: Int64) -> Bool { (version + 1...version + 100).contains(found) }

  /// Creates the tables in an empty file; otherwise checks the version, and raises an earlier one.
  static func makeTables(_ database: SQLConnection) throws {
    let found = try database.value("PRAGMA user_version").int64
    switch found {
    case let found? where found == version || earlierVersions.contains(found):
      let verdict = try database.value("PRAGMA quick_check(1)").string
      guard verdict == "ok" else { throw DatabaseError(code: SQLITE_CORRUPT, message: verdict) }
      if found != version { try database.execute(script: "PRAGMA user_version = \(version)") }
    case 0:
      try database.execute(
        script: """
          CREATE TABLE meta (name TEXT PRIMARY KEY, value) WITHOUT ROWID;
          CREATE TABLE waiting (
            id INTEGER PRIMARY KEY, epoch INTEGER NOT NULL, seq INTEGER NOT NULL, body BLOB NOT NULL);
          CREATE TABLE beacon (id INTEGER PRIMARY KEY, state BLOB NOT NULL);
          CREATE TABLE text (id INTEGER PRIMARY KEY, value TEXT NOT NULL);
          CREATE TABLE counter (key TEXT PRIMARY KEY, counter INTEGER NOT NULL) WITHOUT ROWID;
          PRAGMA user_version = \(version);
          """)
    case let other? where isNewer(other):
      let isSound = try database.value("PRAGMA quick_check(1)").string == "ok"
      if isSound { throw NewerOutbox(version: other) }
      throw DatabaseError(code: SQLITE_CORRUPT, message: "it is of another version")
    default: throw DatabaseError(code: SQLITE_CORRUPT, message: "it is of another version")
    }
  }

  /// Whether the file has reached its limit, as opposed to a full disk.
  static func isFull(_ error: any Error, _ database: Database, largest: Int = largest) -> Bool {
    guard (error as? DatabaseError)?.code == SQLITE_FULL else { return false }
    let isFull = try? database.use { database in
      let (pages, free) = (try number("page_count", database), try number("freelist_count", database))
      // Full means 63/64, because a transition may need several pages at once.
      return (pages - free) * pageSize > largest / 64 * 63
    }
    return isFull ?? false
  }

  /// Free pages to keep for new rows.
  private static let kept = 512
  /// How many pages to release at once.
  private static let portion = 16_384

  /// Returns true if nothing is left to release.
  static func giveRoomBack(_ database: Database) throws -> Bool {
    try database.use { database in
      let surplus = try number("freelist_count", database) - kept
      guard surplus > 0 else { return true }
      try database.execute(script: "PRAGMA incremental_vacuum(\(min(surplus, portion)))")
      // The file shrinks only when the log is moved into it.
      try database.checkpoint()
      return surplus <= portion
    }
  }

  private static func number(_ pragma: String, _ database: SQLConnection) throws -> Int {
    Int(clamping: try database.value("PRAGMA \(pragma)").int64 ?? 0)
  }
}
