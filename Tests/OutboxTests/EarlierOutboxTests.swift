import Scenes
import Beacons
import Foundation
import Messages
import Proximity
import Testing

@testable import Outbox
@testable import Pipeline

/// The outbox of an earlier version, as the tables of that version: nothing of it is lost.
@Suite struct EarlierOutboxTests {
  private let folder = FileManager.default.temporaryDirectory.appendingPathComponent(
    "earlier-\(UUID().uuidString)")
  private var file: URL { folder.appendingPathComponent("yard.sqlite") }
  private let start = WallTime(nanoseconds: 1_795_211_400_000_000_000)

  private func open() throws -> OpenOutbox {
    try OpenOutbox(gateway: "yard", directory: StateDirectory(configured: folder.path), wallTime: start)
  }

  /// - Parameter beacon: as JSON.
  private func make(waiting: Int, beacon: String, withCounters: Bool) throws {
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let earlier = try Database(path: file.path)
    try earlier.use { database in
      try database.execute(
        script: """
          PRAGMA journal_mode = WAL;
          CREATE TABLE grdb_migrations (identifier TEXT NOT NULL PRIMARY KEY);
          INSERT INTO grdb_migrations VALUES ('1');
          CREATE TABLE meta (name TEXT PRIMARY KEY, value) WITHOUT ROWID;
          INSERT INTO meta VALUES ('epoch', 1763000000000), ('boot', 'another'), ('seq', 90);
          CREATE TABLE waiting (
            id INTEGER PRIMARY KEY AUTOINCREMENT, epoch INTEGER NOT NULL, seq INTEGER NOT NULL,
            event TEXT NOT NULL, time_ns INTEGER NOT NULL, monotonic_ns INTEGER NOT NULL, gateway TEXT NOT NULL,
            zone TEXT NOT NULL, beacon TEXT NOT NULL, receiver TEXT NOT NULL, distance_m REAL, distance_sd_m REAL,
            rssi_dbm REAL, threshold REAL NOT NULL, value REAL NOT NULL, unit TEXT NOT NULL, samples INTEGER NOT NULL,
            dwell_ns INTEGER NOT NULL);
          CREATE TABLE beacon (key TEXT PRIMARY KEY, state BLOB NOT NULL) WITHOUT ROWID;
          """)
      for place in 1...waiting {
        try database.execute(
          """
          INSERT INTO waiting (epoch, seq, event, time_ns, monotonic_ns, gateway, zone, beacon, receiver, distance_m,
            distance_sd_m, rssi_dbm, threshold, value, unit, samples, dwell_ns)
          VALUES (1763000000000, ?, 'exit', 1795211400123000000, 77, 'yard', 'pump 3', 'van', 'hci0', 1.25, NULL,
            -62.5, 2, 1.376, ?, 85, 2000000000)
          """, .integer(Int64(90 + place)), .text(place == 2 ? "zone_removed" : "m"))
      }
      try database.execute(
        script:
          "UPDATE waiting SET event = 'nonsense' WHERE id = 3; INSERT INTO beacon VALUES ('x', 'no JSON')")
      try database.execute("INSERT INTO beacon VALUES (?, ?)", .text("van"), .blob(Array(beacon.utf8)))
      guard withCounters else { return }
      try database.execute(
        script: """
          INSERT INTO grdb_migrations VALUES ('counters');
          CREATE TABLE counter (key TEXT PRIMARY KEY, counter INTEGER NOT NULL) WITHOUT ROWID;
          INSERT INTO counter VALUES ('van', 4136)
          """)
    }
    try earlier.close()
  }

  private func savedBeacon() throws -> SavedBeacon {
    var scene = try Scene()
    try scene.hear(rssi: -50, for: 20)
    return try #require(scene.pipeline.savedBeacons(at: scene.time, wallTime: scene.wallTime).first)
  }

  @Test(arguments: [(5, true), (5, false), (12_000, true)]) func isTakenOver(waiting: Int, withCounters: Bool)
    throws
  {
    defer { try? FileManager.default.removeItem(at: folder) }
    let beacon = try savedBeacon()
    try make(
      waiting: waiting, beacon: String(decoding: try JSONEncoder().encode(beacon), as: UTF8.self),
      withCounters: withCounters)
    // A run that was killed while it took over left this.
    try Data("half of it".utf8).write(to: URL(fileURLWithPath: file.path + ".new"))

    let outbox = try open()
    let remains = try #require(outbox.remains)
    #expect(outbox.notices.allSatisfy { $0.contains("chmod 700") }, "\(outbox.notices)")
    // One is damaged.
    #expect(remains.waiting == waiting - 1)
    #expect(remains.epoch > 1_763_000_000_000)
    #expect(!remains.isSameBoot)
    #expect(remains.counters == (withCounters ? ["van": 4136] : [:]))
    #expect(remains.beacons.map(\.key) == [beacon.key])
    #expect(remains.beacons.first?.state == beacon.state)
    let rows = try #require(outbox.store).waiting(after: 0, limit: 3).rows.map(\.transition)
    #expect(rows.map(\.sequence) == [91, 92, 94])
    #expect(rows.map(\.epoch) == [1_763_000_000_000, 1_763_000_000_000, 1_763_000_000_000])
    #expect(rows.map(\.reason) == [nil, .zoneRemoved, nil])
    #expect(
      rows.first.map { String(decoding: $0.json, as: UTF8.self) }?.contains(
        #""zone":"pump 3","beacon":"van","distance_m":1.25,"distance_sd_m":null,"rssi_dbm":-62.5"#) == true)
    outbox.store?.close()
    let files = try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
    #expect(files == ["yard.sqlite", "yard.sqlite.mark"])
    #expect(try open().remains?.waiting == waiting - 1)
  }
}
