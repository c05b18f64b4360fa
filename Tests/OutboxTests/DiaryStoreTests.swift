import Beacons
import CSQLite
import Contract
import Core
import Foundation
import Proximity
import Testing

@testable import Outbox

/// What happened, on disk.
@Suite struct DiaryStoreTests {
  private let path = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID()).diary").path
  private static let start = WallTime(nanoseconds: 1_795_211_400_000_000_000)

  private func remove() {
    for ending in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: path + ending) }
  }

  @Test func aFolderThatCannotBeMadeIsNotCalledADamagedFile() {
    do {
      _ = try DiaryStore.open(gateway: "g", directory: StateDirectory(configured: "/proc/nothing"))
      Issue.record("it was made")
    } catch { #expect(words(error) == "No such file or directory") }
  }

  @Test func `diary and observations of a newer version stay as they are, and the words say so`() throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("newer-\(UUID())").path
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let directory = StateDirectory(configured: folder)
    let stores: [(String, () throws -> Void)] = [
      (directory.diary(gateway: "g"), { _ = try DiaryStore.open(gateway: "g", directory: directory) }),
      (
        directory.observations(gateway: "g"),
        { try ObservationStore.open(gateway: "g", directory: directory).store.close() }
      ),
    ]
    for (path, open) in stores {
      try open()
      try Database(path: path, setUp: "PRAGMA user_version = 2").close()
      do {
        try open()
        Issue.record("\(path) was opened")
      } catch { #expect(words(error).contains("newer Beaconkeeper"), "\(path): \(words(error))") }
      #expect(access(path, F_OK) == 0 && access(path + ".damaged", F_OK) != 0, "\(path)")
    }
  }

  private func entry(_ number: Int, thing: String = "key", _ kind: DiaryEntry.Kind = .receiver) -> DiaryEntry
  {
    DiaryEntry(
      time: Self.start + .seconds(Double(number)), kind: kind, thing: thing, place: "hall", word: "\(number)",
      detail: "because of \(number)")
  }

  @Test func `a diary that is gone takes nothing more, and says so`() throws {
    defer { remove() }
    let store = try DiaryStore(path: path)
    try store.add([entry(1)])
    remove()
    #expect(throws: DiaryRemoved.self) { try store.add([entry(2)]) }
    // Another one lies there.
    let other = try DiaryStore(path: path)
    #expect(throws: DiaryRemoved.self) { try store.add([entry(3)]) }
    try other.add([entry(4)])
    other.close()
    store.close()
  }

  @Test func `a clock that is set corrects what this run wrote, and nothing of earlier runs`() throws {
    defer { remove() }
    let earlier = try DiaryStore(path: path)
    // A power cut set the clock back to before this entry.
    try earlier.add([entry(50)])
    earlier.close()
    let store = try DiaryStore(path: path)
    try store.add([entry(0), entry(40), entry(200)])
    let offset = Self.start - WallTime(nanoseconds: 0)
    try store.correct(ClockStep(.seconds(1000), from: offset, wrong: .zero...(.zero + .seconds(100))))
    try store.correct(ClockStep(.seconds(5), from: offset, wrong: nil))
    let times = try store.entries(DiaryQuery(), limit: 10).map { Int(($0.time - Self.start).seconds) }
    #expect(times == [200, 1040, 1000, 50])
    store.close()
  }

  private func transition() -> TransitionMessage {
    TransitionMessage(
      .room(
        RoomTransition(
          event: .enter, room: RoomIndex(rawValue: -1), beacon: BeaconIndex(rawValue: -1),
          time: MonotonicTime(nanoseconds: 5), wallTime: Self.start, probability: 0.87,
          evidence: [
            RoomEvidence(receiver: ReceiverIndex(rawValue: 0), rssi: -58.5, expected: -60, samples: 12)
          ], receiver: ReceiverIndex(rawValue: 0), reason: nil)), epoch: 7, sequence: 9, gateway: "flat",
      place: "kitchen", beacon: "key", receiver: "esp", witnesses: ["esp"])
  }

  @Test func `a transition comes back with its evidence and its number`() throws {
    defer { remove() }
    let store = try DiaryStore(path: path)
    try store.add([DiaryEntry(transition()), entry(1)])
    store.close()
    let entries = try DiaryStore(path: path).entries(DiaryQuery(), limit: 10)
    #expect(entries.map(\.kind) == [.receiver, .room])
    #expect(entries[0].detail == "because of 1" && entries[0].transition == nil)
    #expect(entries[1].transition?.json == transition().json)
    #expect(entries[1].thing == "key" && entries[1].place == "kitchen" && entries[1].word == "enter")
  }

  @Test func `entries are found by time, thing, place and kind, a page at a time`() throws {
    defer { remove() }
    let store = try DiaryStore(path: path)
    try store.add(
      (0..<100).map { entry($0, thing: $0 % 2 == 0 ? "key" : "van", $0 % 10 == 0 ? .verdict : .event) })
    func words(_ limit: Int = 200, _ change: (inout DiaryQuery) -> Void) throws -> [String] {
      var query = DiaryQuery()
      change(&query)
      let found = try store.entries(query, limit: limit)
      #expect(found.allSatisfy { query.matches($0) })
      return found.map(\.word)
    }
    #expect(try words { $0.since = Self.start + .seconds(97) } == ["99", "98", "97"])
    #expect(try words { $0.until = Self.start + .seconds(2) } == ["1", "0"])
    #expect(try words { $0.thing = "van" }.count == 50)
    #expect(try words { $0.place = "attic" } == [])
    #expect(try words { $0.kinds = [.verdict, .gateway] }.count == 10)
    #expect(try words(2) { $0.before = 51 } == ["49", "48"])
    var all: [String] = []
    try store.forEach(DiaryQuery()) { all.append($0.word) }
    #expect(all == (0..<100).map { "\($0)" })
  }

  @Test func `what is forgotten is gone from the file, and from what is written later`() throws {
    defer { remove() }
    let store = try DiaryStore(path: path)
    try store.add((0..<200).map { entry($0, thing: $0 % 2 == 0 ? "anna's secret key" : "van") })
    // Another process does it.
    let other = try DiaryStore(path: path)
    #expect(try other.forget("anna's secret key", at: Self.start + .seconds(1000)) == 100)
    other.close()
    try store.add([entry(300, thing: "anna's secret key"), entry(301, thing: "van")])
    try store.add([entry(1001, thing: "anna's secret key")])
    #expect(try store.entries(DiaryQuery(), limit: 500).count { $0.thing == "van" } == 101)
    let forgotten = try store.forgotten()
    #expect(forgotten.until.keys.sorted() == ["anna's secret key"])
    try store.clear(forgotten)
    #expect(try store.forgotten().until.isEmpty)
    try #require(try store.forget("anna's secret key", at: Self.start + .seconds(2000)) == 1)
    try store.clear(try store.forgotten())
    store.close()
    let file = try Data(contentsOf: URL(fileURLWithPath: path))
    #expect(file.range(of: Data("anna".utf8)) == nil, "not one octet stays")
  }

  @Test func `only whole names are forgotten`() throws {
    defer { remove() }
    let store = try DiaryStore(path: path)
    try store.add([entry(1, thing: "anna"), entry(2, thing: "hanna"), entry(3, thing: "", .gateway)])
    #expect(try store.forget("because", at: Self.start + .seconds(9)) == 0)
    #expect(try store.forget("anna", at: Self.start + .seconds(9)) == 1)
    #expect(try store.entries(DiaryQuery(), limit: 9).map(\.word) == ["3", "2"])
  }

  @Test func `the file keeps its size, and loses the oldest first`() throws {
    defer { remove() }
    let store = try DiaryStore(path: path)
    for round in 0..<100 {
      try store.add((0..<200).map { entry(round * 200 + $0) })
      try store.trim(before: Self.start - .seconds(1), size: 1_000_000)
    }
    var words: [Int] = []
    try store.forEach(DiaryQuery()) { words.append(Int($0.word) ?? -1) }
    #expect(words.last == 19_999)
    #expect(words == Array((words.first ?? 0)...19_999), "without gaps")
    #expect((3_000..<19_000).contains(words.count), "\(words.count)")
    store.close()
    let size = try FileManager.default.attributesOfItem(atPath: path)[.size] as? Int ?? 0
    #expect(size < 1_200_000, "\(size)")
  }

  @Test func `a clock that is wrong for a while does not empty it`() throws {
    defer { remove() }
    let store = try DiaryStore(path: path)
    try store.add((0..<10_000).map { entry($0) })
    try store.trim(before: Self.start + .seconds(1e9), size: 50_000_000)
    #expect(try store.entries(DiaryQuery(), limit: 20_000).count > 9_400)
    for _ in 0..<400 { try store.trim(before: Self.start + .seconds(1e9), size: 50_000_000) }
    #expect(try store.entries(DiaryQuery(), limit: 20_000).isEmpty, "what is old goes in the end")
  }

  @Test func `damaged rows are passed over, and a damaged file is set aside`() throws {
    defer { remove() }
    let store = try DiaryStore(path: path)
    try store.add([DiaryEntry(transition()), entry(1)])
    store.close()
    let database = try Database(path: path)
    try database.write {
      try $0.execute(
        script: """
          UPDATE entry SET detail = x'0102' WHERE id = 1; INSERT INTO entry (time, kind, thing, place, word)
          VALUES ('never', 7, x'00', 1.5, 'enter'), (1, 'dream', 'a', 'b', 'c');
          """)
    }
    try database.close()
    let entries = try DiaryStore(path: path).entries(DiaryQuery(), limit: 10)
    #expect(entries.map(\.word) == ["1", "enter"])
    #expect(entries.last?.transition == nil)

    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID())")
    defer { try? FileManager.default.removeItem(at: folder) }
    let directory = StateDirectory(configured: folder.path)
    try DiaryStore.open(gateway: "flat", directory: directory).store.close()
    try Data(repeating: 0x5A, count: 9_000).write(to: URL(fileURLWithPath: directory.diary(gateway: "flat")))
    let opened = try DiaryStore.open(gateway: "flat", directory: directory)
    #expect(opened.notice?.contains("set aside") == true)
    try opened.store.add([entry(1)])
    #expect(try opened.store.entries(DiaryQuery(), limit: 10).count == 1)
  }
}
