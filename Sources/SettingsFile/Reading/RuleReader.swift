import Beacons
import Proximity

/// Reads `near:`, `enter:` or `exit:`: a threshold with its dwell, or only the threshold (`enter: 6 m`).
struct RuleReader {
  var threshold: Threshold?
  var dwell: TimeSpan
  var rearm: Threshold?
  var lost: LostRule?
  /// The values of threshold and rearm, for errors that are found later.
  var thresholdValue: Value?
  var rearmValue: Value?

  /// A longer one is surely a wrong unit.
  static let longestDwell = TimeSpan.seconds(24 * 3600)
  static let longestLoss = TimeSpan.seconds(30 * 24 * 3600)

  init?(_ value: Value, dwell defaultDwell: TimeSpan, alsoRearm: Bool = false, alsoLost: Bool = false) {
    dwell = defaultDwell
    if value.scalar != nil, !value.isNull {
      thresholdValue = value
      threshold = readThreshold(value)
      return
    }
    guard let section = value.section(hint: "for example { distance: 6 m, dwell: 3 s }") else { return nil }
    defer { section.finish() }
    let distance = section.take("distance")
    let signal = section.take("signal")
    if let signal, distance != nil {
      signal.error("\(value.name) has both a distance and a signal", hint: "keep one of them")
    } else if let written = distance ?? signal {
      thresholdValue = written
      threshold = readThreshold(written, among: distance == nil ? [.signal] : [.distance])
    }
    dwell = section.take("dwell").flatMap { readTime($0, upTo: Self.longestDwell) } ?? defaultDwell
    if alsoRearm {
      rearmValue = section.take("rearm")
      rearm = rearmValue.flatMap { readThreshold($0) }
    }
    if alsoLost { lost = section.take("lost").flatMap(readLost) }
    let mayDoWithout = alsoLost
    if distance == nil, signal == nil, !mayDoWithout, !section.hasUnknownKey {
      value.error("\(value.name) needs a distance or a signal", hint: "for example distance: 1.5 m")
    }
  }
}

private func readThreshold(_ value: Value, among dimensions: [Dimension] = [.distance, .signal]) -> Threshold?
{
  guard let measure = value.measure(among: dimensions) else { return nil }
  switch measure.dimension {
  case .distance:
    guard (0.01...1000).contains(measure.value) else {
      return value.refused("\(measure) is not a distance that a beacon can show", hint: "from 1 cm to 1000 m")
    }
    return .distance(measure.value)
  default:
    guard (-127...20).contains(measure.value) else {
      let meant = (20...127).contains(measure.value) ? "did you mean -\(measure)?" : nil
      return value.refused(
        "\(measure) is not a signal strength that a radio reports", hint: meant ?? "from -127 dBm to 20 dBm")
    }
    return .signal(measure.value)
  }
}

/// A time within these limits.
func readTime(_ value: Value, from least: TimeSpan = .zero, upTo limit: TimeSpan) -> TimeSpan? {
  guard let seconds = value.measure(.time) else { return nil }
  let time = TimeSpan.seconds(seconds)
  guard seconds >= 0, time >= least, time <= limit else {
    let range = "from \(Measure(.time, least.seconds)) to \(Measure(.time, limit.seconds))"
    return value.refused("\(value.name) cannot be \(Measure(.time, seconds))", hint: range)
  }
  return time
}

private func readLost(_ value: Value) -> LostRule? {
  if value.scalar == "auto" { return .auto }
  if let scalar = value.scalar, scalar.first?.isLetter == true {
    return value.refused(
      "lost must be auto or a time, not \(quoted(scalar))",
      hint: "auto learns it from the beacon's own interval")
  }
  return readTime(value, from: .seconds(1), upTo: RuleReader.longestLoss).map(LostRule.after)
}
