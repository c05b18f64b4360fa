/// The built-in profiles, by name.
public enum Catalogue {
  private static let all = Dictionary(
    uniqueKeysWithValues: Variant.allCases.map {
      ($0, (systems: RuleTable.shipped.systems($0), strategies: RuleTable.shipped.strategies($0)))
    })

  /// Every operating system, oldest first. `variant` affects iOS only.
  public static func systems(_ variant: Variant = .observed) -> [OSProfile] { all[variant]?.systems ?? [] }

  public static func strategies(_ variant: Variant = .observed) -> [StrategyProfile] {
    all[variant]?.strategies ?? []
  }

  public static func system(named name: String, variant: Variant = .observed) -> OSProfile? {
    systems(variant).first { $0.name == name }
  }

  /// The profile for a version that has none of its own, as `ios9` for `ios12` and `ios18` for `iOS 25`:
  /// the newest of the same family that is not newer. nil if the version cannot be read, or all are newer.
  public static func systemName(for version: String) -> String? {
    guard version.utf8.count <= 20 else { return nil }
    let letters = version.lowercased().filter { $0 != " " && $0 != "-" }
    for family in [OSProfile.Family.iOS, .android] where letters.hasPrefix(family.rawValue) {
      // `16.4.1` is 16.4, as far as the profiles go.
      let parts = letters.dropFirst(family.rawValue.count).split(
        separator: ".", omittingEmptySubsequences: false)
      guard parts.count <= 4, parts.allSatisfy({ !$0.isEmpty && $0.allSatisfy { ("0"..."9").contains($0) } }),
        let wanted = Double(parts.prefix(2).joined(separator: "."))
      else { return nil }
      // iOS 7.0 has a profile of its own beside that of 7.1 and later, `ios7`.
      let exact = family.rawValue + parts.prefix(2).joined(separator: ".")
      if system(named: exact) != nil { return exact }
      let older = systems().filter { system in
        let number = Double(system.name.dropFirst(family.rawValue.count))
        return system.family == family && (number.map { $0 <= wanted } ?? false)
      }
      return older.last?.name
    }
    return nil
  }

  public static var devices: [Circumstance] { RuleTable.shipped.devices }
  public static var conditions: [Circumstance] { RuleTable.shipped.conditions }

  public static func strategy(named name: String, variant: Variant = .observed) -> StrategyProfile? {
    strategies(variant).first { $0.name == name }
  }

  /// The name of a device on which a rule is known to differ, if the profile names no device. For a rule without a value, also
  /// the name of a condition under which it has one.
  static func exception(to rule: String, of profile: PhoneProfile, isNone: Bool) -> String? {
    let namesDevice = devices.contains { profile.circumstances.contains($0.name) }
    let others = (namesDevice ? [] : devices) + (isNone ? conditions : [])
    return others.first { other in
      other.family == profile.os.family && !profile.circumstances.contains(other.name)
        && RuleTable.shipped.differs(rule, under: other.name)
    }?.name
  }
}

/// A device or a condition of a phone, which has rules of its own.
public struct Circumstance: Hashable, Sendable {
  public var name: String
  public var family: OSProfile.Family
  public var summary: String
}

/// An operating system and a strategy that works on it.
public struct PhoneProfile: RuledProfile {
  public var os: OSProfile
  public var strategy: StrategyProfile
  /// The device and the conditions whose rules the phone has.
  public private(set) var circumstances: [String] = []

  /// nil if the strategy does not exist on that system; `mismatch` says why.
  public init?(os: OSProfile, strategy: StrategyProfile) {
    guard Self.mismatch(os: os, strategy: strategy) == nil else { return nil }
    self.os = os
    self.strategy = strategy
  }

  public static var places: Range<Int> { RuleTable.shipped.rules.indices }

  public subscript(place place: Int) -> Constant<ConstantValue> {
    get { place < OSProfile.places.upperBound ? os[place: place] : strategy[place: place] }
    set {
      if place < OSProfile.places.upperBound {
        os[place: place] = newValue
      } else {
        strategy[place: place] = newValue
      }
    }
  }

  /// The measurements of rules, by place. A rule that a user sets has the same value on all phones.
  var measured: [Int: Measured] { os.measured.merging(strategy.measured) { $1 } }

  public mutating func setMeasured(_ measured: Measured, at place: Int) {
    if place < OSProfile.places.upperBound {
      os.setMeasured(measured, at: place)
    } else {
      strategy.setMeasured(measured, at: place)
    }
  }

  /// The measurements of this platform's rules, in the order of the table.
  public var spreads: [StatedSpread] {
    measured.sorted { $0.key < $1.key }.map {
      StatedSpread(Self.rules[$0.key], $0.value, isElsewhere: isOlder($0.value))
    }.filter { Self.rulesOfAndroid.contains($0.name) == (os.family == .android) }
  }
  /// The measured rules that only Android has.
  static let rulesOfAndroid = [
    "scan_interval", "hit_latency", "doze_after", "filters_scans", "ends_app_after",
  ]

  public func measured(_ name: String) -> Measured? {
    Self.rules.first { $0.name == name }.flatMap { measured[$0.place] }
  }

  public func value(at place: Int) -> ConstantValue {
    place < OSProfile.places.upperBound ? os.value(at: place) : strategy.value(at: place)
  }

  /// The named rules that have a value and a meaning on this platform.
  public func constants(_ names: [String]) -> [StatedRule] {
    // If a beacon advertises too seldom, these rules also decide whether it is heard.
    let isSlow = os[.unheardInterval].map { strategy[.advertisingInterval] >= $0 } ?? false
    let slow = isSlow && names.contains("heard_distance") ? ["unheard_interval", "advertising_interval"] : []
    return (names + slow).compactMap { name in
      Self.rules.first { $0.name == name && $0.condition.concerns(os.family) }
    }
    .map(told).filter { $0.value != "none" }
  }

  /// The names of the system's rules that this strategy meets.
  public var systemRuleNames: [String] {
    OSProfile.rules.filter { $0.condition.holds(for: strategy) }.map(\.name)
  }

  /// Why a strategy does not exist on a system, as text; nil if it does.
  public static func mismatch(os: OSProfile, strategy: StrategyProfile) -> String? {
    if strategy.mechanism.family != os.family {
      let other = strategy.mechanism.family == .iOS ? "an iOS" : "an Android"
      return "\(strategy.name) is \(other) strategy, and \(os.name) is not"
    }
    if strategy.mechanism == .activitySession || strategy.needs == .newerLocation,
      !os[.hasActivitySession]
    {
      return "\(strategy.name) needs iOS 17, not \(os.name)"
    }
    if strategy.needs == .liveActivities && !os[.hasLiveActivities] {
      return "\(strategy.name) needs iOS 16.1, not \(os.name)"
    }
    if strategy.needs == .devicePresence && !os[.hasDevicePresence] {
      return "\(strategy.name) needs Android 12 or later, not \(os.name)"
    }
    if strategy.mechanism == .job || strategy.mechanism == .intent || strategy.mechanism == .foregroundService
    {
      if os[.serviceLimit] == nil { return "\(strategy.name) needs Android 8 or later, not \(os.name)" }
    }
    return nil
  }

  /// The same phone as a device of this name, or under a condition. Their rules override those of the system.
  ///
  /// nil: this family has no device or condition of that name.
  public func under(_ name: String, _ variant: Variant) -> PhoneProfile? {
    let table = RuleTable.shipped
    guard let circumstance = (table.devices + table.conditions).first(where: { $0.name == name }),
      circumstance.family == os.family
    else { return nil }
    var profile = self
    let chain = Catalogue.systems(variant).filter { $0.family == os.family }.map(\.name)
    let systems = chain.prefix { $0 != os.name } + [os.name]
    for (place, constant) in table.constants(under: name, variant) {
      profile[place: place] = constant
    }
    for (place, measured) in table.measured(under: name, systems.reversed(), variant) {
      profile.take(measured, at: place)
    }
    profile.circumstances.append(name)
    return profile
  }

  /// Every possible pair, ordered by system.
  public static func all(_ variant: Variant = .observed) -> [PhoneProfile] {
    Catalogue.systems(variant).flatMap { os in
      Catalogue.strategies(variant).compactMap { PhoneProfile(os: os, strategy: $0) }
    }
  }
}
