import RangingPolicy

/// `phones:` – a phone, the beacon that it carries, and what its app may do in the background.
public struct PhoneSettings: Hashable, Sendable {
  public var name: String
  /// A configured beacon, or a member of a region such as `fleet:1.2`.
  public var beacon: String
  public var variant: Variant
  /// The system and the strategy, with the changes from the configuration.
  public var profile: PhoneProfile
  /// What counts as near, zone by zone; empty: nothing, so there is never a verdict.
  public var triggers: [Trigger]
  /// Whether the window is published once a second while background time runs out.
  public var countdown: Bool

  /// The near trigger of one zone.
  public struct Trigger: Hashable, Sendable {
    public var zone: String
    /// `near` is nil if the zone's threshold is a signal. `rearm` is then `distanceless` unless the phone sets one.
    public var near: NearDistances
    /// The signal in dBm at which the phone counts as gone, if no distance is set for that.
    public var rearmSignal: Double?

    public init(zone: String, near: NearDistances, rearmSignal: Double? = nil) {
      self.zone = zone
      self.near = near
      self.rearmSignal = rearmSignal
    }
  }

  /// Stands for "no distance, only signal": half the largest distance that the engine accepts.
  public static let distanceless: Micrometres = 500_000_000_000

  public init(
    name: String, beacon: String, variant: Variant = .seed, profile: PhoneProfile, triggers: [Trigger] = [],
    countdown: Bool = false
  ) {
    self.name = name
    self.beacon = beacon
    self.variant = variant
    self.profile = profile
    self.triggers = triggers
    self.countdown = countdown
  }

  /// One rule for all its zones, the widest: for simulations by distance alone, as of recordings.
  public var near: NearDistances {
    NearDistances(
      near: triggers.compactMap(\.near.near).max(),
      rearm: triggers.map(\.near.rearm).max() ?? Self.distanceless)
  }
}

/// `profiles:` – systems and strategies that the user adds or changes.
public struct ProfileSettings: Hashable, Sendable {
  /// A profile, given by its differences from another.
  public struct Change: Hashable, Sendable {
    /// If it is the name of a built-in profile, that one is replaced.
    public var name: String
    public var base: String
    public var constants: [Setting]

    public init(name: String, base: String, constants: [Setting]) {
      self.name = name
      self.base = base
      self.constants = constants
    }
  }

  /// A constant with its new value.
  public struct Setting: Hashable, Sendable {
    public var name: String
    public var value: ConstantValue
    public var source: String
    public var confidence: Confidence

    public init(name: String, value: ConstantValue, source: String, confidence: Confidence) {
      self.name = name
      self.value = value
      self.source = source
      self.confidence = confidence
    }
  }

  public var systemChanges: [Change] = []
  public var strategyChanges: [Change] = []

  public init() {}

  /// Every system: the built-in ones, then the user's own.
  public func systems(_ variant: Variant) -> [OSProfile] {
    var systems = Catalogue.systems(variant)
    for change in systemChanges {
      guard var profile = systems.first(where: { $0.name == change.base }) else { continue }
      profile.name = change.name
      for setting in change.constants {
        profile.set(
          setting.name, to: setting.value, source: setting.source, confidence: setting.confidence)
      }
      put(profile, in: &systems, \.name)
    }
    return systems
  }

  /// Every strategy: the built-in ones, then the user's own.
  public func strategies(_ variant: Variant = .seed) -> [StrategyProfile] {
    var strategies = Catalogue.strategies(variant)
    for change in strategyChanges {
      guard var profile = strategies.first(where: { $0.name == change.base }) else { continue }
      profile.name = change.name
      for setting in change.constants {
        profile.set(
          setting.name, to: setting.value, source: setting.source, confidence: setting.confidence)
      }
      put(profile, in: &strategies, \.name)
    }
    return strategies
  }

  private func put<Profile>(
    _ profile: Profile, in profiles: inout [Profile], _ name: (Profile) -> String
  ) {
    if let place = profiles.firstIndex(where: { name($0) == name(profile) }) {
      profiles[place] = profile
    } else {
      profiles.append(profile)
    }
  }
}
