/// What a phone's operating system allows: a constant for each rule, with source and confidence.
///
/// A plain value: to make another profile, copy one, change it and rename it.
public struct OSProfile: RuledProfile {
  public enum Family: String, Hashable, Sendable, CaseIterable {
    case iOS = "ios"
    case android
  }

  public var name: String
  public let family: Family
  /// One line of description.
  public var summary: String
  var constants: [Constant<ConstantValue>]
  /// Measurements by the rule's index in the table.
  var measured: [Int: Measured] = [:]

  public static var places: Range<Int> { RuleTable.shipped.systemPlaces }

  public subscript(place place: Int) -> Constant<ConstantValue> {
    get { constants[place] }
    set {
      constants[place] = newValue
      measured[place] = nil
    }
  }

  public mutating func setMeasured(_ measured: Measured, at place: Int) { self.measured[place] = measured }

  public func value(at place: Int) -> ConstantValue { constants[place].value }

  /// Drain while location of an accuracy runs, as a multiple of the drain without.
  func locationFactor(accuracy: Micrometres) -> Double {
    if accuracy <= .metres(10) { return self[.location10mFactor] }
    return accuracy <= .metres(100) ? self[.location100mFactor] : 1
  }
}

/// Which side a profile takes where the documents and later observations differ.
public enum Variant: String, Hashable, Sendable, CaseIterable {
  /// As in the five documents that the rules began with: no latencies, and their recipes work.
  case seed
  /// With the latencies and refusals observed since: the default.
  case observed

  /// As a header names it.
  public var words: String {
    switch self {
    case .seed: "as the original documents describe iOS (seed)"
    case .observed: "iOS as observed in the field (observed)"
    }
  }
}
