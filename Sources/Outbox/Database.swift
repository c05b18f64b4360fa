import CSQLite
import Glibc

/// An error of SQLite, in its own words.
struct DatabaseError: Error, CustomStringConvertible {
  /// The primary result code, such as `SQLITE_FULL`.
  var code: Int32
  var message: String?

  var description: String { words(self) }
}

/// An SQLite file. It has no lock. Only its owner waits for the disk.
final class Database {
  /// The endings of the paths of the file, its log, and the log's index.
  static let endings = ["", "-wal", "-shm"]

  private let connection: SQLConnection

  /// Opens the file, or creates it.
  ///
  /// - Parameter setUp: statements to execute before all others.
  init(path: String, setUp: String = "") throws(DatabaseError) {
    connection = try SQLConnection(path: path)
    try connection.execute(script: setUp)
  }

  /// Opens a file with a write-ahead log that gives free space back by parts, or creates it.
  ///
  /// - Parameters:
  ///   - isExclusive: keeps other processes out.
  ///   - setUp: statements to execute before all others.
  init(path: String, pageSize: Int, isExclusive: Bool, setUp: String) throws(DatabaseError) {
    connection = try SQLConnection(path: path)
    if isExclusive { try connection.execute(script: "PRAGMA locking_mode = EXCLUSIVE") }
    try connection.execute(script: "PRAGMA page_size = \(pageSize)")
    // Setting it again at each start would write to the file, which fails on a full disk.
    if try connection.value("PRAGMA auto_vacuum").int64 != Self.incremental {
      try connection.execute(script: "PRAGMA auto_vacuum = INCREMENTAL")
    }
    try connection.execute(script: "PRAGMA journal_mode = WAL; \(setUp)")
  }

  /// The number of `auto_vacuum = INCREMENTAL`.
  private static let incremental: Int64 = 2

  /// Opens a file that no process changes, and that may come from somebody hostile. Nothing beside it is read or written.
  init(unchanging path: String) throws(DatabaseError) {
    let plain = Set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~/".utf8)
    let place = path.utf8.map { octet in
      plain.contains(octet)
        ? String(UnicodeScalar(octet)) : "%" + (octet < 16 ? "0" : "") + String(octet, radix: 16)
    }.joined()
    connection = try SQLConnection(
      path: "file:\(path.hasPrefix("/") ? "" : "./")\(place)?immutable=1",
      flags: SQLITE_OPEN_READONLY | SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX)
    try connection.execute(script: "PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON;")
  }

  /// Opens the file at a path. A damaged file is renamed to `….damaged`, replacing an earlier one, and a new file is opened.
  static func settingDamagedAside<Store>(
    _ path: String, saying notice: String, _ open: () throws -> Store
  ) throws -> (store: Store, notice: String?) {
    do { return (try open(), nil) } catch let error as DatabaseError
      where [SQLITE_CORRUPT, SQLITE_NOTADB, SQLITE_ERROR].contains(error.code)
    {
      setAside(path)
      return (try open(), notice)
    }
  }

  static func setAside(_ path: String) {
    for ending in endings { rename(path + ending, path + ".damaged" + ending) }
  }

  /// Refuses a file of a newer version, which stays as it is. A much later number means damage.
  static func refuseNewer(_ found: Int64?, than version: Int64) throws(DatabaseError) {
    guard let found, (version + 1...version + 100).contains(found) else { return }
    throw DatabaseError(
      code: SQLITE_MISMATCH,
      message: "it is of a newer Beaconkeeper; install that again, or restore a backup of before the upgrade"
    )
  }

  /// Outside `write`, each statement is a transaction of its own.
  func use<Result>(_ body: (SQLConnection) throws -> Result) throws -> Result { try body(connection) }

  /// Reads in one transaction.
  func read<Result>(_ body: (SQLConnection) throws -> Result) throws -> Result {
    try connection.execute("BEGIN")
    defer { connection.rollBack() }
    return try body(connection)
  }

  /// Runs one transaction: when this returns, all of it is on disk, or nothing.
  func write<Result>(_ body: (SQLConnection) throws -> Result) throws -> Result {
    try connection.execute("BEGIN IMMEDIATE")
    do {
      let result = try body(connection)
      try connection.execute("COMMIT")
      return result
    } catch {
      connection.rollBack()
      throw error
    }
  }

  /// Moves the log into the file, and deletes the log.
  func close() throws { try connection.close() }
}

/// An open file, and its prepared statements.
final class SQLConnection {
  /// Milliseconds to wait for another process that uses the file.
  private static let patience: Int32 = 5000

  private var handle: OpaquePointer?
  private var statements: [String: OpaquePointer] = [:]

  /// - Parameter flags: no mutex of SQLite's: one thread owns it.
  init(
    path: String, flags: Int32 = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX
  ) throws(DatabaseError) {
    try check(sqlite3_open_v2(path, &handle, flags, nil))
    try check(sqlite3_busy_timeout(handle, Self.patience))
  }

  deinit {
    // A failed open still allocates a handle.
    try? close()
  }

  func close() throws(DatabaseError) {
    for statement in statements.values { sqlite3_finalize(statement) }
    statements.removeAll()
    try check(sqlite3_close(handle))
    handle = nil
  }

  /// Executes several statements without parameters. Any rows they return are ignored.
  func execute(script: String) throws(DatabaseError) {
    try check(sqlite3_exec(handle, script, nil, nil, nil))
  }

  func execute(_ statement: String, _ values: SQLValue...) throws(DatabaseError) {
    _ = try rows(statement, values)
  }

  func rows(_ statement: String, _ values: SQLValue...) throws(DatabaseError) -> [SQLRow] {
    try rows(statement, values)
  }

  /// The first column of the first row.
  func value(_ statement: String, _ values: SQLValue...) throws(DatabaseError) -> SQLValue {
    try rows(statement, values).first?.values.first ?? .null
  }

  /// The row that was inserted last.
  var lastRow: Int64 { sqlite3_last_insert_rowid(handle) }

  /// A large value, to be read or written piece by piece.
  func blob(_ table: String, _ column: String, row: Int64, writes: Bool) throws(DatabaseError) -> SQLBlob {
    var blob: OpaquePointer?
    try check(sqlite3_blob_open(handle, "main", table, column, row, writes ? 1 : 0, &blob))
    guard let blob else { throw DatabaseError(code: SQLITE_MISUSE, message: "there is no such value") }
    return SQLBlob(blob)
  }

  /// Moves the log into the file, and truncates the log.
  func checkpoint() throws(DatabaseError) {
    try check(sqlite3_wal_checkpoint_v2(handle, nil, SQLITE_CHECKPOINT_TRUNCATE, nil, nil))
  }

  fileprivate func rollBack() {
    // After some errors SQLite has rolled back already.
    if sqlite3_get_autocommit(handle) == 0 { try? execute("ROLLBACK") }
  }

  private func rows(_ text: String, _ values: [SQLValue]) throws(DatabaseError) -> [SQLRow] {
    let statement = try prepared(text)
    // A statement that is not reset keeps its lock on the file.
    defer {
      sqlite3_reset(statement)
      sqlite3_clear_bindings(statement)
    }
    for (index, value) in values.enumerated() {
      try check(value.bind(to: statement, at: Int32(index + 1)))
    }
    let columns = 0..<sqlite3_column_count(statement)
    let names = columns.map { sqlite3_column_name(statement, $0).map { String(cString: $0) } ?? "" }
    var rows: [SQLRow] = []
    while true {
      switch sqlite3_step(statement) {
      case SQLITE_ROW:
        rows.append(SQLRow(names: names, values: columns.map { SQLValue(statement, column: $0) }))
      case SQLITE_DONE: return rows
      case let code: throw error(code)
      }
    }
  }

  private func prepared(_ text: String) throws(DatabaseError) -> OpaquePointer {
    if let statement = statements[text] { return statement }
    var made: OpaquePointer?
    try check(sqlite3_prepare_v3(handle, text, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &made, nil))
    guard let made else { throw DatabaseError(code: SQLITE_MISUSE, message: "there is no statement") }
    statements[text] = made
    return made
  }

  private func check(_ code: Int32) throws(DatabaseError) { if code != SQLITE_OK { throw error(code) } }

  private func error(_ code: Int32) -> DatabaseError {
    DatabaseError(code: code & 0xFF, message: sqlite3_errmsg(handle).map { String(cString: $0) })
  }
}

/// A large value, which is closed with its last reference.
final class SQLBlob {
  private let handle: OpaquePointer

  fileprivate init(_ handle: OpaquePointer) { self.handle = handle }

  deinit { sqlite3_blob_close(handle) }

  func read(_ count: Int, at place: Int) throws(DatabaseError) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: count)
    try check(sqlite3_blob_read(handle, &bytes, Int32(clamping: count), Int32(clamping: place)))
    return bytes
  }

  func write(_ bytes: ArraySlice<UInt8>, at place: Int) throws(DatabaseError) {
    try check(
      bytes.withUnsafeBytes {
        sqlite3_blob_write(handle, $0.baseAddress, Int32(clamping: $0.count), Int32(clamping: place))
      })
  }

  private func check(_ code: Int32) throws(DatabaseError) {
    if code != SQLITE_OK { throw DatabaseError(code: code & 0xFF, message: nil) }
  }
}
