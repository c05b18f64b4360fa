import Foundation
import GRDB
import Messages

/// Transitions that wait for the broker, and who is where, in SQLite.
///
/// One transaction holds the transitions and what they did to the beacons, and it is on the medium when it returns
/// (write-ahead log, `synchronous = FULL`): after a power cut either both are there or neither. Nothing else is
/// written, for the sake of SD cards. One process at a time has the file.
final class OutboxStore: Sendable {
  /// What an earlier run left.
  struct Remains: Sendable {
    var epoch: UInt64
    var lastSequence: UInt64
    var waiting: Int
    /// The last row that was ever written.
    var lastRow: Int64
    var beacons: [SavedBeacon] = []
    /// Whether the monotonic clock is still that of the earlier run.
    var isSameBoot: Bool
  }

  /// What goes to disk in one transaction.
  struct Batch: Sendable {
    var transitions: [TransitionMessage] = []
    /// By key; nil: not in any zone any more.
    var beacons: [String: SavedBeacon?] = [:]
    /// Rows that the broker has.
    var acknowledged: [Int64] = []

    var isEmpty: Bool { transitions.isEmpty && beacons.isEmpty && acknowledged.isEmpty }
  }

  /// A file larger than this (some million transitions) takes no more.
  static let largest = 1 << 30
  private static let pageSize = 4096

  private let path: String
  private let identity: FileIdentity?
  private let database: DatabaseQueue
  let mark: DurabilityMark

  /// Opens the file, or makes it.
  ///
  /// Throws GRDB's `DatabaseError`: `SQLITE_BUSY` where another process has it, `SQLITE_CORRUPT` and `SQLITE_NOTADB`
  /// where it is damaged, `SQLITE_CANTOPEN` and `SQLITE_READONLY` where it must not be written.
  init(path: String) throws {
    var configuration = GRDB.Configuration()
    configuration.label = "outbox"
    configuration.busyMode = .timeout(1)
    configuration.prepareDatabase { database in
      try database.execute(
        sql: """
          PRAGMA locking_mode = EXCLUSIVE;
          PRAGMA page_size = \(Self.pageSize);
          PRAGMA journal_mode = WAL;
          PRAGMA synchronous = FULL;
          PRAGMA wal_autocheckpoint = 64;
          PRAGMA journal_size_limit = 262144;
          PRAGMA max_page_count = \(Self.largest / Self.pageSize);
          """)
    }
    self.path = path
    mark = DurabilityMark(path: DurabilityMark.path(of: path))
    database = try DatabaseQueue(path: path, configuration: configuration)
    try Self.migrator.migrate(database)
    try database.read { database in
      let verdict = try String.fetchOne(database, sql: "PRAGMA quick_check(1)")
      guard verdict == "ok" else { throw DatabaseError(resultCode: .SQLITE_CORRUPT, message: verdict) }
    }
    identity = FileIdentity(path: path)
  }

  private static var migrator: DatabaseMigrator {
    var migrator = DatabaseMigrator()
    migrator.registerMigration("1") { database in
      try database.execute(
        sql: """
          CREATE TABLE meta (name TEXT PRIMARY KEY, value) WITHOUT ROWID;
          CREATE TABLE waiting (
            id INTEGER PRIMARY KEY AUTOINCREMENT, epoch INTEGER NOT NULL, seq INTEGER NOT NULL,
            event TEXT NOT NULL, time_ns INTEGER NOT NULL, monotonic_ns INTEGER NOT NULL, gateway TEXT NOT NULL,
            zone TEXT NOT NULL, beacon TEXT NOT NULL, receiver TEXT NOT NULL, distance_m REAL, distance_sd_m REAL,
            rssi_dbm REAL, threshold REAL NOT NULL, value REAL NOT NULL, unit TEXT NOT NULL, samples INTEGER NOT NULL,
            dwell_ns INTEGER NOT NULL);
          CREATE TABLE beacon (key TEXT PRIMARY KEY, state BLOB NOT NULL) WITHOUT ROWID;
          """)
    }
    return migrator
  }

  /// What an earlier run left; where there was none, an epoch begins.
  func begin(epoch: UInt64, bootID: String) throws -> Remains {
    try database.write { database in
      let last = try Row.fetchOne(
        database,
        sql: """
          SELECT (SELECT value FROM meta WHERE name = 'epoch') AS epoch,
            (SELECT value FROM meta WHERE name = 'seq') AS seq,
            (SELECT value FROM meta WHERE name = 'boot') AS boot, (SELECT count(*) FROM waiting) AS waiting
          """)
      let known = try last.flatMap { try Self.integer($0["epoch"]) }
      let sequence = try last.flatMap { try Self.integer($0["seq"]) }
      let boot = last.flatMap { String.fromDatabaseValue($0["boot"]) }
      let remains = Remains(
        epoch: known.map { UInt64(clamping: $0) } ?? epoch, lastSequence: UInt64(clamping: sequence ?? 0),
        waiting: try last.flatMap { try Self.integer($0["waiting"]) }.map { Int(clamping: $0) } ?? 0,
        lastRow: try Self.lastRow(database), beacons: try Self.beacons(database), isSameBoot: boot == bootID)
      try Self.set("epoch", Int64(clamping: remains.epoch), database)
      try Self.set("boot", bootID, database)
      return remains
    }
  }

  /// nil for NULL. A value of another type, or one out of all proportion, is damage.
  private static func integer(_ value: DatabaseValue) throws -> Int64? {
    if value.isNull { return nil }
    guard let number = Int64.fromDatabaseValue(value), (0..<(1 << 62)).contains(number) else {
      throw DatabaseError(resultCode: .SQLITE_CORRUPT, message: "a number is damaged")
    }
    return number
  }

  private static func beacons(_ database: Database) throws -> [SavedBeacon] {
    try DatabaseValue.fetchAll(database, sql: "SELECT state FROM beacon ORDER BY key").compactMap {
      Data.fromDatabaseValue($0).flatMap { try? SavedBeacon.decoder.decode(SavedBeacon.self, from: $0) }
    }
  }

  private static func lastRow(_ database: Database) throws -> Int64 {
    try DatabaseValue.fetchOne(database, sql: "SELECT seq FROM sqlite_sequence WHERE name = 'waiting'")
      .flatMap { try integer($0) } ?? 0
  }

  /// Writes a batch; all of it is on the medium when this returns, or nothing.
  ///
  /// - Returns: the row of the first transition; the others follow it.
  func commit(_ batch: Batch) throws -> Int64 {
    // What is written to a file without a name is gone with this run.
    guard FileIdentity(path: path) == identity else { throw OutboxRemoved() }
    let states = batch.beacons.mapValues { $0.flatMap { try? SavedBeacon.encoder.encode($0) } }
    return try database.write { database in
      let first = try Self.lastRow(database)
      let insert = try database.cachedStatement(sql: TransitionMessage.insertion)
      for transition in batch.transitions { try insert.execute(arguments: transition.columns) }
      if let last = batch.transitions.last {
        try Self.set("epoch", Int64(clamping: last.epoch), database)
        try Self.set("seq", Int64(clamping: last.sequence), database)
      }
      let keep = try database.cachedStatement(sql: "INSERT OR REPLACE INTO beacon (key, state) VALUES (?, ?)")
      let forget = try database.cachedStatement(sql: "DELETE FROM beacon WHERE key = ?")
      for (key, state) in states {
        if let state {
          try keep.execute(arguments: [key, state])
        } else {
          try forget.execute(arguments: [key])
        }
      }
      let remove = try database.cachedStatement(sql: "DELETE FROM waiting WHERE id = ?")
      for row in batch.acknowledged { try remove.execute(arguments: [row]) }
      return first + 1
    }
  }

  /// What a look at the waiting transitions gave.
  struct Page {
    var rows: [(row: Int64, transition: TransitionMessage)] = []
    /// Rows that cannot be read.
    var damaged: [Int64] = []
    /// Whether no more are there.
    var isLast: Bool
  }

  /// Transitions in the order in which they were decided, after a row.
  func waiting(after row: Int64, limit: Int) throws -> Page {
    try database.read { database in
      let rows = try Row.fetchAll(
        database, sql: "SELECT * FROM waiting WHERE id > ? ORDER BY id LIMIT ?", arguments: [row, limit])
      var page = Page(isLast: rows.count < limit)
      for row in rows {
        guard let id = Int64.fromDatabaseValue(row["id"]) else { continue }
        if let transition = TransitionMessage(row) {
          page.rows.append((id, transition))
        } else {
          page.damaged.append(id)
        }
      }
      return page
    }
  }

  func close() { try? database.close() }

  private static func set(_ name: String, _ value: some DatabaseValueConvertible, _ database: Database) throws
  {
    try database.cachedStatement(sql: "INSERT OR REPLACE INTO meta (name, value) VALUES (?, ?)")
      .execute(arguments: [name, value])
  }
}

/// The file was removed or replaced while it was open.
struct OutboxRemoved: Error {}

/// Which file a path leads to.
private struct FileIdentity: Equatable {
  var device: UInt64
  var inode: UInt64

  /// nil where there is none.
  init?(path: String) {
    var status = stat()
    guard stat(path, &status) == 0 else { return nil }
    device = UInt64(status.st_dev)
    inode = UInt64(status.st_ino)
  }
}

extension SavedBeacon {
  fileprivate static var encoder: JSONEncoder {
    let encoder = JSONEncoder()
    encoder.nonConformingFloatEncodingStrategy = .convertToString(
      positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
    return encoder
  }

  fileprivate static var decoder: JSONDecoder {
    let decoder = JSONDecoder()
    decoder.nonConformingFloatDecodingStrategy = .convertFromString(
      positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
    return decoder
  }
}
