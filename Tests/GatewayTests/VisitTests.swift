import Contract
import Core
import Outbox
import Testing

@testable import Gateway

/// Visits, from the transitions of a diary.
@Suite struct VisitTests {
  private func at(_ minute: Double) -> WallTime { TransitionMessage.trusted + .seconds(minute * 60) }

  /// - Parameter story: minute, beacon, word.
  private func book(
    _ story: [(Double, String, String)], since: Double? = nil, until: Double? = nil
  ) -> [String] {
    var book = VisitBook(since: since.map(at), until: until.map(at))
    for (minute, beacon, word) in story {
      book.note(DiaryEntry(time: at(minute), kind: .zone, thing: beacon, place: "hall", word: word))
    }
    return book.visits.map { visit in
      func text(_ time: WallTime?) -> String {
        time.map { decimal(($0 - at(0)).seconds / 60, decimals: 0) } ?? "?"
      }
      let end = visit.isOpen ? "…" : text(visit.to)
      return "\(visit.beacon) \(text(visit.from))-\(end)"
        + (visit.near == nil ? "" : " near \(text(visit.near))")
    }
  }

  @Test func `a visit is from enter to exit`() {
    #expect(
      book([
        (1, "key", "enter"), (2, "van", "enter"), (3, "key", "near"), (4, "key", "near"), (5, "key", "exit"),
      ])
        == ["key 1-5 near 3", "van 2-…"])
    #expect(
      book([(1, "key", "enter"), (2, "key", "exit"), (3, "key", "enter"), (4, "key", "exit")]) == [
        "key 1-2", "key 3-4",
      ])
  }

  @Test func `what the diary does not have is unknown, and not invented`() {
    // Begun before the diary.
    #expect(book([(5, "key", "exit"), (6, "van", "near")]) == ["key ?-5", "van ?-… near 6"])
    // The state was lost with the card: nobody saw the end.
    #expect(book([(1, "key", "enter"), (9, "key", "enter")]) == ["key 1-?", "key 9-…"])
    // A Pi whose clock was not set yet, at the beginning or at the end.
    #expect(book([(-99, "key", "enter"), (3, "key", "exit")]) == ["key ?-3"])
    #expect(book([(1, "key", "enter"), (-99, "key", "exit")]) == ["key 1-?"])
    // The clock was set back meanwhile.
    var visit = Visit(beacon: "key", kind: .zone, place: "hall", from: at(9))
    visit.to = at(4)
    #expect(visit.length(at: at(20)) == .zero)
  }

  /// The gateway stops for an hour, is killed, and is killed again, for good.
  @Test func `what no gateway saw of a visit is told`() throws {
    let store = try DiaryStore(path: nil)
    func note(_ minute: Double, _ word: String, _ beacon: String = "") throws {
      try store.add([
        DiaryEntry(
          time: at(minute), kind: beacon.isEmpty ? .gateway : .zone, thing: beacon,
          place: beacon.isEmpty ? "" : "hall", word: word)
      ])
    }
    func visits(isRunning: Bool?, _ pending: [DiaryEntry] = []) throws -> [String] {
      var book = VisitBook(pauses: try store.pauses(pending, isRunning: isRunning))
      var query = DiaryQuery()
      query.kinds = [.zone]
      try store.forEach(query) { book.note($0) }
      return book.visits.map { visit in
        let csv = visit.csv(at: at(1000)).split(separator: ",", omittingEmptySubsequences: false)
        let last = visit.lastKnown.map { " known \(decimal(($0 - at(0)).seconds / 60, decimals: 0))" } ?? ""
        return "\(csv[0]) \(csv[6])\(visit.isOpen ? " open" : "") unwatched \(csv[9])" + last
      }
    }
    try note(0, "start")
    try note(1, "enter", "a")
    try note(2, "enter", "b")
    try note(3, "exit", "b")
    #expect(try visits(isRunning: true) == ["a 59940 open unwatched 0", "b 60 unwatched 0"])
    try note(10, "stop")
    let told = ["a  unwatched 0 known 10", "b 60 unwatched 0"]
    #expect(try visits(isRunning: false) == told && visits(isRunning: nil) == told)
    // A gateway that has just started has not written it yet.
    let start = DiaryEntry(time: at(70), kind: .gateway, word: "start")
    let paused = ["a 59940 open unwatched 3600", "b 60 unwatched 0"]
    #expect(try visits(isRunning: true, [start]) == paused)
    try note(70, "start")
    #expect(try visits(isRunning: true) == paused)
    try note(80, "enter", "c")
    try note(90, "exit", "a")
    try note(100, "near", "c")
    let killed = ["a 5340 unwatched 3600", "b 60 unwatched 0", "c  unwatched 0 known 100"]
    #expect(try visits(isRunning: false) == killed)
    try note(130, "start")
    try note(140, "enter", "c")
    #expect(try visits(isRunning: true) == killed + ["c 51600 open unwatched 0"])
  }

  @Test func `those of a span of time are those that touch it`() {
    let story = [
      (1, "a", "enter"), (2, "a", "exit"), (3, "b", "enter"), (7, "b", "exit"), (8, "c", "enter"),
      (9, "c", "exit"),
      (1, "d", "enter"),
    ].map { (Double($0.0), $0.1, $0.2) }
    #expect(book(story, since: 5) == ["d 1-…", "b 3-7", "c 8-9"])
    #expect(book(story, since: 5, until: 8) == ["d 1-…", "b 3-7"])
    #expect(book(story, until: 2) == ["a 1-2", "d 1-…"])
  }

  @Test func `a spreadsheet gets fields and no formulas`() {
    let hostile = DiaryEntry(
      time: at(0), kind: .receiver, thing: "=\u{301}1", place: "a\nb", word: "\"\u{301}", detail: "\t=1")
    #expect(hostile.csv.hasSuffix("receiver,'=\u{301}1,\"a\nb\",\"\"\"\u{301}\",'\t=1"))
    var visit = Visit(beacon: "=cmd()", kind: .room, place: #"the "den", upstairs"#, from: at(0))
    visit.to = at(1)
    #expect(
      visit.csv(at: at(5))
        == #"'=cmd(),room,"the ""den"", upstairs",2024-01-01T00:00:00.000Z,,2024-01-01T00:01:00.000Z,60,false,,0"#
    )
  }
}
