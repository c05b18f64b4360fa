import CSQLite
import Testing

@testable import Outbox

@Suite struct DatabaseTests {
  private let database: Database

  init() throws {
    database = try Database(path: ":memory:", setUp: "CREATE TABLE t (id INTEGER PRIMARY KEY, v)")
  }

  private func count() throws -> Int64? { try database.use { try $0.value("SELECT count(*) FROM t").int64 } }

  @Test func everyKindComesBackAsItWas() throws {
    let rows = try database.use { connection in
      let values: [SQLValue] = [
        .null, .integer(.min), .real(0.25), .text("Zürich\0x"), .text(""), .blob([0, 255]), .blob([]),
      ]
      for value in values { try connection.execute("INSERT INTO t (v) VALUES (?)", value) }
      return try connection.rows("SELECT v FROM t ORDER BY id")
    }
    let read = rows.map { $0["v"] }
    #expect(read.map(\.isNull) == [true, false, false, false, false, false, false])
    #expect(read.map(\.int64) == [nil, .min, nil, nil, nil, nil, nil])
    #expect(read[2].double == 0.25)
    #expect(read.map(\.string) == [nil, nil, nil, "Zürich\0x", "", nil, nil])
    #expect(read[5].bytes == [0, 255])
    #expect(read[6].bytes == [])
    #expect(rows[0]["no such column"].isNull)
  }

  @Test func aThrowingTransactionIsRolledBack() throws {
    struct Second: Error {}
    #expect(throws: Second.self) {
      try database.write { connection in
        try connection.execute("INSERT INTO t (v) VALUES (1)")
        throw Second()
      }
    }
    #expect(try count() == 0)
    try database.write { try $0.execute("INSERT INTO t (v) VALUES (1)") }
    #expect(try count() == 1)
  }

  @Test func faultsComeInSQLitesOwnWords() throws {
    let missing = #expect(throws: DatabaseError.self) {
      try database.write { try $0.execute("INSERT INTO missing (v) VALUES (1)") }
    }
    #expect(missing?.code == SQLITE_ERROR)
    #expect(missing?.message == "no such table: missing")
    try database.use { try $0.execute("INSERT INTO t (id) VALUES (7)") }
    let twin = #expect(throws: DatabaseError.self) {
      try database.use { try $0.execute("INSERT INTO t (id) VALUES (?)", .integer(7)) }
    }
    #expect(twin?.code == SQLITE_CONSTRAINT)
    #expect(try count() == 1)
  }

  @Test func nothingIsDoneOnceItIsClosed() throws {
    try database.close()
    #expect(throws: DatabaseError.self) { try database.use { try $0.execute("SELECT 1") } }
  }
}
