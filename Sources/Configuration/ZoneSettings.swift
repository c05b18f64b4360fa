import Core
import Proximity

/// `zones:` – a place, and its rules for near, enter and exit.
package struct ZoneSettings: Hashable, Sendable {
  package var name: String
  /// Names of receivers; nil: all.
  package var receivers: [String]?
  /// Names of beacons; nil: all configured ones.
  package var beacons: [String]?
  package var near: NearRule?
  package var enter: Rule
  package var exit: Rule
  package var lost = LostRule.auto
  /// Names of rooms: a beacon is in the zone while it is in one of them, and of the rules only the dwell times of `enter` and
  /// `exit` count. nil: receivers and thresholds decide.
  package var rooms: [String]?

  /// Whether it watches one of these entries of `beacons:`.
  package func watches(anyOf entries: Set<String>) -> Bool {
    beacons.map { !entries.isDisjoint(with: $0) } ?? true
  }
}

// MARK: Rules as they are written

/// A value of a zone's rules. The order matters: a default depends only on values before it.
package enum RulePlace: CaseIterable, Hashable, Sendable {
  case near, nearDwell, rearm
  case enter, enterDwell
  case exit, exitDwell, lost

  /// `threshold` stands for `distance` or `signal`.
  package enum Key: String, Sendable { case threshold, dwell, rearm, lost }

  package var rule: String {
    switch self {
    case .near, .nearDwell, .rearm: "near"
    case .enter, .enterDwell: "enter"
    case .exit, .exitDwell, .lost: "exit"
    }
  }

  package var key: Key {
    switch self {
    case .near, .enter, .exit: .threshold
    case .nearDwell, .enterDwell, .exitDwell: .dwell
    case .rearm: .rearm
    case .lost: .lost
    }
  }
}

package enum RuleValue: Hashable, Sendable {
  case threshold(Threshold)
  case time(TimeSpan)
  /// `lost: auto`.
  case auto

  /// Whether both are written the same.
  package func isClose(to other: RuleValue) -> Bool {
    switch (self, other) {
    case (.threshold(.distance(let a)), .threshold(.distance(let b))): abs(a - b) < 0.000_5
    case (.threshold(.signal(let a)), .threshold(.signal(let b))): abs(a - b) < 0.000_5
    case (.time(let a), .time(let b)): abs(a.seconds - b.seconds) < 0.000_5
    case (.auto, .auto): true
    default: false
    }
  }

  /// Whether it is a larger distance than a file may have. A default may be.
  package var isBeyondDistances: Bool {
    if case .threshold(.distance(let metres)) = self {
      metres > Threshold.distances.upperBound
    } else {
      false
    }
  }
}

/// The rules of a zone as written in the file or on the page.
package typealias WrittenRules = [RulePlace: RuleValue]

extension WrittenRules {
  package func threshold(_ place: RulePlace) -> Threshold? {
    if case .threshold(let threshold)? = self[place] { threshold } else { nil }
  }

  package func time(_ place: RulePlace) -> TimeSpan? {
    if case .time(let time)? = self[place] { time } else { nil }
  }
}

extension ZoneSettings {
  /// Weaker than any radio reports, so every beacon in range is inside.
  package static let heardAtAll = Threshold.signal(-127)

  /// A zone with these rules. A rule that is not written has its default:
  /// - `near.rearm`: twice the distance of near, or 6 dB weaker;
  /// - `enter`: twice the distance of near, or 6 dB weaker; without near, heard at any strength;
  /// - `exit`: 1.5 times the distance of enter, or 4 dB weaker;
  /// - dwell: near 2 s, enter 3 s, exit 10 s; `lost`: auto.
  ///
  /// In free space, twice the distance costs 6 dB, and 1.5 times the distance 3.5 dB.
  ///
  /// A zone of rooms has no thresholds, and no dwell unless it is written.
  package init(
    name: String, receivers: [String]? = nil, beacons: [String]? = nil, rooms: [String]? = nil,
    rules: WrittenRules
  ) {
    let dwells = rooms == nil ? (enter: TimeSpan.seconds(3), exit: TimeSpan.seconds(10)) : (.zero, .zero)
    let near = rooms == nil ? rules.threshold(.near) : nil
    let enter =
      rooms == nil
      ? rules.threshold(.enter) ?? near?.farther(times: 2, decibels: 6) ?? Self.heardAtAll : Self.heardAtAll
    let exit = rooms == nil ? rules.threshold(.exit) ?? enter.farther(times: 1.5, decibels: 4) : enter
    self.init(
      name: name, receivers: receivers, beacons: beacons,
      near: near.map {
        NearRule(
          rule: Rule(threshold: $0, dwell: rules.time(.nearDwell) ?? .seconds(2)),
          rearm: rules.threshold(.rearm) ?? $0.farther(times: 2, decibels: 6))
      },
      enter: Rule(threshold: enter, dwell: rules.time(.enterDwell) ?? dwells.enter),
      exit: Rule(threshold: exit, dwell: rules.time(.exitDwell) ?? dwells.exit),
      lost: rules.time(.lost).map(LostRule.after) ?? .auto, rooms: rooms)
  }

  /// All rules, including defaults.
  package var rules: WrittenRules {
    var rules: WrittenRules = [
      .enter: .threshold(enter.threshold), .enterDwell: .time(enter.dwell),
      .exit: .threshold(exit.threshold), .exitDwell: .time(exit.dwell), .lost: .auto,
    ]
    if let near {
      rules[.near] = .threshold(near.rule.threshold)
      rules[.nearDwell] = .time(near.rule.dwell)
      rules[.rearm] = .threshold(near.rearm)
    }
    if case .after(let span) = lost { rules[.lost] = .time(span) }
    return rules
  }
}

// MARK: Checks

extension ZoneSettings {
  /// A longer dwell is surely a wrong unit.
  package static let longestDwell = TimeSpan.seconds(24 * 3600)
  package static let shortestLoss = TimeSpan.seconds(1)
  package static let longestLoss = TimeSpan.seconds(30 * 24 * 3600)

  /// A contradiction between rules.
  package struct RuleFault {
    package var place: RulePlace
    package var isError = true
    package var fault: SettingFault
  }

  package var faults: [RuleFault] {
    guard rooms == nil else { return [] }
    return [rearmFault, nearFault, exitFault].compactMap(\.self)
  }

  private var rearmFault: RuleFault? {
    guard let near else { return nil }
    let (line, rearm) = (near.rule.threshold, near.rearm)
    switch rearm.isFarther(than: line) {
    case true?: return nil
    case false?:
      return RuleFault(
        place: .rearm,
        fault: SettingFault(
          "rearm (\(rearm.words)) must be farther than near (\(line.words)): near would fire again and again",
          hint: "try \(line.farther(times: 2, decibels: 6).words)"))
    case nil:
      return RuleFault(
        place: .rearm,
        fault: SettingFault(
          "rearm is \(rearm.dimension.noun) and near is \(line.dimension.noun); they cannot be compared",
          hint: "give both in \(line.dimension.units[0].word)"))
    }
  }

  private var nearFault: RuleFault? {
    guard let line = near?.rule.threshold else { return nil }
    switch line.isFarther(than: enter.threshold) {
    case true?:
      return RuleFault(
        place: .near,
        fault: SettingFault(
          "near (\(line.words)) is farther than enter (\(enter.threshold.words))",
          hint: "a beacon that is near is also inside: make near smaller or enter larger"))
    case false?: return nil
    case nil: return unlike(.near, "near", line)
    }
  }

  private var exitFault: RuleFault? {
    let (line, enter) = (exit.threshold, enter.threshold)
    // Any signal at all is both the widest possible enter and the widest possible exit.
    if line.isAnySignal, enter.isAnySignal { return nil }
    switch line.isFarther(than: enter) {
    case true?: return nil
    case false?:
      return RuleFault(
        place: .exit,
        fault: SettingFault(
          "exit (\(line.words)) must be farther than enter (\(enter.words)): a beacon on the line would go in and out",
          hint: "try \(enter.farther(times: 1.5, decibels: 4).words)"))
    case nil: return unlike(.exit, "exit", line)
    }
  }

  private func unlike(_ place: RulePlace, _ name: String, _ line: Threshold) -> RuleFault {
    let other = enter.threshold.dimension
    return RuleFault(
      place: place, isError: false,
      fault: SettingFault(
        "\(name) is \(line.dimension.noun) and enter is \(other.noun): nothing can be said of their order",
        hint: "give both in \(other.units[0].word), or make sure that they fit"))
  }
}

extension NearRule {
  /// In metres; nil: near is a signal.
  package var distance: Double? { if case .distance(let metres) = rule.threshold { metres } else { nil } }
}

extension Threshold {
  package static let distances = 0.01...1000.0

  /// A distance or a signal that a rule may have.
  package init(_ measure: Measure) throws(SettingFault) {
    switch measure.dimension {
    case .distance:
      guard Self.distances.contains(measure.value) else {
        throw SettingFault("\(measure) is not a distance that a beacon can show", hint: "from 1 cm to 1000 m")
      }
      self = .distance(measure.value)
    default:
      guard (-127...20).contains(measure.value) else {
        let meant = (20...127).contains(measure.value) ? "did you mean -\(measure)?" : nil
        throw SettingFault(
          "\(measure) is not a signal strength that a radio reports", hint: meant ?? "from -127 dBm to 20 dBm"
        )
      }
      self = .signal(measure.value)
    }
  }

  /// Reads a number with the unit of a distance or of a signal; nil for anything else.
  package init?(_ text: String) {
    guard let measure = try? Measure(text) else { return nil }
    switch measure.dimension {
    case .distance: self = .distance(measure.value)
    case .signal: self = .signal(measure.value)
    case .time, .speed, .gain, .size: return nil
    }
  }

  package var dimension: Dimension {
    switch self {
    case .distance: .distance
    case .signal: .signal
    }
  }

  package var measure: Measure {
    switch self {
    case .distance(let metres): Measure(.distance, metres)
    case .signal(let strength): Measure(.signal, strength)
    }
  }

  /// As text: `1.5 m`, `-70 dBm`.
  package var words: String { measure.description }

  /// Whether every signal meets it; for an exit, whether only silence does.
  package var isAnySignal: Bool { if case .signal(let strength) = self { strength <= -127 } else { false } }

  /// nil if one is a distance and the other a signal.
  package func isFarther(than other: Threshold) -> Bool? {
    switch (self, other) {
    case (.distance(let a), .distance(let b)): a > b
    case (.signal(let a), .signal(let b)): a < b
    case (.distance, .signal), (.signal, .distance): nil
    }
  }

  package func farther(times factor: Double, decibels: Double) -> Threshold {
    switch self {
    case .distance(let metres): .distance(metres * factor)
    case .signal(let strength): .signal(strength - decibels)
    }
  }
}
