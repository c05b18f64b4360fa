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
        == #"'=cmd(),room,"the ""den"", upstairs",2024-01-01T00:00:00.000Z,,2024-01-01T00:01:00.000Z,60,false"#
    )
  }
}
