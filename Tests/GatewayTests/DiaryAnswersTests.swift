import Beacons
import Configuration
import Contract
import Core
import Foundation
import Logging
import Outbox
import Proximity
import Scenes
import Testing
import Web

@testable import Gateway

/// What the API tells of a diary, of which nothing is on disk yet.
@Suite struct DiaryAnswersTests {
  private let folder = FileManager.default.temporaryDirectory.appendingPathComponent("diary-\(UUID())")
  private let start = WallTime(nanoseconds: 1_795_211_400_000_000_000)

  private func diary(_ yaml: String = "gateway: { name: flat }") throws -> Diary {
    try Diary(Scene.configuration(yaml), StateDirectory(configured: folder.path), Logger(label: "test"))
  }

  private func entry(_ minute: Double, _ word: String, thing: String = "key") -> DiaryEntry {
    DiaryEntry(time: start + .seconds(minute * 60), kind: .zone, thing: thing, place: "hall", word: word)
  }

  private func text(_ response: Response) -> String { String(decoding: response.body, as: UTF8.self) }

  @Test func `a visit that went on beyond the asked time has ended nevertheless`() throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let diary = try diary()
    for one in [entry(1, "enter"), entry(9, "exit"), entry(10, "enter")] { diary.note(one) }
    let answers = DiaryAnswers(diary: diary, now: start + .seconds(6000))
    let until = (start + .seconds(300)).rfc3339
    let visits = text(answers.visits(["until": until]))
    #expect(visits.contains(#""seconds":480,"open":false"#) && !visits.contains(#""open":true"#), "\(visits)")
    #expect(text(answers.visits([:])).contains(#""open":true"#))
  }

  /// A diary gathers entries for two minutes, the outbox does not.
  @Test func `what a kill kept from the diary is written at the next start`() async throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let directory = StateDirectory(configured: folder.path)
    let start = WallTime(nanoseconds: Int64(Date.now.timeIntervalSince1970) * 1_000_000_000) - .seconds(600)
    func entry(_ minute: Double, _ thing: String) -> DiaryEntry {
      DiaryEntry(time: start + .seconds(minute * 60), kind: .zone, thing: thing, place: "hall", word: "enter")
    }
    let store = try DiaryStore.open(gateway: "flat", directory: directory).store
    try store.add([entry(1, "key"), entry(2, "bag"), entry(2, "old")])
    store.close()
    let members = ["key", "tag"].map {
      OccupancyMessage.Member(beacon: $0, since: start + .seconds(180), isNear: false)
    }
    let diary = try Diary(
      Scene.configuration("gateway: { name: flat }"), directory,
      present: [OccupancyMessage(zone: "hall", state: "occupied", members: members)], Logger(label: "test"))
    let running = Task { try await diary.run() }
    func lines() -> [String] {
      diary.read { store, pending in
        try (store.entries(DiaryQuery(), limit: 100).reversed() + pending).map { "\($0.word) \($0.thing)" }
      } ?? []
    }
    while !lines().contains("start ") { try await Task.sleep(for: .milliseconds(10)) }
    #expect(
      lines() == ["enter key", "enter bag", "enter old", "exit bag", "exit old", "enter tag", "start "])
    running.cancel()
    _ = try? await running.value
  }

  /// Opening it reads only its beginning and its end.
  @Test func `a file that is damaged within is set aside, and a new one begun`() throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let directory = StateDirectory(configured: folder.path)
    let store = try DiaryStore.open(gateway: "flat", directory: directory).store
    try store.add((0..<2000).map { entry(Double($0), "enter") })
    store.close()
    let file = URL(fileURLWithPath: directory.diary(gateway: "flat"))
    var octets = try Data(contentsOf: file)
    octets.replaceSubrange(8192..<12_288, with: Data(repeating: 0x5A, count: 4096))
    try octets.write(to: file)
    let diary = try diary()
    diary.note(entry(9, "exit"))
    func words() -> [String]? {
      diary.read { store, pending in
        try (store.entries(DiaryQuery(), limit: 5_000) + pending).map(\.word)
      }
    }
    #expect(words() == nil)
    #expect(words() == ["exit"])
    #expect(FileManager.default.fileExists(atPath: file.path + ".damaged"))
  }

  @Test func `CSV has all entries, and with a limit so many`() throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let store = try DiaryStore.open(gateway: "flat", directory: StateDirectory(configured: folder.path)).store
    try store.add((0..<12_000).map { entry(Double($0), "enter") })
    store.close()
    let diary = try diary()
    diary.note(entry(12_000, "exit"))
    let answers = DiaryAnswers(diary: diary, now: start)
    func lines(_ more: [String: String]) -> [Substring] {
      let query = more.merging(["format": "csv", "kind": "zone"]) { $1 }
      return text(answers.entries(query)).split(separator: "\r\n")
    }
    let all = lines([:])
    #expect(all.count == 12_002 && Set(all).count == 12_002 && all[1].contains("exit"))
    #expect(lines(["limit": "10"]).count == 11)
    #expect(lines(["until": (start + .seconds(60 * 7000)).rfc3339]).count == 7001)
  }

  @Test func `what asks for nonsense is refused, and what is off or a recording says so`() throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let answers = DiaryAnswers(diary: try diary(), now: start)
    for query in [
      ["since": "monday"], ["kind": "zone,dream"], ["limit": "0"], ["limit": "9999"], ["before": "-1"],
      ["format": "xml"],
    ] { #expect(answers.entries(query).status == 400, "\(query)") }
    let off = DiaryAnswers(diary: try diary("gateway: { name: flat }\ndiary: off"), now: start)
    #expect(off.entries([:]).status == 404 && text(off.visits([:])).contains("diary: on"))
    #expect(text(DiaryAnswers(diary: nil, now: start).entries([:])).contains("recording"))
  }

  @Test func `who is asked for by a display name is found, and two of one name are told apart`() throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let diary = try diary()
    for one in [entry(1, "enter", thing: "tag:1.2"), entry(2, "enter")] { diary.note(one) }
    let called = ["Anna's keys": ["tag:1.2"], "Ben": ["tag:1.1", "tag:1.3"]]
    let answers = DiaryAnswers(diary: diary, now: start + .seconds(600)) { called[$0] ?? [$0] }
    for answer in [answers.entries, answers.visits] {
      let found = text(answer(["beacon": "Anna's keys"]))
      #expect(found.contains("tag:1.2") && !found.contains("\"key\""), "\(found)")
      let refusal = answer(["beacon": "Ben"])
      #expect(refusal.status == 400 && text(refusal).contains("tag:1.1, tag:1.3"))
    }
  }

  /// The broker has the transition under the other number, and the next run shows what is in the diary.
  @Test func `a transition that got another number, because the disk hung, is kept under that one`() throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let diary = try diary()
    var message = TransitionMessage(
      .room(
        RoomTransition(
          event: .enter, room: RoomIndex(rawValue: 0), beacon: BeaconIndex(rawValue: 0), time: .zero,
          wallTime: start, probability: 0.9, evidence: [], receiver: ReceiverIndex(rawValue: 0), reason: nil)),
      gateway: "flat", place: "hall", beacon: "key", receiver: "hci0", witnesses: [])
    (message.epoch, message.sequence) = (7, 30)
    var other = message
    (other.epoch, other.sequence) = (8, 1)
    diary.note(DiaryEntry(message))
    diary.renumber([.init(message): .init(other)])
    let kept = try #require(diary.read { _, pending in pending.compactMap(\.transition?.number) })
    #expect(kept == ["8-1"])
  }

  @Test func `another configuration is noted without the names of beacons and phones`() throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let diary = try diary("beacons: [{ name: anna, address: \"C1:00:00:00:00:01\" }]")
    diary.configure(
      try Scene.configuration(
        "beacons: [{ name: hanna, address: \"C1:00:00:00:00:01\" }]\nzones: [{ name: hall, enter: { signal: -70 dBm }, exit: { signal: -80 dBm } }]"
      ))
    let told = text(DiaryAnswers(diary: diary, now: start).entries([:]))
    #expect(
      told.contains("beacons removed: 1; beacons new: 1; zones new: hall") && !told.contains("anna"),
      "\(told)")
  }
}
