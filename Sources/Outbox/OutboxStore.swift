import CSQLite
import Glibc
import Pipeline

/// Transitions that wait for the broker, and the states of beacons, in SQLite.
///
/// One transaction contains the transitions and the resulting states of beacons, and it is on disk when the call returns
/// (write-ahead log, `synchronous = FULL`). After a power cut either both are there or neither. To spare SD cards, little else
/// is written: acknowledgements, counters of encrypted sensors, and gains of receivers, together with a transition if one comes
/// soon. SQLite's exclusive lock keeps other processes out of the file.
///
/// While `run` works, it belongs to a `BlockingThread`.
package final class OutboxStore {
  /// The state that an earlier run left.
  package struct Remains: Sendable {
    /// The epoch of this run.
    package var epoch: UInt64
    package var waiting: Int
    /// The last row that is waiting.
    package var lastRow: Int64
    package var beacons: [SavedBeacon] = []
    /// How many beacons could not be read and are lost.
    package var damagedBeacons = 0
    /// The last replay counter of each beacon that encrypts, by the beacon's key.
    package var counters: [String: UInt32] = [:]
    /// How many dB more than the average each receiver hears.
    package var gains: [String: Double] = [:]
    /// Phones' records, by phone.
    package var records: [String: [UInt8]] = [:]
    /// Whether the machine has not restarted since the earlier run, so that the monotonic clock is the same.
    package var isSameBoot: Bool
    /// Why nothing can be written now; nil: it can.
    package var fault: String?
  }

  /// The content of one transaction.
  package struct Batch: Sendable {
    package var transitions: [WaitingMessage] = []
    /// Transitions that were being sent from memory, and are not acknowledged.
    package var handedOver: [WaitingMessage] = []
    /// By key; nil: no longer in any zone.
    package var beacons: [String: SavedBeacon?] = [:]
    /// Replay counters, by the beacon's key.
    package var counters: [String: UInt32] = [:]
    /// How many dB more than the average each receiver hears; nil: no change.
    package var gains: [String: Double]?
    /// Phones' records, by phone; nil: the phone is gone.
    package var records: [String: [UInt8]?] = [:]
    /// Rows that the broker has acknowledged.
    package var acknowledged: [Int64] = []
    /// The present epoch of this run: it changes while nothing can be written, and the next start must know it.
    package var epoch: UInt64 = 0

    package init(
      transitions: [WaitingMessage] = [], beacons: [String: SavedBeacon?] = [:],
      counters: [String: UInt32] = [:],
      acknowledged: [Int64] = []
    ) {
      self.transitions = transitions
      self.beacons = beacons
      self.counters = counters
      self.acknowledged = acknowledged
    }

    package var isEmpty: Bool {
      transitions.isEmpty && handedOver.isEmpty && beacons.isEmpty && counters.isEmpty
        && gains == nil && records.isEmpty
        && acknowledged.isEmpty
    }
  }

  private let path: String
  private let largest: Int
  private let identity: FileIdentity?
  let database: Database
  private var beacons = BeaconRows()
  /// How many rows were deleted since space was last released.
  private var removed = 0
  /// The epoch that is on disk.
  private var epoch: UInt64 = 0
  /// Values of this run that are not on disk yet, by their names in `meta`.
  private var unwritten: [String: SQLValue] = [:]

  /// Opens the file, or creates it. A file of an earlier version is converted.
  ///
  /// Throws `DatabaseError`: `SQLITE_BUSY` if another process uses it, `SQLITE_CORRUPT` and `SQLITE_NOTADB`
  /// if it is damaged, `SQLITE_CANTOPEN` and `SQLITE_READONLY` if it must not be written. `PrivateFileError`.
  ///
  /// - Parameter largest: the largest size in bytes.
  init(path: String, largest: Int = OutboxFile.largest) throws {
    try OutboxFile.prepare(path)
    self.path = path
    self.largest = largest
    database = try OutboxFile.open(path, largest: largest)
    try database.write { try OutboxFile.makeTables($0) }
    identity = FileIdentity(path: path)
  }

  /// Returns what an earlier run left, and begins a new epoch. If the file can be read but not written, as on
  /// a full disk, the rest is written with the next batch that can be.
  ///
  /// - Parameter next: computes the new epoch from the last one; nil: there was none.
  func begin(bootID: String, next: (UInt64?) -> UInt64) throws -> Remains {
    var rows = BeaconRows()
    var remains = try database.read { database in
      let last = try database.rows(
        """
          SELECT (SELECT value FROM meta WHERE name = 'epoch') AS epoch,
            (SELECT value FROM meta WHERE name = 'boot') AS boot,
            (SELECT value FROM meta WHERE name = 'gains') AS gains,
            (SELECT count(*) FROM waiting) AS waiting, (SELECT max(id) FROM waiting) AS last
        """
      ).first
      let known = try last.flatMap { try Self.integer($0["epoch"], below: Int64(Epoch.limit >> 1)) }
      let boot = last?["boot"].string
      var remains = Remains(
        epoch: next(known.map { UInt64(clamping: $0) }),
        waiting: try last.flatMap { try Self.integer($0["waiting"]) }.map { Int(clamping: $0) } ?? 0,
        lastRow: try last.flatMap { try Self.integer($0["last"]) } ?? 0, beacons: try rows.load(database),
        counters: try Self.counters(database),
        gains: last?["gains"].bytes.flatMap { try? ReceiverGainRow(packed: $0).gains } ?? [:],
        records: try Self.records(database),
        // Without a boot id, the boot counts as another one.
        isSameBoot: !bootID.isEmpty && boot == bootID)
      remains.damagedBeacons = rows.damaged
      return remains
    }
    beacons = rows
    epoch = remains.epoch
    unwritten["epoch"] = .integer(Int64(clamping: epoch))
    unwritten["boot"] = .text(bootID)
    remains.fault = try writeUnwritten()
    return remains
  }

  private static let passing = [SQLITE_FULL, SQLITE_IOERR, SQLITE_READONLY, SQLITE_CANTOPEN]

  /// Returns why nothing can be written now; nil: it is written.
  private func writeUnwritten() throws -> String? {
    do {
      try database.write { try writeUnwritten($0) }
      settle()
      return nil
    } catch let error as DatabaseError where Self.passing.contains(error.code) { return words(error) }
  }

  private func writeUnwritten(_ database: SQLConnection) throws {
    try beacons.tidy(database)
    for (name, value) in unwritten { try Self.set(name, value, database) }
  }

  /// A transaction is on disk.
  private func settle() {
    beacons.settle()
    unwritten = [:]
  }

  /// Stores which configuration file the gateway uses, and its `instance`. After the gateway is renamed, these show that this
  /// outbox was its former one, and that the retained messages under that name are its own.
  ///
  /// - Parameter configuration: nil: there is no file.
  func note(configuration: String?, instance: String) throws {
    if let configuration { unwritten["configuration"] = .text(configuration) }
    unwritten["instance"] = .text(instance)
    _ = try writeUnwritten()
  }

  /// nil for NULL. A value of another type or out of range is damage.
  private static func integer(_ value: SQLValue, below limit: Int64 = 1 << 62) throws -> Int64? {
    if value.isNull { return nil }
    guard let number = value.int64, (0..<limit).contains(number) else {
      throw DatabaseError(code: SQLITE_CORRUPT, message: "a number is damaged")
    }
    return number
  }

  static func counters(_ database: SQLConnection) throws -> [String: UInt32] {
    var counters: [String: UInt32] = [:]
    for row in try database.rows("SELECT key, counter FROM counter") {
      guard let key = row["key"].string, let counter = row["counter"].int64.flatMap(UInt32.init(exactly:))
      else { continue }
      counters[key] = counter
    }
    return counters
  }

  /// The start of the names of phones' records in `meta`.
  private static let record = "record/"

  private static func records(_ database: SQLConnection) throws -> [String: [UInt8]] {
    var records: [String: [UInt8]] = [:]
    for row in try database.rows("SELECT name, value FROM meta WHERE name LIKE '\(record)%'") {
      guard let name = row["name"].string, let packed = row["value"].bytes else { continue }
      var reader = try? PackedReader(sealed: packed)
      // A damaged one is empty, and so it is forgotten.
      records[String(name.dropFirst(record.count))] = (try? reader?.octets()) ?? []
    }
    return records
  }

  /// Writes a batch. When this returns, all of it is on disk, or nothing.
  package func commit(_ batch: Batch) throws {
    // If the file was deleted, everything written to it would be lost with this run.
    guard FileIdentity(path: path) == identity else { throw OutboxRemoved() }
    do {
      try database.write { database in
        try writeUnwritten(database)
        // Deletions come first, because they make room.
        for row in batch.acknowledged {
          try database.execute("DELETE FROM waiting WHERE id = ?", .integer(row))
        }
        for message in batch.handedOver + batch.transitions { try message.insert(into: database) }
        try beacons.write(batch.beacons, database)
        for (key, counter) in batch.counters {
          try database.execute(
            "INSERT OR REPLACE INTO counter (key, counter) VALUES (?, ?)", .text(key),
            .integer(Int64(counter)))
        }
        if batch.epoch > epoch { try Self.set("epoch", .integer(Int64(clamping: batch.epoch)), database) }
        if let gains = batch.gains {
          try Self.set("gains", .blob(ReceiverGainRow(gains: gains).packed), database)
        }
        for (phone, record) in batch.records {
          guard let record else {
            try database.execute("DELETE FROM meta WHERE name = ?", .text(Self.record + phone))
            continue
          }
          var writer = PackedWriter()
          writer.write(record)
          try Self.set(Self.record + phone, .blob(writer.sealed), database)
        }
      }
    } catch {
      beacons.revert()
      if OutboxFile.isFull(error, database, largest: largest) { throw OutboxFull() }
      throw error
    }
    settle()
    epoch = max(epoch, batch.epoch)
    removed += batch.acknowledged.count
  }

  /// A page of waiting transitions.
  package struct Page {
    package var rows: [WaitingMessage] = []
    /// Rows that cannot be read.
    package var damaged: [Int64] = []
    /// Whether there are no more.
    package var isLast: Bool
  }

  /// The transitions after a row, in the order in which they were decided.
  package func waiting(after row: Int64, limit: Int) throws -> Page {
    try database.use { database in
      let rows = try database.rows(
        "SELECT * FROM waiting WHERE id > ? ORDER BY id LIMIT ?", .integer(row), .integer(Int64(limit)))
      var page = Page(isLast: rows.count < limit)
      for row in rows {
        guard let id = row["id"].int64 else { continue }
        if let message = WaitingMessage(row) {
          page.rows.append(message)
        } else {
          page.damaged.append(id)
        }
      }
      return page
    }
  }

  /// After this many deletions it is worth checking whether space can be released.
  private static let removedLimit = 1000

  package var hasRoomToGiveBack: Bool { removed >= Self.removedLimit }

  /// Releases free space in the file to the disk, a part at a time: after a long time without the broker there is much of it.
  package func giveRoomBack() throws {
    guard hasRoomToGiveBack else { return }
    if try OutboxFile.giveRoomBack(database) { removed = 0 }
  }

  package func close() { try? database.close() }

  private static func set(_ name: String, _ value: SQLValue, _ database: SQLConnection) throws {
    try database.execute("INSERT OR REPLACE INTO meta (name, value) VALUES (?, ?)", .text(name), value)
  }
}

/// The file was deleted or replaced while it was open.
struct OutboxRemoved: Error {}

/// The file has reached its limit: too many transitions wait for the broker.
package struct OutboxFull: Error {}

/// Identifies the file at a path.
struct FileIdentity: Equatable {
  var device: UInt64
  var inode: UInt64

  /// nil if there is none.
  init?(path: String) {
    var status = stat()
    guard stat(path, &status) == 0 else { return nil }
    device = UInt64(status.st_dev)
    inode = UInt64(status.st_ino)
  }
}

/// The gains of rooms' receivers, as a value in the outbox.
struct ReceiverGainRow {
  /// dB, by receiver.
  var gains: [String: Double]

  init(gains: [String: Double]) { self.gains = gains }

  init(packed octets: [UInt8]) throws(PackedReader.Damaged) {
    var reader = try PackedReader(sealed: octets)
    gains = [:]
    while !reader.isAtEnd { gains[try reader.text()] = try reader.finite() }
  }

  var packed: [UInt8] {
    var writer = PackedWriter()
    for (receiver, gain) in gains.sorted(by: { $0.key < $1.key }) {
      writer.write(receiver)
      writer.write(gain)
    }
    return writer.sealed
  }
}
