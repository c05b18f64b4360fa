import Beacons
import Testing

@testable import Gateway

/// What needs no answer from the broker asks for one all the same, once a topic and connection.
@Suite struct UnansweredTests {
  private var unanswered = Unanswered()

  private mutating func way(_ topic: String = "a", isRetained: Bool = false, at seconds: Double = 0)
    -> Unanswered.Way
  {
    unanswered.way(of: topic, isRetained: isRetained, at: .zero + .seconds(seconds))
  }

  private func id(_ number: UInt64) -> UInt64 { Unanswered.firstID + number }

  @Test mutating func theFirstOfATopicAsksAndTheOthersFollowOnceThereIsAnAnswer() {
    let (first, second, other) = (way(), way(), way("b"))
    #expect(first == .asking(id: id(0), isOnTrial: false))
    #expect(second == .notNow)
    #expect(other == .asking(id: id(1), isOnTrial: false))
    let reopened = unanswered.acknowledged(id(0))
    let (then, still) = (way(), way("b"))
    #expect(reopened == nil && then == .asItIs && still == .notNow)
  }

  @Test mutating func whatIsRetainedIsNotPassedOver() {
    let (first, second) = (way(isRetained: true), way(isRetained: true))
    #expect(first == .asking(id: id(0), isOnTrial: false))
    #expect(second == .asking(id: id(1), isOnTrial: false))
  }

  @Test mutating func whatIsRefusedIsAskedForAgainAfterAWhileOrWhenSomebodyMayHaveMendedIt() {
    _ = way()
    let isNews = unanswered.refused("a", id: id(0), isParked: false, at: .zero)
    let (soon, late) = (way(at: 599), way(at: 600))
    #expect(isNews && unanswered.refusedTopics == [])
    #expect(soon == .notNow && late == .asking(id: id(1), isOnTrial: true))
    let isNewsAgain = unanswered.refused("a", id: id(1), isParked: false, at: .zero + .seconds(600))
    #expect(!isNewsAgain && unanswered.refusedTopics == ["a"])
    unanswered.retry()
    let urgent = way(at: 601)
    let reopened = unanswered.acknowledged(id(2))
    #expect(urgent == .asking(id: id(2), isOnTrial: true) && reopened == "a")
  }

  @Test mutating func whatOthersParkIsTheirs() {
    _ = way(isRetained: true)
    _ = unanswered.refused("a", id: id(0), isParked: true, at: .zero)
    let next = way(isRetained: true)
    #expect(next == .asking(id: id(1), isOnTrial: false))
  }

  @Test mutating func anotherConnectionIsAskedAnewButForWhatIsUnderWay() {
    _ = (way("taken"), way("asked"), way("refused"))
    _ = unanswered.acknowledged(id(0))
    _ = unanswered.refused("refused", id: id(2), isParked: false, at: .zero)
    unanswered.disconnected()
    let ways = [way("taken"), way("asked"), way("refused")]
    #expect(ways == [.asking(id: id(3), isOnTrial: false), .notNow, .notNow])
  }

  @Test mutating func whatCouldNotBePublishedDidNotAsk() {
    _ = way()
    unanswered.notAsked(id(0))
    let next = way()
    #expect(next == .asking(id: id(1), isOnTrial: false))
  }

  @Test mutating func ofTooManyTopicsTheRestIsNotAskedAbout() {
    for number in 0..<Unanswered.limit { _ = way("\(number)") }
    let next = way("one more")
    #expect(next == .asItIs)
  }
}
