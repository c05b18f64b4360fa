/// A length or point of time in whole milliseconds, on a clock that the caller chooses.
public typealias Milliseconds = Int64

/// A distance in whole micrometres, so that crossings are exact.
public typealias Micrometres = Int64

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

/// A value in a profile, and its source.
public struct Constant<Value: Hashable & Sendable>: Hashable, Sendable {
  public var value: Value
  public var source: String
  public var confidence: Confidence

  public init(_ value: Value, _ source: String, _ confidence: Confidence) {
    self.value = value
    self.source = source
    self.confidence = confidence
  }
}

extension Milliseconds {
  static func seconds(_ count: Int64) -> Milliseconds { count * 1000 }
  static func minutes(_ count: Int64) -> Milliseconds { count * 60_000 }
  /// Later than everything that can happen.
  static let never = Milliseconds.max
}

extension Micrometres {
  static func metres(_ count: Int64) -> Micrometres { count * 1_000_000 }
}
