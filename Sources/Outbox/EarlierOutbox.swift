import CSQLite
import Pipeline
import Beacons
import FoundationEssentials
import Glibc
import Messages
import Proximity

/// The outbox in its first layout: one column per field of a transition, and beacons as JSON.
///
/// Its contents are written to a new file beside it, which then replaces it. After a crash one of the two is there,
/// complete.
enum EarlierOutbox {
  /// How many rows are carried over in one transaction.
  private static let portion: Int64 = 5_000

  /// Does nothing if there is no such outbox.
  static func takeOver(_ path: String) throws {
    let earlier = try OutboxFile.open(path)
    guard try isEarlier(earlier) else { return try earlier.close() }
    let verdict = try earlier.use { try $0.value("PRAGMA quick_check(1)").string }
    guard verdict == "ok" else { throw DatabaseError(code: SQLITE_CORRUPT, message: verdict) }
    let new = path + ".new"
    try remove(new)
    try OutboxFile.prepare(new)
    let store = try OutboxStore(prepared: new)
    try copy(earlier, to: store)
    try store.database.close()
    try earlier.close()
    // A leftover log would be mistaken for the new file's.
    for log in [path + "-wal", new + "-wal"] where try size(log) > 0 {
      throw DatabaseError(code: SQLITE_IOERR, message: "\(log) cannot be moved into its file")
    }
    guard rename(new, path) == 0 else {
      throw PrivateFileError(path: new, reason: systemWords(errno))
    }
    synchronizeFolder(of: path)
  }

  private static func isEarlier(_ earlier: Database) throws -> Bool {
    try earlier.use { database in
      try database.value("PRAGMA user_version").int64 == 0 && database.hasTable("grdb_migrations")
    }
  }

  private static func copy(_ earlier: Database, to store: OutboxStore) throws {
    let meta = try earlier.use { try $0.rows("SELECT name, value FROM meta") }
    try store.database.write { database in
      for row in meta {
        try database.execute("INSERT INTO meta (name, value) VALUES (?, ?)", row["name"], row["value"])
      }
    }
    var batch = OutboxStore.Batch()
    let decoder = JSONDecoder()
    decoder.nonConformingFloatDecodingStrategy = .convertFromString(
      positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
    try earlier.use { database in
      for row in try database.rows("SELECT state FROM beacon") {
        guard let state = row["state"].bytes,
          let beacon = try? decoder.decode(SavedBeacon.self, from: Data(state))
        else { continue }
        batch.beacons[beacon.key] = .some(beacon)
      }
      if try database.hasTable("counter") { batch.counters = try OutboxStore.counters(database) }
    }
    _ = try store.commit(batch)
    var last: Int64 = 0
    while true {
      let rows = try earlier.use { [last] database in
        try database.rows(
          "SELECT * FROM waiting WHERE id > ? ORDER BY id LIMIT ?", .integer(last), .integer(portion))
      }
      var batch = OutboxStore.Batch()
      for row in rows {
        last = max(last, row["id"].int64 ?? .max)
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
    let folder = Glibc.open(
      URL(fileURLWithPath: path).deletingLastPathComponent().path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard folder >= 0 else { return }
    fsync(folder)
    close(folder)
  }
}

extension TransitionMessage {
  /// nil for a damaged row. A column may hold any type.
  fileprivate init?(earlier row: SQLRow) {
    /// NULL is valid; anything else but a number is not.
    func optional(_ column: String) -> Double?? {
      row[column].isNull ? .some(nil) : row[column].double.map { .some($0) }
    }
    guard let event = row["event"].string.flatMap(Transition.Event.init(rawValue:)),
      let unit = row["unit"].string,
      let (unit, reason) = Evidence.Unit(rawValue: unit).map({ ($0, nil) })
        ?? Evidence.Reason(rawValue: unit).map({ (.seconds, $0) }),
      let time = row["monotonic_ns"].int64, let wallTime = row["time_ns"].int64,
      let distance = optional("distance_m"), let deviation = optional("distance_sd_m"),
      let rssi = optional("rssi_dbm"), let threshold = row["threshold"].double,
      let measured = row["value"].double, let samples = row["samples"].int64,
      let dwell = row["dwell_ns"].int64, let epoch = row["epoch"].int64,
      let sequence = row["seq"].int64,
      let gateway = row["gateway"].string, let zone = row["zone"].string,
      let beacon = row["beacon"].string, let receiver = row["receiver"].string
    else { return nil }
    self.init(
      transition: Transition(
        event: event, zone: ZoneIndex(rawValue: -1), beacon: BeaconIndex(rawValue: -1),
        time: MonotonicTime(nanoseconds: time), wallTime: WallTime(nanoseconds: wallTime), distance: distance,
        distanceDeviation: deviation, rssi: rssi,
        evidence: Evidence(
          threshold: threshold, value: measured, unit: unit, samples: Int(samples),
          dwell: TimeSpan(nanoseconds: dwell), receiver: ReceiverIndex(rawValue: 0), reason: reason)),
      epoch: UInt64(clamping: epoch), sequence: UInt64(clamping: sequence), gateway: gateway, zone: zone,
      beacon: beacon, receiver: receiver)
  }
}
