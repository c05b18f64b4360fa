import Beacons
import Proximity
import Settings

extension RuleValue {
  private var measure: Measure? {
    switch self {
    case .threshold(let threshold): threshold.measure
    case .time(let span): Measure(.time, span.seconds)
    case .auto: nil
    }
  }

  /// As text: `1.5 m`, `-70 dBm`, `2 s`, `auto`; with the unit of the text that it replaces, if there is one.
  func text(like old: String? = nil) -> String {
    guard let measure else { return "auto" }
    return old.flatMap { measure.text(like: $0) } ?? measure.description
  }

  /// Reads back a text made by `text`, with its rounding.
  init(reading text: String) {
    if let threshold = Threshold(text) {
      self = .threshold(threshold)
    } else if let measure = try? Measure(text) {
      self = .time(.seconds(measure.value))
    } else {
      self = .auto
    }
  }

  /// The farthest that a file can say, where a default is beyond that. Nothing is weaker than -127 dBm, so there it means the same.
  var writable: RuleValue {
    switch self {
    case .threshold(.signal(let strength)) where strength < -127: .threshold(ZoneSettings.heardAtAll)
    default: isBeyondDistances ? .threshold(.distance(Threshold.distances.upperBound)) : self
    }
  }
}

extension RulePlace.Key {
  /// As the file calls it.
  func name(of value: RuleValue) -> String {
    switch value {
    case .threshold(.distance) where self == .threshold: "distance"
    case .threshold(.signal) where self == .threshold: "signal"
    default: rawValue
    }
  }
}

extension Measure {
  /// Its text with the unit and the spacing of another measure; nil if that does not fit.
  fileprivate func text(like old: String) -> String? {
    guard let measure = try? Measure(old), measure.dimension == dimension else { return nil }
    let tail = old.drop { "+-\u{2212}.0123456789".contains($0) }
    let word = tail.drop { !$0.isLetter }.lowercased()
    guard let unit = dimension.units.first(where: { $0.word.lowercased() == word }) else { return nil }
    let number = value / unit.factor
    // People write 0.75 m and 90 s, but neither 0.002 km nor 36000 s.
    guard abs(number) >= 0.1 || number == 0, abs(number) < 1000 else { return nil }
    let rounded = (number * 1000).rounded() / 1000
    let digits = rounded == rounded.rounded() ? "\(Int(rounded))" : "\(rounded)"
    return digits + tail
  }
}
