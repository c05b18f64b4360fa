import Proximity
import RangingPolicy

/// `phones:` – a phone, the beacon that it carries, and what its app may do in the background.
public struct PhoneSettings: Hashable, Sendable {
  public var name: String
  /// A configured beacon, or a member of a region such as `fleet:1.2`.
  public var beacon: String
  /// The beacon's key in observations; nil if the key may vary.
  public var beaconKey: String?
  public var variant: Variant
  /// The system and the strategy, with the changes from the configuration.
  public var profile: PhoneProfile
  /// The zones that it names; nil: every zone with a near rule that watches its beacon.
  public var zones: [String]?
  /// Names of the entries of `beacons:` to which its beacon belongs.
  public var entries: Set<String>
  /// Its own distance to re-arm in metres; nil: that of each zone.
  public var rearm: Double?
  /// What counts as near, zone by zone; empty: nothing, so there is never a verdict.
  public var triggers: [Trigger]
  /// Whether the window is published once a second while background time runs out.
  public var countdown: Bool

  /// The near trigger of one zone.
  public struct Trigger: Hashable, Sendable {
    public var zone: String
    /// If the zone's threshold is a signal, `near` is nil, and `rearm` is `distanceless` unless the phone sets one.
    public var near: NearDistances
    /// The signal in dBm at which the phone counts as gone, if no distance is set for that.
    public var rearmSignal: Double?

    public init(zone: String, near: NearDistances, rearmSignal: Double? = nil) {
      self.zone = zone
      self.near = near
      self.rearmSignal = rearmSignal
    }

    /// The near rule of a zone for a phone; nil: the zone has none.
    ///
    /// - Parameter own: the phone's own distance to re-arm in metres.
    public init?(of zone: ZoneSettings, rearm own: Double?) {
      guard let rule = zone.near else { return nil }
      var (distance, signal) = (own, nil as Double?)
      switch rule.rearm {
      case .distance(let metres): distance = own ?? metres
      case .signal(let strength): signal = own == nil ? strength : nil
      }
      self.init(
        zone: zone.name,
        near: NearDistances(
          near: rule.distance.map(micrometres), rearm: distance.map(micrometres) ?? PhoneSettings.distanceless
        ),
        rearmSignal: signal)
    }
  }

  /// Stands for "no distance, only signal": half the largest distance that the engine accepts.
  public static let distanceless: Micrometres = 500_000_000_000

  public init(
    name: String, beacon: String, beaconKey: String? = nil, variant: Variant = .seed, profile: PhoneProfile,
    zones: [String]? = nil, entries: Set<String> = [], rearm: Double? = nil, triggers: [Trigger] = [],
    countdown: Bool = false
  ) {
    self.name = name
    self.beacon = beacon
    self.beaconKey = beaconKey
    self.variant = variant
    self.profile = profile
    self.zones = zones
    self.entries = entries
    self.rearm = rearm
    self.triggers = triggers
    self.countdown = countdown
  }

  /// Whether it is equal in effect. Such a phone keeps its state through a reload.
  public func means(_ other: PhoneSettings) -> Bool {
    var other = other
    (other.zones, other.entries, other.rearm) = (zones, entries, rearm)
    return self == other
  }

  /// Sets its triggers from the near rules of these zones.
  public mutating func follow(_ all: [ZoneSettings]) {
    let own =
      zones.map { names in names.compactMap { name in all.first { $0.name == name } } }
      ?? all.filter { $0.watches(anyOf: entries) }
    triggers = own.compactMap { Trigger(of: $0, rearm: rearm) }
  }

  /// The widest of its zones' rules, for simulations that know only a distance.
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
    Self.changed(Catalogue.systems(variant), by: systemChanges, \.name) {
      $0.set($1.name, to: $1.value, source: $1.source, confidence: $1.confidence)
    }
  }

  /// Every strategy: the built-in ones, then the user's own.
  public func strategies(_ variant: Variant = .seed) -> [StrategyProfile] {
    Self.changed(Catalogue.strategies(variant), by: strategyChanges, \.name) {
      $0.set($1.name, to: $1.value, source: $1.source, confidence: $1.confidence)
    }
  }

  private static func changed<Profile>(
    _ profiles: [Profile], by changes: [Change], _ name: WritableKeyPath<Profile, String>,
    _ set: (inout Profile, Setting) -> Void
  ) -> [Profile] {
    var profiles = profiles
    for change in changes {
      guard var profile = profiles.first(where: { $0[keyPath: name] == change.base }) else { continue }
      profile[keyPath: name] = change.name
      for setting in change.constants { set(&profile, setting) }
      if let place = profiles.firstIndex(where: { $0[keyPath: name] == change.name }) {
        profiles[place] = profile
      } else {
        profiles.append(profile)
      }
    }
    return profiles
  }
}

private func micrometres(_ metres: Double) -> Micrometres { Micrometres((metres * 1e6).rounded()) }
