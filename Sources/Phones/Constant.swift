import Beacons
import Core

/// A duration or point of time in whole milliseconds, on a clock that the caller chooses.
public typealias Milliseconds = Int64

/// A distance in whole micrometres, so that crossings are exact.
public typealias Micrometres = Int64

extension Milliseconds {
  static func minutes(_ count: Int64) -> Milliseconds { count * 60_000 }
  /// Later than everything that can happen.
  static let never = Milliseconds.max
}

extension Micrometres {
  static func metres(_ count: Int64) -> Micrometres { count * 1_000_000 }
}

/// How well a constant is known.
public enum Confidence: String, Hashable, Sendable, CaseIterable {
  /// Primary document, source code or device log.
  case high = "H"
  /// Credible secondary source.
  case medium = "M"
  /// Single report or inference.
  case low = "L"

  public var inWords: String {
    switch self {
    case .high: "certain"
    case .medium: "likely"
    case .low: "a guess"
    }
  }
}

/// A value of a rule, and its source.
public struct Constant<Value: Hashable & Sendable>: Hashable, Sendable {
  public var value: Value
  public var source: PolicySource
  public var confidence: Confidence

  public init(_ value: Value, _ source: PolicySource, _ confidence: Confidence) {
    self.value = value
    self.source = source
    self.confidence = confidence
  }
}

/// A value that a constant may take.
public enum ConstantValue: Hashable, Sendable {
  case none
  /// Milliseconds, micrometres or a count.
  case number(Int64)
  case flag(Bool)
  case factor(Double)
  case risk(StrategyProfile.Risk)
}

/// Where a constant's value comes from.
public enum PolicySource: Hashable, Sendable {
  /// A source in the table of rules. It uses document codes, `S0` to `S4`.
  case table(String)
  /// A user's own words. They may contain codes that are not ours.
  case user(String)

  /// The source as written.
  public var text: String {
    switch self {
    case .table(let text), .user(let text): text
    }
  }

  /// The source with document names in place of codes.
  public var inWords: String {
    switch self {
    case .table(let text): PolicyDocument.named(in: text)
    case .user(let text): text
    }
  }
}

/// A document that the rules come from.
public struct PolicyDocument: Sendable {
  public let code: String
  /// Its name within a sentence.
  public let name: String
  public let title: String

  public static var all: [PolicyDocument] { RuleTable.shipped.documents }

  /// Replaces document codes in our own text with names.
  public static func named(in text: String) -> String {
    var (named, rest) = ("", text[...])
    while let letter = rest.first {
      let word = rest.prefix { $0.isLetter || $0.isNumber }
      named += word.isEmpty ? String(letter) : all.first { $0.code == word }?.name ?? String(word)
      rest = rest.dropFirst(max(1, word.count))
    }
    return named
  }
}

extension StateCoder {
  /// A time that can be added to others without overflow.
  ///
  /// - Parameter other: a marker that is also allowed.
  mutating func callAsFunction(
    time name: StaticString, _ time: inout Milliseconds, or other: Milliseconds? = nil
  ) throws(StateError) {
    try self(name, &time)
    if isReading, time != other, time.magnitude > 1 << 53 { throw damaged }
  }

  mutating func callAsFunction(time name: StaticString, _ time: inout Milliseconds?) throws(StateError) {
    try self(name, &time)
    if isReading, let time, time.magnitude > 1 << 53 { throw damaged }
  }
}
