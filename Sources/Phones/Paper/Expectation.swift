extension Simulation {
  /// An expectation of a simulation, in words: `delivered within 2 s`, `missed: TASK_EXPIRED`, `ranging at 50 s`.
  ///
  /// ```swift
  /// let expectation = try Simulation.Expectation("delivered within 2 s")
  /// if let miss = expectation.miss(in: simulation) { print(miss) }
  /// ```
  public struct Expectation: Hashable, Sendable {
    public enum Claim: Hashable, Sendable {
      /// Less than a second after the crossing.
      case delivered
      /// At most this long after the crossing.
      case deliveredWithin(Milliseconds)
      /// At this time or before.
      case deliveredBy(Milliseconds)
      /// A second or more after the crossing.
      case late
      /// Never delivered; for this reason, or for any.
      case missed(Reason?)
      /// The phone never came near.
      case noTrigger
      case state(Window.State, at: Milliseconds)
      /// Background time left, to half a second, because phones log whole seconds; nil: unlimited.
      case remaining(Milliseconds?, at: Milliseconds)
    }

    public var claim: Claim
    /// Which near trigger is meant, from 1; nil: every one of them. Only for claims about delivery.
    public var trigger: Int?

    public init(_ claim: Claim, ofNear trigger: Int? = nil) {
      self.claim = claim
      self.trigger = trigger
    }

    /// Until when a simulation must last to be judged; nil: its triggers decide.
    public var time: Milliseconds? {
      switch claim {
      case .deliveredBy(let time), .state(_, let time), .remaining(_, let time): time
      case .delivered, .deliveredWithin, .late, .missed, .noTrigger: nil
      }
    }
  }
}

extension Simulation.Expectation: CustomStringConvertible {
  /// The same expectation always has the same words, and they can be parsed again.
  public var description: String { words + (trigger.map { " of near \($0)" } ?? "") }

  private var words: String {
    switch claim {
    case .delivered: "delivered"
    case .deliveredWithin(let time): "delivered within \(Amount.seconds(time))"
    case .deliveredBy(let time): "delivered by \(Amount.seconds(time))"
    case .late: "late"
    case .missed(let reason): "missed" + (reason.map { ": \($0.rawValue)" } ?? "")
    case .noTrigger: "no trigger"
    case .state(let state, let time): "\(state.rawValue) at \(Amount.seconds(time))"
    case .remaining(let left, let time):
      "remaining \(left.map(Amount.seconds) ?? "unlimited") at \(Amount.seconds(time))"
    }
  }
}

extension Simulation.Expectation {
  /// Checks a simulation against the expectation. nil: it was met. A claim that names no near trigger must be
  /// met by all of them; the first one that does not meet it is reported.
  public func miss(in simulation: Simulation) -> ExpectationMiss? {
    switch claim {
    case .state, .remaining: stateMiss(in: simulation)
    case .noTrigger:
      simulation.verdicts.first.map { miss(of: $0, number: 1, in: simulation) }
    case .delivered, .deliveredWithin, .deliveredBy, .late, .missed: triggerMiss(in: simulation)
    }
  }

  private func triggerMiss(in simulation: Simulation) -> ExpectationMiss? {
    let verdicts = simulation.verdicts
    if let trigger {
      guard verdicts.indices.contains(trigger - 1) else {
        let count =
          verdicts.count == 1
          ? "there was one near trigger only" : "there were \(verdicts.count) near triggers"
        return withoutTrigger(verdicts.isEmpty ? "the phone never came near" : count, simulation)
      }
      let verdict = verdicts[trigger - 1]
      return isMet(by: verdict) ? nil : miss(of: verdict, number: trigger, in: simulation)
    }
    guard !verdicts.isEmpty else { return withoutTrigger("the phone never came near", simulation) }
    guard let first = verdicts.firstIndex(where: { !isMet(by: $0) }) else { return nil }
    return miss(of: verdicts[first], number: first + 1, in: simulation)
  }

  private func isMet(by verdict: Verdict) -> Bool {
    switch claim {
    case .delivered: verdict.outcome == .delivered
    case .deliveredWithin(let most): verdict.lateness.map { $0 <= most } ?? false
    case .deliveredBy(let time): verdict.delivered.map { $0 <= time } ?? false
    case .late: verdict.outcome == .deliveredLate
    case .missed(let reason): !verdict.outcome.isDelivered && (reason == nil || reason == verdict.outcome)
    case .noTrigger, .state, .remaining: false
    }
  }

  private func miss(of verdict: Verdict, number: Int, in simulation: Simulation) -> ExpectationMiss {
    let all = simulation.verdicts
    var happened = all.count > 1 ? "near \(number) of \(all.count), at" : "near at"
    happened += " \(Amount.seconds(verdict.crossed)), \(verdict.words)"
    let others = trigger == nil && claim != .noTrigger ? all.count { !isMet(by: $0) } - 1 : 0
    if others > 0 {
      happened += "; \(others) other near \(others == 1 ? "trigger" : "triggers") did not meet it either"
    }
    return ExpectationMiss(
      expected: self, happened: happened,
      events: verdict.evidence.map { .init(time: $0.time, what: simulation.words(of: $0)) },
      constants: simulation.profile.constants(verdict.constants))
  }

  private func withoutTrigger(_ happened: String, _ simulation: Simulation) -> ExpectationMiss {
    ExpectationMiss(expected: self, happened: happened, events: simulation.changes(until: simulation.end))
  }
}

extension Verdict {
  /// `delivered at 50 s, 4 s late`.
  fileprivate var words: String {
    guard let delivered, let lateness else { return "missed: \(outcome.rawValue), \(outcome.words)" }
    let start = "delivered at \(Amount.seconds(delivered)), \(Amount.seconds(lateness)) late"
    return blockedBy.map { "\(start), because \($0.words) (\($0.rawValue))" } ?? start
  }

  /// The names of the constants behind the outcome and, if it was late, behind what blocked it.
  public var constants: [String] {
    // These constants matter only if an event was withheld. A denied permission is the user's decision.
    if outcome == .authDenied && !evidence.contains(where: { $0.what == .eventWithheld }) { return [] }
    let names = outcome.constants
    return names + (blockedBy?.constants.filter { !names.contains($0) } ?? [])
  }
}

/// Expectations of what the app can do at a certain time.
extension Simulation.Expectation {
  func stateMiss(in simulation: Simulation) -> ExpectationMiss? {
    guard let time else { return nil }
    guard time <= simulation.end, let window = simulation.window(at: time) else {
      return ExpectationMiss(
        expected: self,
        happened: "nothing is known: the simulation ended at \(Amount.seconds(simulation.end))",
        needs: time)
    }
    let left = window.remaining(at: time)
    switch claim {
    case .state(let state, _) where window.state == state: return nil
    case .remaining(let wanted, _) where Self.isSame(left, wanted): return nil
    default: break
    }
    var happened = "at \(Amount.seconds(time)) \(window.words)"
    if case .remaining = claim { happened += ", background time \(left.map(Amount.seconds) ?? "unlimited")" }
    return ExpectationMiss(
      expected: self, happened: happened, events: simulation.changes(until: time),
      constants: simulation.profile.constants(window.constants))
  }

  private static func isSame(_ left: Milliseconds?, _ wanted: Milliseconds?) -> Bool {
    guard let left, let wanted else { return left == wanted }
    return abs(left - wanted) <= 500
  }
}

extension Simulation {
  /// The last few changes of state or reason, as many as a verdict has events.
  func changes(until time: Milliseconds) -> [ExpectationMiss.Event] {
    var events: [ExpectationMiss.Event] = []
    for window in windows.prefix(while: { $0.time <= time }) where events.last?.what != window.words {
      events.append(.init(time: window.time, what: window.words))
    }
    return events.suffix(FactLog.limit)
  }
}

extension Window {
  /// `suspended: background time had run out (TASK_EXPIRED)`.
  fileprivate var words: String { state.rawValue + (why.map { ": \($0.words) (\($0.rawValue))" } ?? "") }

  /// The constants that this state depends on.
  fileprivate var constants: [String] {
    if let why { return why.constants }
    if state == .foreground { return [] }
    return expires == nil ? ["grace"] : ["grace", "task_cap"]
  }
}

/// Why a simulation did not meet an expectation, with the events and the constants that decided.
public struct ExpectationMiss: Error, Hashable, Sendable {
  /// Something that led to what happened.
  public struct Event: Hashable, Sendable {
    public var time: Milliseconds
    public var what: String
  }

  public var expected: Simulation.Expectation
  /// One line, such as `near at 46 s, missed: TASK_EXPIRED, background time had run out`.
  public var happened: String
  /// The last events before it, oldest first.
  public var events: [Event] = []
  /// The constants that the outcome depends on.
  public var constants: [StatedRule] = []
  /// Until when the simulation would have to last to decide; nil: it lasted long enough.
  public var needs: Milliseconds?
}

extension ExpectationMiss: CustomStringConvertible {
  /// Several lines, without a line break at the end.
  public var description: String {
    var lines = ["expected: \(expected)", "happened: \(happened)"]
    if !events.isEmpty {
      lines.append("decided by:")
      lines += events.map { "  \(Amount.seconds($0.time)): \($0.what)" }
    }
    if !constants.isEmpty {
      lines.append("depends on:")
      lines += constants.map {
        "  \($0.name) = \($0.value) (\($0.confidence.inWords); \($0.source.inWords))"
      }
    }
    return lines.joined(separator: "\n")
  }
}

extension Simulation.Expectation {
  /// Why a text is no expectation, and which forms there are.
  public struct Unreadable: Error, Hashable, Sendable, CustomStringConvertible {
    public var description: String
  }

  /// Longer texts, in bytes, are refused unread.
  public static let longest = 200

  static let forms =
    "delivered, delivered within 2 s, delivered by 47 s, late, missed, missed: TASK_EXPIRED, no trigger, "
    + "ranging at 50 s, remaining 91 s at 99 s, remaining unlimited at 5 s; for one trigger of several: delivered of near 2"

  /// Reads an expectation. Case and extra spaces do not matter. The text may be hostile.
  ///
  /// - Parameter time: when a state is expected, if the text does not say so with `at`.
  public init(_ text: String, at time: Milliseconds? = nil) throws(Unreadable) {
    guard text.utf8.count <= Self.longest else {
      throw Unreadable(
        description: "an expectation has at most \(Self.longest) bytes, and this has \(text.utf8.count)")
    }
    var words = text.lowercased().split { $0.isWhitespace || $0 == ":" }.map(String.init)
    trigger = try Self.takeTrigger(from: &words)
    let rest = Array(words.dropFirst())
    switch words.first {
    case "delivered": claim = try Self.delivery(rest, text)
    case "late" where rest.isEmpty: claim = .late
    case "missed": claim = .missed(try Self.reason(rest))
    case "no" where rest == ["trigger"]: claim = .noTrigger
    case "remaining": claim = try Self.remaining(rest, at: time)
    case let word?:
      guard let state = Window.State(rawValue: word) else { throw Self.unknown(text) }
      claim = .state(state, at: try Self.moment(rest[...], at: time, word))
    case nil: throw Self.unknown(text)
    }
    try refuseMisfits(at: time)
  }

  /// A trigger and a time that the claim cannot have.
  private func refuseMisfits(at time: Milliseconds?) throws(Unreadable) {
    switch claim {
    case .state, .remaining, .noTrigger:
      if trigger != nil {
        throw Unreadable(description: "\"of near\" goes with delivered, late and missed")
      }
    case .delivered, .deliveredWithin, .deliveredBy, .late, .missed: break
    }
    switch claim {
    case .state, .remaining: break
    case .delivered, .deliveredWithin, .deliveredBy, .late, .missed, .noTrigger:
      if time != nil {
        let states = Window.State.allCases.map(\.rawValue).joined(separator: ", ")
        throw Unreadable(
          description:
            "\"t\" goes with a state (\(states)) or with remaining; for a delivery write delivered by 47 s")
      }
    }
  }

  private static func takeTrigger(from words: inout [String]) throws(Unreadable) -> Int? {
    guard let place = words.firstIndex(of: "of") else { return nil }
    guard words.count == place + 3, words[place + 1] == "near", let number = Int(words[place + 2]),
      (1...1_000_000).contains(number)
    else {
      throw Unreadable(description: "\"of\" goes with near and the number of the trigger, from 1: of near 2")
    }
    words.removeSubrange(place...)
    return number
  }

  private static func delivery(_ rest: [String], _ text: String) throws(Unreadable) -> Claim {
    switch rest.first {
    case nil: return .delivered
    case "within": return .deliveredWithin(try duration(rest.dropFirst()))
    case "by": return .deliveredBy(try duration(rest.dropFirst()))
    default: throw unknown(text)
    }
  }

  private static func reason(_ rest: [String]) throws(Unreadable) -> Reason? {
    let code = rest.first == "because" ? Array(rest.dropFirst()) : rest
    if code.isEmpty, rest.isEmpty { return nil }
    if code.count == 1, let reason = Reason(rawValue: code[0].uppercased()), !reason.isDelivered {
      return reason
    }
    let all = Reason.allCases.filter { !$0.isDelivered }.map(\.rawValue).joined(separator: ", ")
    throw Unreadable(description: "\"\(code.joined(separator: " "))\" is no reason for a miss; one of \(all)")
  }

  private static func remaining(_ rest: [String], at time: Milliseconds?) throws(Unreadable) -> Claim {
    let end = rest.firstIndex(of: "at") ?? rest.endIndex
    let left: Milliseconds? = rest[..<end] == ["unlimited"] ? nil : try duration(rest[..<end])
    return .remaining(left, at: try moment(rest[end...], at: time, "remaining 91 s"))
  }

  /// `at 50 s`, or the given time.
  private static func moment(
    _ rest: ArraySlice<String>, at time: Milliseconds?, _ what: String
  ) throws(Unreadable) -> Milliseconds {
    if rest.isEmpty, let time { return time }
    guard rest.first == "at" else {
      throw Unreadable(description: "when is missing: \(what) at 50 s")
    }
    if time != nil { throw Unreadable(description: "the time stands here twice, in \"t\" and after \"at\"") }
    return try duration(rest.dropFirst())
  }

  /// An amount of one or two words.
  private static func duration(_ words: ArraySlice<String>) throws(Unreadable) -> Milliseconds {
    let text = words.joined(separator: " ")
    guard words.count <= 2, let time = Amount.duration(text) else {
      throw Unreadable(description: "\"\(text)\" is no duration such as 2 s, 1.5 min or 0")
    }
    return time
  }

  private static func unknown(_ text: String) -> Unreadable {
    Unreadable(description: "\"\(text.prefix(60))\" is no expectation; the forms are \(forms)")
  }
}
