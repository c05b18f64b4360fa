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
