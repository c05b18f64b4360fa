import CSQLite
import Foundation
import Synchronization
import Testing

@testable import Outbox

/// Copies of a file that another connection keeps for itself, as a gateway does with its outbox.
@Suite struct StoreCopyTests {
  /// Writes two rows that must agree, again and again, and moves the log into the file every now and then.
  private final class Writer: Sendable {
    let written = Mutex(Int64(0))
    private let isStopped = Mutex(false)
    private let hasEnded = DispatchSemaphore(value: 0)

    init(path: String) {
      Thread.detachNewThread { [self] in
        do {
          let database = try Database(
            path: path,
            setUp: """
              PRAGMA locking_mode = EXCLUSIVE; PRAGMA page_size = 512; PRAGMA journal_mode = WAL;
              PRAGMA synchronous = OFF; PRAGMA wal_autocheckpoint = 300;
              CREATE TABLE pair(side INTEGER PRIMARY KEY, number INTEGER, filler BLOB);
              INSERT INTO pair VALUES (1, 0, zeroblob(3000)), (2, 0, zeroblob(3000));
              """)
          var number: Int64 = 0
          while !isStopped.withLock({ $0 }) {
            number += 1
            try database.write { connection in
              for side: Int64 in 1...2 {
                try connection.execute(
                  "UPDATE pair SET number = ?, filler = randomblob(3000) WHERE side = ?", .integer(number),
                  .integer(side))
              }
            }
            written.withLock { $0 = number }
            usleep(3000)
          }
          try database.close()
        } catch { Issue.record("\(error)") }
        hasEnded.signal()
      }
    }

    func stop() {
      isStopped.withLock { $0 = true }
      hasEnded.wait()
    }
  }

  @Test func `a copy has all that was written before it, and no transaction by halves`() throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("copies-\(UUID())")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let (path, copy) = (folder.path + "/store", folder.path + "/copy")
    let writer = Writer(path: path)
    defer { writer.stop() }
    while writer.written.withLock({ $0 }) < 5 { usleep(1000) }
    for _ in 0..<15 {
      let before = writer.written.withLock { $0 }
      try StoreCopy.make(of: path, at: copy)
      let database = try Database(path: copy)
      let numbers = try database.use { connection in
        try connection.rows("SELECT number FROM pair ORDER BY side").map { $0.values[0].int64 }
      }
      try database.close()
      #expect(numbers.count == 2 && numbers[0] == numbers[1], "\(numbers)")
      #expect(try #require(numbers[0]) >= before)
    }
    // It went on meanwhile.
    #expect(writer.written.withLock { $0 } > 10)
  }
}
