import CSQLite
import Contract
import Core
import FoundationEssentials
import Glibc

/// The file was deleted or replaced while it was open.
package struct DiaryRemoved: Error {}

/// The diary in an SQLite file beside the outbox, bounded by age and size.
///
/// After a power cut the last transactions may be missing (`synchronous = NORMAL`), which spares SD cards. Other processes may
/// read the file, and delete entries, while the gateway runs.
package final class DiaryStore {
  static let version: Int64 = 1
  private static let pageSize = 1024
  /// Pages in the log before it is moved into the file. A page that changes many times is then written there only once.
  private static let logPages = 1000
  /// At most this part of the diary is deleted at once, so that a clock that is wrong for a while does not empty it.
  private static let portion: Int64 = 20

  private let database: Database
  private let path: String?
  private let identity: FileIdentity?
  /// The number of the last entry when it was opened. Those after it are of this run.
  private let former: Int64

  /// Opens the file, or creates it.
  ///
  /// - Parameter path: nil: it is kept in memory.
  package init(path: String?) throws {
    self.path = path
    if let path { try PrivateFile.prepare(store: path) }
    // Deleted entries must not stay readable in free space.
    database = try Database(
      path: path ?? ":memory:", pageSize: Self.pageSize, isExclusive: false,
      setUp: """
        PRAGMA synchronous = NORMAL;
        PRAGMA wal_autocheckpoint = \(Self.logPages);
        PRAGMA journal_size_limit = \(2 * Self.logPages * Self.pageSize);
        PRAGMA secure_delete = ON;
        """)
    let found = try database.use { try $0.value("PRAGMA user_version").int64 }
    try Database.refuseNewer(found, than: Self.version)
    switch found {
    case Self.version: break
    case 0:
      try database.write { database in
        try database.execute(
          script: """
            CREATE TABLE entry (
              id INTEGER PRIMARY KEY, time INTEGER NOT NULL, kind TEXT NOT NULL, thing TEXT NOT NULL,
              place TEXT NOT NULL, word TEXT NOT NULL, epoch INTEGER, seq INTEGER, detail);
            CREATE TABLE forgotten (thing TEXT PRIMARY KEY, time INTEGER NOT NULL) WITHOUT ROWID;
            PRAGMA user_version = \(Self.version);
            """)
      }
    default: throw DatabaseError(code: SQLITE_MISMATCH, message: "it is of another version")
    }
    identity = path.flatMap { FileIdentity(path: $0) }
    former = try database.use { try $0.value("SELECT max(id) FROM entry").int64 ?? 0 }
  }

  /// Opens a gateway's diary, or creates it. A damaged file is set aside as `….damaged`, replacing an earlier one.
  package static func open(
    gateway: String, directory: StateDirectory
  ) throws -> (store: DiaryStore, notice: String?) {
    let path = directory.diary(gateway: gateway)
    _ = try directory.make()
    return try Database.settingDamagedAside(
      path, saying: "the diary \(path) is damaged; it is set aside as \(path).damaged"
    ) { try DiaryStore(path: path) }
  }

  /// Whether the file is damaged within, which shows only when that part is read.
  package static func isDamage(_ failure: any Error) -> Bool {
    [SQLITE_CORRUPT, SQLITE_NOTADB].contains((failure as? DatabaseError)?.code)
  }

  /// Sets a damaged file aside, which must be closed. Returns a message for the user.
  package static func setAside(gateway: String, directory: StateDirectory) -> String {
    let path = directory.diary(gateway: gateway)
    Database.setAside(path)
    return "the diary \(path) is damaged; it is set aside as \(path).damaged"
  }

  /// A gateway without a diary continues that of its former name.
  ///
  /// - Parameter former: outboxes that the same configuration file used; with more than one nothing happens.
  package static func adopt(from former: [FormerOutbox], as gateway: String, in directory: StateDirectory) {
    let path = directory.diary(gateway: gateway)
    guard former.count == 1, !FileManager.default.fileExists(atPath: path) else { return }
    for ending in Database.endings {
      rename(directory.diary(gateway: former[0].gateway) + ending, path + ending)
    }
  }

  /// Appends entries, oldest first, in one transaction. Entries of things that were forgotten since they happened are left out.
  package func add(_ entries: [DiaryEntry]) throws {
    // What is written to a file that nobody can open any more is lost.
    guard path.map({ FileIdentity(path: $0) == identity }) ?? true else { throw DiaryRemoved() }
    try database.write { database in
      let forgotten = try Self.forgotten(database)
      for entry in entries where !forgotten.covers(entry) {
        let detail: SQLValue =
          (entry.transition?.body).map { .blob($0) } ?? (entry.detail.isEmpty ? .null : .text(entry.detail))
        try database.execute(
          "INSERT INTO entry (time, kind, thing, place, word, epoch, seq, detail) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
          .integer(entry.time.nanoseconds), .text(entry.kind.rawValue), .text(entry.thing),
          .text(entry.place),
          .text(entry.word), Self.number(entry.transition?.epoch), Self.number(entry.transition?.sequence),
          detail)
      }
    }
  }

  private static func number(_ number: UInt64?) -> SQLValue {
    number.map { .integer(Int64(clamping: $0)) } ?? .null
  }

  /// The clock was set: entries since the diary was opened get the right time. Their transitions stay as they were published.
  package func correct(_ step: ClockStep) throws {
    guard let wrong = step.wrong else { return }
    try database.write { database in
      try database.execute(
        "UPDATE entry SET time = time + ? WHERE id > ? AND time BETWEEN ? AND ?",
        .integer(step.step.nanoseconds), .integer(former), .integer(wrong.lowerBound.nanoseconds),
        .integer(wrong.upperBound.nanoseconds))
    }
  }

  /// Deletes entries from before a time, and the oldest ones while the file is larger than a size in octets. Of very many it
  /// deletes a part, and the rest with the next calls.
  package func trim(before time: WallTime, size: Int) throws {
    try database.write { database in
      let count = try database.value("SELECT count(*) FROM entry").int64 ?? 0
      let most = count / Self.portion + 64
      try database.execute(
        "DELETE FROM entry WHERE id IN (SELECT id FROM entry WHERE time < ? ORDER BY id LIMIT ?)",
        .integer(time.nanoseconds), .integer(most))
      let pages = try database.value("PRAGMA page_count").int64 ?? 0
      let free = try database.value("PRAGMA freelist_count").int64 ?? 0
      if (pages - free) * Int64(Self.pageSize) > Int64(size) {
        try database.execute(
          "DELETE FROM entry WHERE id IN (SELECT id FROM entry ORDER BY id LIMIT ?)", .integer(most))
      }
    }
    try database.use { try $0.execute(script: "PRAGMA incremental_vacuum") }
  }

  /// Entries that match, the newest first.
  package func entries(_ query: DiaryQuery, limit: Int) throws -> [DiaryEntry] {
    try rows(query, order: "DESC", limit: limit)
  }

  /// Calls `body` for each entry that matches, the oldest first, a page at a time.
  package func forEach(_ query: DiaryQuery, _ body: (DiaryEntry) -> Void) throws {
    var after: Int64 = 0
    while true {
      let page = try rows(query, after: after, order: "ASC", limit: 5_000)
      for entry in page { body(entry) }
      guard let last = page.last else { return }
      after = last.number
    }
  }

  private func rows(
    _ query: DiaryQuery, after: Int64 = 0, order: String, limit: Int
  ) throws -> [DiaryEntry] {
    let kinds =
      query.kinds.isEmpty
      ? "" : " AND kind IN (\(query.kinds.map { "'\($0.rawValue)'" }.sorted().joined(separator: ", ")))"
    return try database.use { database in
      try database.rows(
        """
        SELECT * FROM entry WHERE id > ?1 AND id < ?2 AND time >= ?3 AND time < ?4 AND (?5 IS NULL OR thing = ?5)
        AND (?6 IS NULL OR place = ?6)\(kinds) ORDER BY id \(order) LIMIT ?7
        """, .integer(after), .integer(query.before ?? .max),
        .integer(query.since?.nanoseconds ?? .min), .integer(query.until?.nanoseconds ?? .max),
        query.thing.map { .text($0) } ?? .null, query.place.map { .text($0) } ?? .null, .integer(Int64(limit))
      ).compactMap(DiaryEntry.init)
    }
  }

  /// The beacons, phones and receivers with entries.
  package func things() throws -> Set<String> {
    try database.use { database in
      Set(
        try database.rows("SELECT DISTINCT thing FROM entry WHERE thing <> ''").compactMap {
          $0["thing"].string
        })
    }
  }

  /// The things to forget, and up to which time.
  package struct Forgotten: Sendable {
    package var until: [String: WallTime] = [:]

    package func covers(_ entry: DiaryEntry) -> Bool { until[entry.thing].map { entry.time <= $0 } ?? false }
  }

  /// Deletes all entries of a thing, and leaves word for a running gateway to delete those in its memory. Returns how many were
  /// deleted.
  package func forget(_ thing: String, at time: WallTime) throws -> Int {
    let count = try database.write { database in
      let count = try database.value("SELECT count(*) FROM entry WHERE thing = ?", .text(thing)).int64 ?? 0
      try database.execute("DELETE FROM entry WHERE thing = ?", .text(thing))
      try database.execute(
        "INSERT OR REPLACE INTO forgotten (thing, time) VALUES (?, ?)", .text(thing),
        .integer(time.nanoseconds))
      return Int(clamping: count)
    }
    try database.use { database in
      try database.execute(script: "PRAGMA incremental_vacuum")
      try database.checkpoint()
    }
    // A damaged file that was set aside may have the entries, too.
    if let path { for ending in Database.endings { unlink(path + ".damaged" + ending) } }
    return count
  }

  package func forgotten() throws -> Forgotten { try database.use(Self.forgotten) }

  /// Call it after they have been forgotten in memory as well.
  package func clear(_ forgotten: Forgotten) throws {
    try database.write { database in
      for (thing, time) in forgotten.until {
        try database.execute(
          "DELETE FROM forgotten WHERE thing = ? AND time <= ?", .text(thing), .integer(time.nanoseconds))
      }
    }
  }

  private static func forgotten(_ database: SQLConnection) throws(DatabaseError) -> Forgotten {
    var found = Forgotten()
    for row in try database.rows("SELECT thing, time FROM forgotten") {
      guard let thing = row["thing"].string, let time = row["time"].int64 else { continue }
      found.until[thing] = WallTime(nanoseconds: time)
    }
    return found
  }

  package func close() { try? database.close() }
}

extension DiaryEntry {
  /// nil for a row that is damaged. A column may hold any type.
  fileprivate init?(_ row: SQLRow) {
    guard let number = row["id"].int64, let time = row["time"].int64,
      let kind = row["kind"].string.flatMap(Kind.init(rawValue:)), let thing = row["thing"].string,
      let place = row["place"].string, let word = row["word"].string
    else { return nil }
    self.init(
      time: WallTime(nanoseconds: time), kind: kind, thing: thing, place: place, word: word,
      detail: row["detail"].string ?? "")
    self.number = number
    if case .blob(let body) = row["detail"], let epoch = row["epoch"].int64, let sequence = row["seq"].int64 {
      transition = try? WaitingMessage.transition(body, UInt64(clamping: epoch), UInt64(clamping: sequence))
    }
  }
}
