import CSQLite
import Core
import Glibc

/// Batches of observations that wait for the broker, in an SQLite file beside the outbox.
///
/// After a power cut the last transactions may be missing (`synchronous = NORMAL`). That spares SD cards, and a missing
/// observation is not a missing transition.
package final class ObservationStore {
  /// The batches that were dropped to make room.
  package struct Dropped: Sendable {
    package var rows = 0
    package var observations = 0
    /// The highest number among them.
    package var last: Int64 = 0
    package init() {}
  }

  static let version: Int64 = 1
  private static let pageSize = 4096
  private let path: String
  /// Replaced if the disk is too full even for deleting.
  private var database: Database
  /// Identifies the machine's boot, and so the monotonic clock of new rows.
  private let boot: String

  /// Opens the file, or creates it. A damaged one is set aside as `….damaged`, replacing an earlier one.
  package static func open(
    gateway: String, directory: StateDirectory
  ) throws -> (store: ObservationStore, notice: String?) {
    let path = directory.observations(gateway: gateway)
    _ = try directory.make()
    return try Database.settingDamagedAside(
      path,
      saying:
        "\(path), where observations wait, is damaged; it is set aside as \(path).damaged; starting a new one"
    ) { try ObservationStore(path: path) }
  }

  init(path: String, boot: String = OpenOutbox.bootID) throws {
    self.boot = boot
    self.path = path
    database = try Self.open(path)
  }

  private static func open(_ path: String) throws -> Database {
    try PrivateFile.prepare(store: path)
    let database = try Database(
      path: path, pageSize: Self.pageSize, isExclusive: true, setUp: "PRAGMA synchronous = NORMAL;")
    try database.write { database in
      let found = try database.value("PRAGMA user_version").int64
      try Database.refuseNewer(found, than: Self.version)
      switch found {
      case Self.version: break
      case 0:
        try database.execute(
          script: """
            CREATE TABLE batch (
              number INTEGER PRIMARY KEY AUTOINCREMENT, topic TEXT NOT NULL, observations INTEGER NOT NULL,
              boot TEXT NOT NULL, made INTEGER NOT NULL, octets INTEGER NOT NULL, payload BLOB NOT NULL);
            PRAGMA user_version = \(Self.version);
            """)
      default: throw DatabaseError(code: SQLITE_CORRUPT, message: "it is of another version")
      }
    }
    return database
  }

  /// The rows on disk. Numbers are not used again, even if all their rows are gone.
  package func extent() throws -> ObservationQueue.Extent {
    try database.use { database in
      ObservationQueue.Extent(
        count: Int(clamping: try database.value("SELECT count(*) FROM batch").int64 ?? 0),
        last: try database.value("SELECT max(seq) FROM sqlite_sequence").int64 ?? 0)
    }
  }

  /// Deletes and adds rows in one transaction; then drops the oldest rows until the others take at most `limit` octets.
  package func perform(_ work: ObservationQueue.Work, limit: Int) throws -> Dropped {
    do { return try write(work, limit: limit) } catch let error as DatabaseError
      where error.code == SQLITE_FULL && work.isLastOfAll
    {
      // To delete rows, SQLite needs room in its log. On a full disk it may have none. If the broker has everything in the
      // file, the file can be replaced.
      try begin()
      return Dropped()
    }
  }

  /// Replaces the file with an empty one.
  private func begin() throws {
    try? database.close()
    for ending in Database.endings { unlink(path + ending) }
    database = try Self.open(path)
  }

  private func write(_ work: ObservationQueue.Work, limit: Int) throws -> Dropped {
    let dropped = try database.write { database in
      for number in work.removed {
        try database.execute("DELETE FROM batch WHERE number = ?", .integer(number))
      }
      for batch in work.added {
        try database.execute(
          "INSERT INTO batch (number, topic, observations, boot, made, octets, payload) VALUES (?, ?, ?, ?, ?, ?, ?)",
          .integer(batch.number), .text(batch.topic), .integer(Int64(batch.observations)),
          .text(batch.made == nil ? "" : boot), .integer(batch.made?.nanoseconds ?? 0),
          .integer(Int64(batch.octets)), .blob(batch.payload))
      }
      return try Self.trim(database, to: limit, keeping: work.kept)
    }
    try giveRoomBack()
    return dropped
  }

  private static func trim(_ database: SQLConnection, to limit: Int, keeping kept: Int64) throws -> Dropped {
    var dropped = Dropped()
    var surplus = (try database.value("SELECT total(octets) FROM batch").double ?? 0) - Double(limit)
    while surplus > 0 {
      let rows = try database.rows(
        "SELECT number, octets, observations FROM batch WHERE number > ? ORDER BY number LIMIT 500",
        .integer(kept))
      if rows.isEmpty { break }
      for row in rows where surplus > 0 {
        guard let number = row["number"].int64 else { continue }
        try database.execute("DELETE FROM batch WHERE number = ?", .integer(number))
        surplus -= row["octets"].double ?? 0
        dropped.rows += 1
        dropped.observations += Int(clamping: row["observations"].int64 ?? 0)
        dropped.last = number
      }
    }
    return dropped
  }

  /// The next batches after a number.
  package func batches(after number: Int64, limit: Int = ObservationQueue.pageSize) throws -> [WaitingBatch] {
    try database.use { database in
      try database.rows(
        "SELECT * FROM batch WHERE number > ? ORDER BY number LIMIT ?", .integer(number),
        .integer(Int64(limit))
      ).compactMap { row in
        guard let number = row["number"].int64, let topic = row["topic"].string,
          let payload = row["payload"].bytes, let made = row["made"].int64
        else { return nil }
        return WaitingBatch(
          number: number, topic: topic, payload: payload,
          observations: Int(clamping: row["observations"].int64 ?? 0),
          made: row["boot"].string == boot ? MonotonicTime(nanoseconds: made) : nil)
      }
    }
  }

  /// Free pages to keep for new rows.
  private static let keptPages: Int64 = 256

  private func giveRoomBack() throws {
    try database.use { database in
      let free = try database.value("PRAGMA freelist_count").int64 ?? 0
      guard free > Self.keptPages * 2 else { return }
      try database.execute(script: "PRAGMA incremental_vacuum(\(free - Self.keptPages))")
      try database.checkpoint()
    }
  }

  package func close() { try? database.close() }
}
