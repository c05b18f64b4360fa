/// A rule of the table: its name, its possible values, and its meaning.
public struct PolicyRule: Sendable {
  public enum Kind: Sendable {
    /// A length of time, at least the bound.
    case duration(atLeast: Milliseconds)
    case distance
    case count(ClosedRange<Int64>)
    case flag
    /// From 1 to 100.
    case factor
    case risk
  }

  /// The rule's index in the table.
  let place: Int
  /// As users write it: `task_cap`.
  public let name: String
  public let kind: Kind
  /// Whether `none` is a value.
  public let isOptional: Bool
  public let meaning: String
  /// For which strategies or systems the rule has a meaning.
  let condition: RuleCondition

  /// Parses a value: `180 s`, `50 m`, `true`, or `none` if the rule may have none.
  public func value(_ text: String) throws(ConstantError) -> ConstantValue {
    if isOptional && text == "none" { return .none }
    let orNone = isOptional ? ", or none" : ""
    switch kind {
    case .duration(let least):
      let time = try Self.read(text, Amount.duration, "a duration such as 180 s" + orNone)
      guard time >= least else { throw ConstantError("\(text) is less than \(Amount.seconds(least))") }
      return .number(time)
    case .distance:
      return .number(try Self.read(text, Amount.distance, "a distance such as 50 m" + orNone))
    case .count(let range):
      let wanted = "a whole number from \(range.lowerBound) to \(range.upperBound)"
      return .number(try Self.read(text, { Int64($0).flatMap { range.contains($0) ? $0 : nil } }, wanted))
    case .flag: return .flag(try Self.read(text, Bool.init, "true or false"))
    case .factor:
      let wanted = "a factor from 1 to 100"
      return .factor(
        try Self.read(text, { Double($0).flatMap { (1...100).contains($0) ? $0 : nil } }, wanted))
    case .risk: return .risk(try Self.read(text, StrategyProfile.Risk.init, "low, medium or high"))
    }
  }

  private static func read<Value>(
    _ text: String, _ parse: (String) -> Value?, _ wanted: String
  ) throws(ConstantError) -> Value {
    guard let value = parse(text) else { throw ConstantError("\(text) is not \(wanted)") }
    return value
  }

  /// A value as text.
  func text(_ value: ConstantValue) -> String {
    switch (value, kind) {
    case (.none, _): "none"
    case (.number(let time), .duration): Amount.seconds(time)
    case (.number(let distance), .distance): Amount.metres(distance)
    case (.number(let count), _): String(count)
    case (.flag(let flag), _): String(flag)
    case (.factor(let factor), _): String(factor)
    case (.risk(let risk), _): risk.rawValue
    }
  }

  /// Whether the rule can have the value.
  func takes(_ value: ConstantValue) -> Bool {
    switch (value, kind) {
    case (.none, _): isOptional
    case (.number, .duration), (.number, .distance), (.number, .count), (.flag, .flag), (.factor, .factor),
      (.risk, .risk):
      true
    default: false
    }
  }
}

/// Why a constant cannot be set.
public struct ConstantError: Error, Hashable, Sendable, CustomStringConvertible {
  public var description: String
  public init(_ description: String) { self.description = description }
}

/// A rule's value, source and confidence, to be read by people.
public struct StatedRule: Hashable, Sendable {
  public var name: String
  public var value: String
  public var source: PolicySource
  public var confidence: Confidence
}

/// The measurements of a rule, for people: values with the share of phones below them, and the share without an outcome.
public struct StatedSpread: Hashable, Sendable {
  public var name: String
  /// The values as in the table.
  public var values: String
  /// The values that 5, 50 and 95 of 100 draws do not exceed.
  public var low: String
  public var middle: String
  public var high: String
  /// The range of the share without an outcome, 0 to 1: the fewer trials, the wider.
  public var never: ClosedRange<Double>
  public var scope: String
  /// Whether an older system was measured. Draws then spread wider.
  public var isElsewhere: Bool
  public var source: PolicySource
  public var confidence: Confidence

  init(_ rule: PolicyRule, _ measured: Measured, isElsewhere: Bool) {
    func text(_ share: Double) -> String {
      rule.text(.number(Int64(measured.value(at: share, isElsewhere: isElsewhere).rounded())))
    }
    (name, values) = (rule.name, measured.text)
    (low, middle, high) = (text(0.05), text(0.5), text(0.95))
    func share(_ phone: Double) -> Double { measured.neverShare(of: phone, isElsewhere: isElsewhere) }
    never = share(0)...share(1)
    self.isElsewhere = isElsewhere
    (scope, source, confidence) = (measured.scope, measured.source, measured.confidence)
  }
}

/// Rules by their names in the program: `taskCap` is `task_cap` in the table.
public protocol TypedRule: RawRepresentable<Int>, CaseIterable, Hashable, Sendable {
  /// Where each rule stands in the table, in the order of the cases.
  static var places: [Int] { get }
}

/// Rules whose value is a length of time, a distance or a count.
public enum NumberRule: Int, TypedRule {
  case grace, taskCap, expirationMargin, killDelay, tickPeriod, emptyTicksPerTen
  case entryLatency, entryLatencyMost, exitLatency, screenWakeLatency, fixLatency
  case regionLimit, slotLimit, slowSlotLatency, falseExitLength, fetchTime
  case scanStartLimit, scanStartPeriod, bucketAllowance
  case heardDistance, heardDistanceLeast, heardDistanceMost, regionRank, slotsTaken
  case locationAccuracy, sampleInterval, scanPeriod, scanInterval, forgetsAfter, scanDuty, advertisingInterval

  public static let places = found()
}

/// Rules whose value is a length of time or a distance, or none.
public enum LimitRule: Int, TypedRule {
  case unheardInterval, falseExitAfter, locationAccuracyLimit, autoPauseAfter, stationaryAfter
  case serviceLimit, downgradesScanAfter, dozeAfter, endsAppAfter, dataSyncLimit
  case distanceFilter, sampleWindow, hitLatency, bucketPeriod

  public static let places = found()
}

public enum FlagRule: Int, TypedRule {
  case supportsBeacons, wakesForRegions, relaunchesAfterForceQuit, tellsWhenInUseApart, hasReducedAccuracy
  case needsAllowsFlag, allowsDistanceFilter, hasActivitySession, hasLiveActivities, needsServiceSession
  case scansBetweenCycles, screenOffNeedsFilter, startsServiceInBackground, startsServiceAtBoot,
    startsDataSyncAtBoot
  case serviceNeedsType
  case hasDevicePresence, filtersNeverForLocation
  case mayNotHear, rangingStarted, notifiesOnDisplay, awaitsEvents, holdsServiceSession
  case beginsTask, guardsTask, endsTask, taskGranted
  case startsLocation, hasBackgroundMode, allowsBackgroundUpdates
  case pausesAutomatically, pausesWhileAudio, resumesWhenMoving, hasAudioMode, timerFromFix
  case filtersScans, restartsLongScans, declaresServiceType, dataSync, neverForLocation

  public static let places = found()
}

public enum FactorRule: Int, TypedRule {
  case fullDutyFactor, location100mFactor, location10mFactor, nearSpread

  public static let places = found()
}

public enum RiskRule: Int, TypedRule {
  case risk, reviewRisk

  public static let places = found()
}

extension TypedRule {
  var place: Int { Self.places[rawValue] }

  /// `location100mFactor` is `location_100m_factor`.
  var name: String {
    "\(self)".reduce(into: "") { name, letter in
      let startsNumber = letter.isNumber && !(name.last?.isNumber ?? true)
      name += (letter.isUppercase || startsNumber ? "_" : "") + letter.lowercased()
    }
  }

  fileprivate static func found() -> [Int] {
    allCases.map(\.name).map { name in
      guard let rule = RuleTable.shipped.rules.first(where: { $0.name == name }) else {
        fatalError("\(name) is in no row of RuleTable.md")
      }
      return rule.place
    }
  }
}

/// Has a value for each of its rules: a system, a strategy, or both together.
public protocol RuledProfile: Hashable, Sendable {
  /// The indices of its rules in the table.
  static var places: Range<Int> { get }
  /// The constant of the rule at a place of the table.
  subscript(place place: Int) -> Constant<ConstantValue> { get set }
  /// The constant's value alone. This is quicker.
  func value(at place: Int) -> ConstantValue
  /// Sets the measurements of the rule at a place. The value of the typical phone is set separately.
  mutating func setMeasured(_ measured: Measured, at place: Int)
}

extension RuledProfile {
  /// Its rules, in the order of the table.
  public static var rules: ArraySlice<PolicyRule> { RuleTable.shipped.rules[places] }

  public subscript(rule: NumberRule) -> Int64 {
    get {
      guard case .number(let number) = value(at: rule.place) else { return 0 }
      return number
    }
    set { self[place: rule.place].value = .number(newValue) }
  }

  public subscript(rule: LimitRule) -> Int64? {
    get {
      guard case .number(let limit) = value(at: rule.place) else { return nil }
      return limit
    }
    set { self[place: rule.place].value = newValue.map(ConstantValue.number) ?? .none }
  }

  public subscript(rule: FlagRule) -> Bool {
    get { value(at: rule.place) == .flag(true) }
    set { self[place: rule.place].value = .flag(newValue) }
  }

  public subscript(rule: FactorRule) -> Double {
    get {
      guard case .factor(let factor) = value(at: rule.place) else { return 1 }
      return factor
    }
    set { self[place: rule.place].value = .factor(newValue) }
  }

  public subscript(rule: RiskRule) -> StrategyProfile.Risk {
    get {
      guard case .risk(let risk) = value(at: rule.place) else { return .high }
      return risk
    }
    set { self[place: rule.place].value = .risk(newValue) }
  }

  /// A risk with its source and confidence.
  public func constant(_ rule: RiskRule) -> Constant<StrategyProfile.Risk> {
    let constant = self[place: rule.place]
    return Constant(self[rule], constant.source, constant.confidence)
  }

  /// The value of a named rule as text, its source and confidence.
  public func told(_ name: String) -> StatedRule? { Self.rules.first { $0.name == name }.map(told) }

  public func told(_ rule: PolicyRule) -> StatedRule {
    let constant = self[place: rule.place]
    return StatedRule(
      name: rule.name, value: rule.text(constant.value), source: constant.source,
      confidence: constant.confidence)
  }

  /// Sets a constant for a user; an unknown name changes nothing.
  public mutating func set(_ name: String, to value: ConstantValue, source: String, confidence: Confidence) {
    guard let rule = Self.rules.first(where: { $0.name == name }) else { return }
    guard rule.takes(value) else { return assertionFailure("a value of another kind than its rule") }
    self[place: rule.place] = Constant(value, .user(source), confidence)
  }

  /// Sets a rule to measured values; an unknown name changes nothing.
  public mutating func set(_ name: String, to measured: Measured) {
    guard let rule = Self.rules.first(where: { $0.name == name }) else { return }
    take(measured, at: rule.place)
  }

  mutating func take(_ measured: Measured, at place: Int) {
    let typical = measured.typical(of: RuleTable.shipped.rules[place])
    self[place: place] = Constant(typical, measured.source, measured.confidence)
    setMeasured(measured, at: place)
  }

  /// Sets a constant for a user to the value in `text`. Returns false if no rule has this name.
  public mutating func set(
    _ name: String, to text: String, source: String, confidence: Confidence
  ) throws(ConstantError) -> Bool {
    guard let rule = Self.rules.first(where: { $0.name == name }) else { return false }
    set(name, to: try rule.value(text), source: source, confidence: confidence)
    return true
  }
}
