import Beacons
import Core
import Testing

@testable import Gateway

@Suite("How often changes of receivers elsewhere are told") struct HealthPaceTests {
  private let start = MonotonicTime.zero + .seconds(100)

  @Test func theFirstIsToldAtOnceAndFurtherOnesTogether() {
    var pace = HealthPace()
    var published: [Int] = []
    for step in 0..<3000 {
      let now = start + .milliseconds(Int64(step))
      if pace.takeDue(at: now) || pace.changed(at: now) {
        published.append(step)
        pace.published()
      }
    }
    #expect(published == [0, 1000, 2000])
    let last = start + .seconds(3)
    #expect(pace.due == last, "the last state is told too")
    let isEarly = pace.takeDue(at: last - .milliseconds(1))
    #expect(!isEarly)
    let isDue = pace.takeDue(at: last)
    #expect(isDue)
  }

  @Test func whatWasPublishedForAnotherReasonIsNotDueAnyMore() {
    var pace = HealthPace()
    pace.published()
    let isNow = pace.changed(at: start)
    #expect(isNow, "only changes keep others waiting")
    let isSecond = pace.changed(at: start + .milliseconds(10))
    #expect(!isSecond)
    pace.published()
    #expect(pace.due == nil)
  }
}

@Suite("What the log says of receivers elsewhere") struct BlindNoticesTests {
  private func change(_ health: ReceiverHealth) throws -> ReceiverHealthChange {
    var table = ReceiverTable()
    let index = table.index(of: "shed")
    return ReceiverHealthChange(
      receiver: try #require(index), health: health, reason: "why", time: .zero,
      wallTime: WallTime(nanoseconds: 0))
  }

  @Test func aReceiverThatComesAndGoesFillsNoLog() throws {
    var notices = BlindNotices()
    var lines: [String] = []
    for step in 0..<3000 {
      let now = MonotonicTime.zero + .milliseconds(Int64(step))
      let change = try change(step % 2 == 0 ? .gone : .ok)
      if let line = notices.notice(of: change, named: "shed", at: now) { lines.append(line) }
      if let line = notices.rest(at: now) { lines.append(line) }
    }
    #expect(lines == Array(repeating: ["shed is gone: why", "shed is back"], count: 20).flatMap(\.self))
    let rest = notices.rest(at: .zero + .seconds(20))
    #expect(
      rest == "receivers of scanners became blind 1480 more times; health has the present state of each")
    let nothing = notices.rest(at: .zero + .seconds(60))
    #expect(nothing == nil)
  }

  @Test func `one that gives no sign of life any more is told, and that it is back`() throws {
    var desk = BlindNotices()
    var lost = try change(.quiet)
    #expect(desk.notice(of: lost, named: "shed", at: .zero) == nil)
    lost.reason = "it has given no sign of life for 100 s; it may have failed"
    let lines = [lost, try change(.ok)].map { desk.notice(of: $0, named: "shed", at: .zero) }
    #expect(
      lines == ["shed is quiet: it has given no sign of life for 100 s; it may have failed", "shed is back"])
  }

  @Test func oneThatIsHeardForTheFirstTimeIsNotBack() throws {
    var notices = BlindNotices()
    let line = notices.notice(of: try change(.ok), named: "shed", at: .zero)
    #expect(line == nil)
  }
}
