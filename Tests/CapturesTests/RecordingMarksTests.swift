import Beacons
import Captures
import Core
import TestSupport
import Testing

/// The file that says where a beacon was during a recording.
@Suite struct RecordingMarksTests {
  private func marks(_ text: String) throws(RecordingMarks.Fault) -> [RecordingMarks.Mark] {
    try RecordingMarks(Array(text.utf8)).marks
  }

  private func fault(_ text: String) -> RecordingMarks.Fault? {
    do throws(RecordingMarks.Fault) {
      _ = try marks(text)
      return nil
    } catch {
      return error
    }
  }

  @Test func roomsFollowEachOther() throws {
    let marks = try marks("time,room\r\n0,kitchen\r\n\r\n45.5, hall \r\n90,\r\n")
    #expect(marks.map(\.room) == ["kitchen", "hall", nil])
    #expect(
      marks.map(\.time) == [
        .sinceStart(.zero), .sinceStart(.seconds(45.5)), .sinceStart(.seconds(90)),
      ])
    #expect(marks.map(\.line) == [2, 4, 5])
  }

  @Test func pointsMayBeLeftOut() throws {
    let marks = try marks("Time,Room,X,Y\n1,hall,-1.5,2\n2,hall,,\n3,bath\n")
    #expect(marks[0].point?.x == -1.5 && marks[0].point?.y == 2)
    #expect(marks[1].point == nil && marks[2].point == nil)
  }

  @Test func theMagnitudeOfATimeTellsItsOrigin() throws {
    let marks = try marks("time,room\n1627997452.25,hall\n2021-08-03T13:30:53Z,bath\n")
    #expect(marks[0].time == .calendar(WallTime(nanoseconds: 1_627_997_452_250_000_000)))
    #expect(marks[1].time == .calendar(WallTime(nanoseconds: 1_627_997_453_000_000_000)))
  }

  @Test func namesWithCommasAreQuoted() throws {
    #expect(
      try marks("\u{FEFF}time,room\n1,\"hall, upper \"\"east\"\"\"\n")[0].room == "hall, upper \"east\"")
  }

  @Test(arguments: [
    ("", 1), ("time,room\n", 2), ("kitchen,0\n", 1), ("time,room\n0,a\n0,b\n", 3),
    ("time,room\n5,a\n4,b\n", 3),
    ("time,room\nnan,a\n", 2), ("time,room\n-1,a\n", 2), ("time,room\n1e3,a\n", 2),
    ("time,room\n1,a,2,3\n", 2),
    ("time,room,x,y\n1,a,2\n", 2), ("time,room,x,y\n1,a,2,north\n", 2), ("time,room\n1,a\n1627997452,b\n", 3),
    ("time,room\n2021-02-29T00:00:00Z,a\n", 2), ("time,room\n\(String(repeating: "9", count: 2000)),a\n", 2),
  ])
  func whatIsWrongIsToldWithItsLineAndARemedy(_ text: String, _ line: Int) throws {
    let fault = try #require(self.fault(text))
    #expect(fault.line == line, "\(fault)")
    #expect(!fault.message.isEmpty && !fault.remedy.isEmpty)
  }

  @Test func anyBytesAreReadOrRefused() {
    var chance = SeededGenerator(seed: 7)
    var (read, refused) = (0, 0)
    let seed = Array("time,room,x,y\n1627997452.25,hall,1,2\n1627997453,\"a,b\",,\n".utf8)
    for _ in 0..<2000 {
      var bytes = seed
      for _ in 0..<Int.random(in: 1...6, using: &chance) {
        bytes[Int.random(in: 0..<bytes.count, using: &chance)] = UInt8.random(in: 0...255, using: &chance)
      }
      if (try? RecordingMarks(bytes)) != nil { read += 1 } else { refused += 1 }
    }
    #expect(read > 10 && refused > 10, "\(read) were read, \(refused) refused")
  }
}
