import Beacons
import Proximity

/// A value of a rule, and how it is written.
enum RuleValue: Equatable {
  case threshold(Threshold)
  case time(TimeSpan)
  /// `lost: auto`.
  case auto

  /// Whether both are written the same.
  func isClose(to other: RuleValue) -> Bool {
    switch (self, other) {
    case (.threshold(.distance(let a)), .threshold(.distance(let b))): abs(a - b) < 0.000_5
    case (.threshold(.signal(let a)), .threshold(.signal(let b))): abs(a - b) < 0.000_5
    case (.time(let a), .time(let b)): abs(a.seconds - b.seconds) < 0.000_5
    case (.auto, .auto): true
    default: false
    }
  }

  private var measure: Measure? {
    switch self {
    case .threshold(.distance(let metres)): Measure(.distance, metres)
    case .threshold(.signal(let strength)): Measure(.signal, strength)
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
    guard let measure = try? Measure(text) else {
      self = .auto
      return
    }
    switch measure.dimension {
    case .distance: self = .threshold(.distance(measure.value))
    case .signal: self = .threshold(.signal(measure.value))
    case .time, .speed, .gain, .size: self = .time(.seconds(measure.value))
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

extension LostRule {
  var value: RuleValue {
    switch self {
    case .auto: .auto
    case .after(let span): .time(span)
    }
  }
}
