import Core

/// An expectation of certain simulations only.
public struct ScopedExpectation: Hashable, Sendable {
  public var expectation: Simulation.Expectation
  /// The name of a system profile, or a version such as `iOS 18` that has none of its own; nil: any.
  public var os: String? { didSet { olderSystem = os.flatMap(Catalogue.systemName) } }
  /// The profile used for `os` if none has exactly this name. It is stored, because finding it takes longer than a simulation.
  private var olderSystem: String?
  /// The name of a strategy; nil: any.
  public var strategy: String?
  /// The name of an approach, or the last part of one that is a path; nil: any.
  public var approach: String?
  /// The name of a phone of the configuration; nil: any phone or none.
  public var phone: String?
  /// Its position in its file, from 1, the column in bytes; nil: not from a file.
  public var line: Int?
  public var column: Int?

  public init(
    _ expectation: Simulation.Expectation, os: String? = nil, strategy: String? = nil,
    approach: String? = nil,
    phone: String? = nil
  ) {
    self.expectation = expectation
    self.os = os
    olderSystem = os.flatMap(Catalogue.systemName)
    self.strategy = strategy
    self.approach = approach
    self.phone = phone
  }

  /// Whether it applies to a simulation.
  ///
  /// - Parameters:
  ///   - systems: every system that is simulated. A version without a profile uses the newest one up to it, unless one of these
  ///     has exactly its name.
  ///   - phone: nil: any phone with this profile.
  public func applies(
    to profile: PhoneProfile, of phone: String?, on approach: String, among systems: Set<String>
  ) -> Bool {
    if let wanted = self.phone, wanted != phone { return false }
    if let strategy, strategy != profile.strategy.name { return false }
    if let wanted = self.approach, wanted != approach, !approach.hasSuffix("/" + wanted) { return false }
    guard let os, os != profile.os.name else { return true }
    return !systems.contains(os) && olderSystem == profile.os.name
  }

  /// `os ios17, strategy stock`; empty: it is meant for everything.
  public var scope: String {
    [("approach", approach), ("os", os), ("strategy", strategy), ("phone", phone)].compactMap { name, value in
      value.map { "\(name) \($0)" }
    }.joined(separator: ", ")
  }
}

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

/// Reads expectations: one JSON object per line, `{"approach":"50m@1m/s","os":"ios17","expect":"delivered within 2 s"}`.
/// Every member but `expect` is optional and restricts it.
public struct ExpectationFile: Sendable {
  public private(set) var expectations: [ScopedExpectation] = []
  /// At most 20.
  public private(set) var faults: [TimelineFault] = []

  /// The bytes may be hostile.
  public init(_ bytes: [UInt8]) {
    for (index, text) in bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
      .enumerated()
    {
      let indent = text.prefix { $0 == 0x20 || $0 == 0x09 || $0 == 0x0D }.count
      if indent == text.count { continue }
      do throws(JSONCursor.Malformed) {
        let object = try FlatObject(Array(text))
        guard expectations.count < ScopedExpectation.most else {
          throw JSONCursor.Malformed(
            offset: 0, message: "more than \(ScopedExpectation.most) expectations: split the file")
        }
        var expectation = try ScopedExpectation(object, members: ScopedExpectation.fileMembers)
        expectation.line = index + 1
        expectation.column = indent + 1
        expectations.append(expectation)
      } catch {
        faults.append(TimelineFault(line: index + 1, column: error.offset + 1, message: error.message))
      }
      // Beyond the bound every line is the same fault.
      if faults.count == TimelineFile.faultLimit
        || expectations.count == ScopedExpectation.most && !faults.isEmpty
      {
        break
      }
    }
  }
}
