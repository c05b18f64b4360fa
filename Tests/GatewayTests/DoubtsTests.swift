import MQTT
import Beacons
import Messages
import Testing

@testable import Gateway

/// With MQTT 3.1.1 a broker acknowledges what it forbids. So an acknowledgement counts once it is known that the topic is allowed.
@Suite struct DoubtsTests {
  private var doubts = Doubts()

  private func at(_ seconds: Double) -> MonotonicTime { .zero + .seconds(seconds) }

  private func enter(_ zone: String, _ payload: String = "1") -> Message {
    Message(
      topic: "beaconkeeper/home/zone/\(zone)/enter", payload: Array(payload.utf8), qos: .atLeastOnce,
      retained: false)
  }

  private func state(_ payload: String, of beacon: String = "key") -> Message {
    Message(
      topic: "beaconkeeper/home/beacon/\(beacon)/state", payload: Array(payload.utf8), qos: .atLeastOnce,
      retained: true)
  }

  private mutating func send(_ message: Message, id: UInt64, isOnTrial: Bool = false, at seconds: Double = 0)
  {
    doubts.sent(message, id: id, isOnTrial: isOnTrial, at: at(seconds))
  }

  private mutating func ask() -> [Message] { doubts.takeQuestions(atMost: 100) }

  @Test mutating func anAcknowledgementCountsOnceTheTopicIsKnownToBeAllowed() {
    send(enter("Garage"), id: 1)
    #expect(ask() == [enter("Garage")])
    #expect(doubts.acknowledged(1) == .undecided)
    let decision = doubts.answered(enter("Garage").topic, .allowed, at: at(1))
    #expect(decision == Doubts.Decision(believed: [1]))
    // From then on at once, and nobody asks.
    send(enter("Garage"), id: 2)
    #expect(!doubts.hasQuestions && doubts.acknowledged(2) == .believed)
  }

  @Test mutating func whatWasDroppedIsGivenBackOnceTheBrokerHasAnsweredIt() {
    for id in 1...3 { send(enter("Garage", "\(id)"), id: UInt64(id)) }
    #expect(ask().count == 1, "one question a topic")
    for id in [1, 2] { #expect(doubts.acknowledged(UInt64(id)) == .undecided) }
    let decision = doubts.answered(enter("Garage").topic, .refused(reason: "no"), at: at(1))
    #expect(decision.refused.map(\.id) == [1, 2] && decision.reason == "no")
    #expect(doubts.acknowledged(3) == .refused(enter("Garage", "3"), reason: "no"))
    #expect(doubts.acknowledged(3) == .believed)
  }

  @Test mutating func whatIsOnTrialIsAskedAboutAnew() {
    send(enter("Garage"), id: 1)
    _ = ask()
    _ = doubts.answered(enter("Garage").topic, .refused(reason: "no"), at: at(1))
    send(enter("Garage"), id: Refusals.firstID, isOnTrial: true, at: 60)
    #expect(ask().count == 1)
    #expect(doubts.acknowledged(Refusals.firstID) == .undecided)
    #expect(doubts.answered(enter("Garage").topic, .allowed, at: at(61)).believed == [Refusals.firstID])
  }

  @Test mutating func whatWasRefusedStaysSoWhileNobodyCanTell() {
    send(enter("Garage"), id: 1)
    _ = ask()
    _ = doubts.acknowledged(1)
    _ = doubts.answered(enter("Garage").topic, .refused(reason: "no"), at: at(1))
    send(enter("Garage"), id: Refusals.firstID, isOnTrial: true, at: 60)
    _ = ask()
    _ = doubts.acknowledged(Refusals.firstID)
    let decision = doubts.answered(enter("Garage").topic, .unknown(.seconds(60)), at: at(61))
    #expect(decision.refused.map(\.id) == [Refusals.firstID] && decision.believed.isEmpty)
  }

  /// As where the broker speaks nothing but 3.1.1.
  @Test mutating func whereNobodyCanTellTheBrokerIsTakenAtItsWord() {
    send(enter("Garage"), id: 1)
    _ = ask()
    _ = doubts.acknowledged(1)
    #expect(doubts.answered(enter("Garage").topic, .unknown(.seconds(60)), at: at(0)).believed == [1])
    send(enter("Garage"), id: 2, at: 59)
    #expect(!doubts.hasQuestions && doubts.acknowledged(2) == .believed)
    send(enter("Garage"), id: 3, at: 60)
    #expect(doubts.hasQuestions)
  }

  /// What is forbidden from one moment to the next would be dropped without a word for as long as an answer holds.
  @Test mutating func anAnswerHoldsForFiveSecondsOrUntilTheBrokerMayAllowOtherThings() {
    for (id, seconds, isAsked) in [(1, 0.0, true), (2, 4.9, false), (3, 5, true)] {
      send(enter("Garage"), id: UInt64(id), at: seconds)
      #expect(doubts.hasQuestions == isAsked, "after \(seconds) s")
      if isAsked {
        _ = ask()
        _ = doubts.answered(enter("Garage").topic, .allowed, at: at(seconds))
      }
    }
    doubts.reset()
    send(enter("Garage"), id: 4, at: 3601)
    #expect(ask().count == 1)
    doubts.reset()
    let late = doubts.answered(enter("Garage").topic, .allowed, at: at(3602))
    #expect(late == Doubts.Decision() && ask().count == 1, "an answer from before the reset")
  }

  /// As when the broker was away, and comes back with another access list.
  @Test mutating func whatIsOnItsWayAtAResetIsAskedAboutAnew() {
    for id in [1, 2] {
      send(enter("Garage", "\(id)"), id: UInt64(id))
      _ = ask()
      _ = doubts.answered(enter("Garage").topic, .allowed, at: at(0))
    }
    #expect(doubts.acknowledged(1) == .believed)
    doubts.reset()
    #expect(ask().count == 1 && doubts.acknowledged(2) == .undecided)
    let decision = doubts.answered(enter("Garage").topic, .refused(reason: "no"), at: at(1))
    #expect(decision.refused.map(\.id) == [2])
  }

  @Test mutating func ofWhatIsRetainedTheNewestIsGivenBack() {
    for payload in ["1", "2", "3"] { send(state(payload), id: 0) }
    #expect(ask() == [state("3")])
    let decision = doubts.answered(state("").topic, .refused(reason: "no"), at: at(1))
    #expect(decision.refused == [Doubts.Copy(message: state("3"), id: 0)])
  }

  @Test mutating func transitionsThatAreOnNoDiskShareAnID() {
    let id = UInt64(Int64.max)
    for zone in ["Garage", "Attic"] { send(enter(zone), id: id) }
    _ = ask()
    #expect(doubts.acknowledged(id) == .undecided && doubts.acknowledged(id) == .undecided)
    #expect(doubts.acknowledged(id) == .believed && doubts.undecided == [id, id])
    #expect(doubts.answered(enter("Garage").topic, .allowed, at: at(0)).believed == [id])
    #expect(doubts.answered(enter("Attic").topic, .refused(reason: "no"), at: at(0)).refused.count == 1)
  }

  @Test mutating func whatOthersTakeCareOfIsForgotten() {
    send(enter("Garage"), id: 1)
    let wasInDoubt = doubts.forget(1, enter("Garage").topic)
    let isStill = doubts.forget(1, enter("Garage").topic)
    #expect(wasInDoubt && !isStill)
    #expect(ask().isEmpty && doubts.acknowledged(1) == .believed)
    send(enter("Garage"), id: 2)
    #expect(ask().count == 1)
  }

  @Test mutating func aQuestionThatGotNoAnswerIsAskedAgain() {
    send(enter("Garage"), id: 1)
    _ = ask()
    doubts.notAnswered(enter("Garage").topic)
    #expect(ask().count == 1)
  }

  @Test mutating func retainedTopicsLeaveRoomForTheOthers() {
    for number in 0..<2 * Doubts.topicLimit { send(state("1", of: "\(number)"), id: 0) }
    send(enter("Garage"), id: 1)
    #expect(doubts.takeQuestions(atMost: .max).count == Doubts.retainedLimit + 1)
    for number in 0..<2 * Doubts.topicLimit { send(enter("\(number)"), id: UInt64(number + 2)) }
    #expect(doubts.takeQuestions(atMost: .max).count == Doubts.topicLimit - Doubts.retainedLimit - 1)
  }

  @Test mutating func whatIsKeptIsBounded() {
    let large = String(repeating: "x", count: 1 << 20)
    for id in 1...10 { send(enter("Garage", large), id: UInt64(id)) }
    let worth = (1...10).map { doubts.acknowledged($0) }
    #expect(worth.count { $0 == .undecided } == 3 && worth.last == .believed)
  }

  /// Who asks knows nothing of it, and nobody is to be told.
  @Test mutating func whatNeedsNoAnswerIsNotAskedAbout() {
    send(Message(topic: "a", payload: [], qos: .atMostOnce, retained: false), id: 0)
    #expect(!doubts.hasQuestions)
  }
}
