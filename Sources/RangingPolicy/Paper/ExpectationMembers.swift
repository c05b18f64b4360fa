import JSON

extension ScopedExpectation {
  /// The members of a line in a timeline, which is one approach.
  static let timelineMembers = ["t", "expect", "os", "strategy"]
  /// The members of a line in a file of expectations.
  static let fileMembers = ["t", "expect", "approach", "os", "strategy", "phone"]

  /// More expectations in one file are refused, so that what they cost has a bound.
  static let most = 10_000

  /// Reads `{"t":50,"expect":"ranging","os":"ios17"}`.
  init(_ object: FlatObject, members names: [String]) throws(JSONCursor.Malformed) {
    let members = try object.members(named: names, of: " of an expectation")
    guard let expect = members["expect"] else {
      throw JSONCursor.Malformed(
        offset: 0, message: "\"expect\" is missing, such as \"delivered within 2 s\"")
    }
    guard case .text(let text) = expect.value else {
      throw expect.malformed("\"expect\" is text in double quotes, such as \"delivered within 2 s\"")
    }
    let time = try members["t"].map { member throws(JSONCursor.Malformed) in try Self.time(member) }
    let expectation: Simulation.Expectation
    do throws(Simulation.Expectation.Unreadable) {
      expectation = try Simulation.Expectation(text, at: time)
    } catch {
      throw expect.malformed(error.description)
    }
    self.init(
      expectation, os: try Self.name(members["os"]), strategy: try Self.name(members["strategy"]),
      approach: try Self.name(members["approach"]), phone: try Self.name(members["phone"]))
  }

  static func time(_ member: FlatObject.Member) throws(JSONCursor.Malformed) -> Milliseconds {
    guard case .number(let seconds) = member.value, seconds >= 0, seconds <= 3.2e8 else {
      throw member.malformed("\"t\" is seconds, from 0 to ten years")
    }
    return Milliseconds((seconds * 1000).rounded())
  }

  private static func name(_ member: FlatObject.Member?) throws(JSONCursor.Malformed) -> String? {
    guard let member else { return nil }
    guard case .text(let name) = member.value, !name.isEmpty else {
      throw member.malformed("\"\(member.name)\" is a name in double quotes; without it any is meant")
    }
    return name
  }
}
