import Phones
import TestSupport
import Testing

/// What is expected of a simulation, in words.
@Suite struct ExpectationTests {
  /// Near at 46 s. Suspended from 10 s on with `stock`, from 186 s on with a task.
  private static let stock = Walk().approach(50, at: 1)
  private static let task = Walk(strategy: "background-task").approach(50, at: 1)
  /// Three visits, the first in the window after the region event, the others long after it.
  private static let visits = Walk(rearm: 6_000_000).follow([
    (0, 20), (5, 0), (30, 20), (60, 0), (90, 20), (120, 0),
  ])

  private func miss(_ text: String, in simulation: Simulation) throws -> ExpectationMiss? {
    try Simulation.Expectation(text).miss(in: simulation)
  }

  @Test(arguments: [
    "delivered", "delivered within 0", "delivered within 2 s", "delivered by 46 s", "ranging at 5 s",
    "remaining unlimited at 5 s", "ranging at 46 s", "delivered of near 1", "suspended at 187 s",
    "remaining 0 s at 187 s",
  ])
  func aDeliveryMeets(text: String) throws {
    #expect(try miss(text, in: Self.task) == nil)
    if text.contains("deliver") { #expect(try miss(text, in: Self.stock) != nil) }
  }

  @Test(arguments: [
    "missed", "missed: GRACE_EXPIRED", "missed because GRACE_EXPIRED", "suspended at 10 s",
    "ranging at 9.999 s",
    "missed of near 1",
  ])
  func aMissMeets(text: String) throws {
    #expect(try miss(text, in: Self.stock) == nil)
    #expect(
      try miss(text.replacing("9.999", with: "187").replacing(" 10 s", with: " 11 s"), in: Self.task) != nil)
  }

  @Test func backgroundTimeIsExactToHalfASecond() throws {
    let left = try #require(Self.task.window(at: 99_000)?.remaining(at: 99_000))
    let whole = left / 1000
    #expect(try miss("remaining \(whole) s at 99 s", in: Self.task) == nil)
    #expect(try miss("remaining \(whole) s at 99.4 s", in: Self.task) == nil)
    #expect(try miss("remaining \(whole) s at 100 s", in: Self.task) != nil)
    #expect(try miss("remaining unlimited at 99 s", in: Self.task) != nil)
  }

  @Test func anExpectationWithoutATriggerAppliesToEveryTrigger() throws {
    #expect(Self.visits.verdicts.map(\.outcome) == [.delivered, .graceExpired, .graceExpired])
    #expect(try miss("delivered of near 1", in: Self.visits) == nil)
    #expect(try miss("missed of near 3", in: Self.visits) == nil)
    let all = try #require(try miss("delivered", in: Self.visits))
    #expect(all.happened.hasPrefix("near 2 of 3, at "))
    #expect(all.happened.hasSuffix("; 1 other near trigger did not meet it either"))
    let fourth = try #require(try miss("delivered of near 4", in: Self.visits))
    #expect(fourth.happened == "there were 3 near triggers")
  }

  @Test func withoutAnApproachNothingIsDelivered() throws {
    let passing = Walk().follow([(0, 30), (20, 10), (40, 30)])
    #expect(try miss("no trigger", in: passing) == nil)
    #expect(try miss("no trigger", in: Self.stock) != nil)
    for text in ["delivered", "late", "missed", "delivered of near 1"] {
      #expect(try miss(text, in: passing)?.happened == "the phone never came near", "\(text)")
    }
  }

  @Test func aMissTellsTheEventsAndTheConstantsThatDecided() throws {
    let short = Walk(strategy: "background-task", changeOS: { $0[.taskCap] = 20_000 }).approach(50, at: 1)
    let told = try #require(try miss("delivered within 2 s", in: short)).description
    #expect(told.hasPrefix("expected: delivered within 2 s\nhappened: near at 46 s, missed: TASK_EXPIRED, "))
    #expect(told.contains("\ndecided by:\n  0 s: region enter\n"))
    #expect(told.contains("\n  task_cap = 20 s (certain; Radius Networks 2014, device log)"))
    let state = try #require(try miss("ranging at 11 s", in: Self.stock)).description
    #expect(
      state.contains(
        "happened: at 11 s suspended: the time after the last region event had run out (GRACE_EXPIRED)"))
    #expect(state.contains("\n  0 s: ranging\n  10 s: suspended: "))
    #expect(state.contains("\n  grace = 10 s "))
  }

  @Test func timesAfterTheEndAreUnknown() throws {
    let end = try #require(try miss("suspended at 500 s", in: Self.stock))
    #expect(end.needs == 500_000 && end.happened.hasPrefix("nothing is known: the simulation ended at "))
  }

  @Test func caseAndSpacesDoNotMatter() throws {
    for text in [" Delivered  WITHIN 2s ", "delivered\twithin 2 s", "DELIVERED WITHIN 2 S"] {
      #expect(try Simulation.Expectation(text).claim == .deliveredWithin(2000))
    }
    for text in ["missed:task_expired", "Missed : TASK_EXPIRED", "missed because task_expired"] {
      #expect(try Simulation.Expectation(text).claim == .missed(.taskExpired))
    }
    #expect(try Simulation.Expectation("Ranging at 1.5 min").claim == .state(.ranging, at: 90_000))
    #expect(try Simulation.Expectation("No Trigger").claim == .noTrigger)
    #expect(try Simulation.Expectation("ranging", at: 7000).claim == .state(.ranging, at: 7000))
    #expect(try Simulation.Expectation("remaining unlimited", at: 7000).claim == .remaining(nil, at: 7000))
  }

  @Test func theWordsOfAnExpectationCanBeReadAgain() throws {
    var claims: [Simulation.Expectation.Claim] = [
      .delivered, .deliveredWithin(1500), .deliveredBy(47_000), .late, .missed(nil), .noTrigger,
      .remaining(nil, at: 5000), .remaining(91_000, at: 99_000),
    ]
    claims += Window.State.allCases.map { .state($0, at: 50_000) }
    claims += Reason.allCases.filter { !$0.isDelivered }.map { .missed($0) }
    for claim in claims {
      #expect(try Simulation.Expectation("\(Simulation.Expectation(claim))") == Simulation.Expectation(claim))
    }
    let second = Simulation.Expectation(.missed(.timerFrozen), ofNear: 2)
    #expect(try Simulation.Expectation("\(second)") == second)
  }

  @Test(arguments: [
    ("", "the forms are delivered, "), ("delivered soon", "\"delivered soon\" is no expectation"),
    ("delivered within 2 parsec", "\"2 parsec\" is no duration such as 2 s"),
    ("delivered within 1 5 s", "\"1 5 s\" is no duration"), ("delivered by", "\"\" is no duration"),
    ("missed: TASK_XPIRED", "\"task_xpired\" is no reason for a miss; one of NOT_DETECTED, GRACE_EXPIRED"),
    ("missed because", "is no reason"), ("missed: DELIVERED", "is no reason"),
    ("late today", "is no expectation"), ("no triggers", "is no expectation"),
    ("ranging", "when is missing: ranging at 50 s"), ("remaining 91 s", "when is missing"),
    ("remaining at 3 s", "\"\" is no duration"), ("ranging at noon", "\"noon\" is no duration"),
    ("delivered of near", "\"of\" goes with near and the number"), ("delivered of near 0", "from 1"),
    ("ranging at 5 s of near 2", "\"of near\" goes with delivered, late and missed"),
  ])
  func anInvalidExpectationIsReportedWithTheValidForms(text: String, words: String) {
    let refusal = #expect(throws: Simulation.Expectation.Unreadable.self) { try Simulation.Expectation(text) }
    #expect(refusal?.description.contains(words) == true, "\(refusal?.description ?? "")")
  }

  @Test func aLongTextIsRefusedUnread() {
    let text = "delivered" + String(repeating: " ", count: 200)
    #expect(throws: Simulation.Expectation.Unreadable.self) { try Simulation.Expectation(text) }
    #expect(throws: Simulation.Expectation.Unreadable.self) {
      try Simulation.Expectation("delivered", at: 5000)
    }
    #expect(throws: Simulation.Expectation.Unreadable.self) {
      try Simulation.Expectation("ranging at 5 s", at: 5000)
    }
  }

  @Test func wordsThatAreNoTextDoNoHarm() {
    var random = SeededGenerator(7)
    let seeds = [
      "delivered within 2 s of near 2", "remaining unlimited at 5 s", "missed because TASK_EXPIRED",
    ]
    for turn in 0..<3000 {
      var bytes = Array(seeds[turn % seeds.count].utf8)
      for _ in 0..<3 { bytes[random.pick(Array(bytes.indices))] = UInt8.random(in: 0...255, using: &random) }
      guard let read = try? Simulation.Expectation(String(decoding: bytes, as: UTF8.self)) else { continue }
      #expect((try? Simulation.Expectation("\(read)")) == read)
      _ = read.miss(in: Self.visits)
    }
  }
}
