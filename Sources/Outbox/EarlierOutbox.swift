import Pipeline
import Beacons
import Foundation
import Glibc
import GRDB
import Messages
import Proximity

/// The outbox as versions before the second layout kept it: a column for each part of a transition, beacons as JSON.
///
/// All that it holds is written into a file of today beside it, which then takes its place: after a crash one of the two is
/// there, whole.
enum EarlierOutbox {
  /// Rows that are carried over in one transaction.
  private static let portion = 5_000

  /// Does nothing where there is none.
  static func takeOver(_ path: String) throws {
    let earlier = try OutboxFile.open(path)
    guard try isEarlier(earlier) else { return try earlier.close() }
    let verdict = try earlier.read { try String.fetchOne($0, sql: "PRAGMA quick_check(1)") }
    guard verdict == "ok" else { throw DatabaseError(resultCode: .SQLITE_CORRUPT, message: verdict) }
    let new = path + ".new"
    try remove(new)
    try OutboxFile.prepare(new)
    let store = try OutboxStore(prepared: new)
    try copy(earlier, to: store)
    try store.database.close()
    try earlier.close()
    // A log that is left would be taken for one of the new file.
    for log in [path + "-wal", new + "-wal"] where try size(log) > 0 {
      throw DatabaseError(resultCode: .SQLITE_IOERR, message: "\(log) cannot be moved into its file")
    }
    guard rename(new, path) == 0 else {
      throw PrivateFileError(path: new, reason: systemWords(errno))
    }
    synchronizeFolder(of: path)
  }

  private static func isEarlier(_ earlier: DatabaseQueue) throws -> Bool {
    try earlier.read { database in
      try Int.fetchOne(database, sql: "PRAGMA user_version") == 0 && database.tableExists("grdb_migrations")
    }
  }

  private static func copy(_ earlier: DatabaseQueue, to store: OutboxStore) throws {
    let meta = try earlier.read { try Row.fetchAll($0, sql: "SELECT name, value FROM meta") }
    try store.database.write { database in
      for row in meta {
        let columns: [any DatabaseValueConvertible] = [
          row["name"] as DatabaseValue, row["value"] as DatabaseValue,
        ]
        try database.execute(
          sql: "INSERT INTO meta (name, value) VALUES (?, ?)", arguments: StatementArguments(columns))
      }
    }
    var batch = OutboxStore.Batch()
    let decoder = JSONDecoder()
    decoder.nonConformingFloatDecodingStrategy = .convertFromString(
      positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
    try earlier.read { database in
      for state in try DatabaseValue.fetchAll(database, sql: "SELECT state FROM beacon") {
        guard let data = Data.fromDatabaseValue(state),
          let beacon = try? decoder.decode(SavedBeacon.self, from: data)
        else { continue }
        batch.beacons[beacon.key] = .some(beacon)
      }
      if try database.tableExists("counter") { batch.counters = try OutboxStore.counters(database) }
    }
    _ = try store.commit(batch)
    var last: Int64 = 0
    while true {
      let rows = try earlier.read { [last] database in
        try Row.fetchAll(
          database, sql: "SELECT * FROM waiting WHERE id > ? ORDER BY id LIMIT ?", arguments: [last, portion])
      }
      var batch = OutboxStore.Batch()
      for row in rows {
        last = max(last, Int64.fromDatabaseValue(row["id"]) ?? .max)
        if let transition = TransitionMessage(earlier: row) { batch.transitions.append(transition) }
      }
      _ = try store.commit(batch)
      if rows.count < portion || last == .max { return }
    }
  }

  private static func remove(_ path: String) throws {
    for ending in ["", "-wal", "-shm", "-journal"] where unlink(path + ending) != 0 && errno != ENOENT {
      throw PrivateFileError(path: path + ending, reason: systemWords(errno))
    }
  }

  private static func size(_ path: String) throws -> Int64 {
    var status = stat()
    return lstat(path, &status) == 0 ? Int64(status.st_size) : 0
  }

  private static func synchronizeFolder(of path: String) {
    let folder = Glibc.open((path as NSString).deletingLastPathComponent, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard folder >= 0 else { return }
    fsync(folder)
    close(folder)
  }
}

extension TransitionMessage {
  /// nil for a row that is damaged: no column is trusted to have its type.
  fileprivate init?(earlier row: Row) {
    func value<Value: DatabaseValueConvertible>(_ column: String) -> Value? {
      Value.fromDatabaseValue(row[column])
    }
    /// Absent is fine, anything but a number is not.
    func optional(_ column: String) -> Double?? {
      let stored: DatabaseValue = row[column]
      return stored.isNull ? .some(nil) : Double.fromDatabaseValue(stored).map { .some($0) }
    }
    guard let event = (value("event") as String?).flatMap(Transition.Event.init(rawValue:)),
      let unit = value("unit") as String?,
      let (unit, reason) = Evidence.Unit(rawValue: unit).map({ ($0, nil) })
        ?? Evidence.Reason(rawValue: unit).map({ (.seconds, $0) }),
      let time: Int64 = value("monotonic_ns"), let wallTime: Int64 = value("time_ns"),
      let distance = optional("distance_m"), let deviation = optional("distance_sd_m"),
      let rssi = optional("rssi_dbm"), let threshold: Double = value("threshold"),
      let measured: Double = value("value"), let samples: Int = value("samples"),
      let dwell: Int64 = value("dwell_ns"), let epoch: Int64 = value("epoch"),
      let sequence: Int64 = value("seq"),
      let gateway: String = value("gateway"), let zone: String = value("zone"),
      let beacon: String = value("beacon"), let receiver: String = value("receiver")
    else { return nil }
    self.init(
      transition: Transition(
        event: event, zone: ZoneIndex(rawValue: -1), beacon: BeaconIndex(rawValue: -1),
        time: MonotonicTime(nanoseconds: time), wallTime: WallTime(nanoseconds: wallTime), distance: distance,
        distanceDeviation: deviation, rssi: rssi,
        evidence: Evidence(
          threshold: threshold, value: measured, unit: unit, samples: samples,
          dwell: TimeSpan(nanoseconds: dwell), receiver: ReceiverIndex(rawValue: 0), reason: reason)),
      epoch: UInt64(clamping: epoch), sequence: UInt64(clamping: sequence), gateway: gateway, zone: zone,
      beacon: beacon, receiver: receiver)
  }
}
