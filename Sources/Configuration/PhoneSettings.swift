import Phones
import Proximity

/// `phones:` – a phone, the beacon that it carries, and what its app may do in the background.
package struct PhoneSettings: Hashable, Sendable {
  package var name: String
  /// A configured beacon, or a member of a region such as `fleet:1.2`.
  package var beacon: String
  /// The beacon's key in observations; nil if the key may vary.
  package var beaconKey: String?
  package var variant: Variant = .observed
  /// The system and the strategy, with the changes from the configuration.
  package var profile: PhoneProfile
  /// The zones that it names; nil: every zone with a near rule that watches its beacon.
  package var zones: [String]?
  /// Names of the entries of `beacons:` to which its beacon belongs.
  package var entries: Set<String> = []
  /// The phone's own distance to re-arm, in metres; nil: the distance of each zone.
  package var rearm: Double?
  /// What counts as near, zone by zone; empty: nothing, so there is never a verdict.
  package var triggers: [Trigger] = []
  /// Whether its app monitors a region for each of its zones, as where each place has a beacon of its own; else one for all.
  package var hasRegionOfEachZone = false
  /// Whether the window is published once a second while background time runs out.
  package var countdown: Bool = false

  /// The near trigger of one zone.
  package struct Trigger: Hashable, Sendable {
    package var zone: String
    /// If the zone's threshold is a signal, `near` is nil, and `rearm` is `distanceless` unless the phone sets one.
    package var near: NearDistances
    /// The signal in dBm at which the phone counts as gone, if no distance is set for that.
    package var rearmSignal: Double?

    package init(zone: String, near: NearDistances, rearmSignal: Double? = nil) {
      self.zone = zone
      self.near = near
      self.rearmSignal = rearmSignal
    }

    /// The near rule of a zone for a phone; nil: the zone has none.
    ///
    /// - Parameter own: the phone's own distance to re-arm in metres.
    package init?(of zone: ZoneSettings, rearm own: Double?) {
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
  package static let distanceless: Micrometres = 500_000_000_000

  /// Whether it is equal in effect. Such a phone keeps its state through a reload.
  package func means(_ other: PhoneSettings) -> Bool {
    var other = other
    (other.zones, other.entries, other.rearm) = (zones, entries, rearm)
    return self == other
  }

  /// Whether the predictions for both phones are the same, so that a record of one also judges the other.
  package func isJudged(as other: PhoneSettings) -> Bool {
    name == other.name && beacon == other.beacon && profile.os.name == other.profile.os.name
      && profile.strategy.name == other.profile.strategy.name
  }

  /// Sets its triggers from the near rules of these zones.
  package mutating func follow(_ all: [ZoneSettings]) {
    let own =
      zones.map { names in names.compactMap { name in all.first { $0.name == name } } }
      ?? all.filter { $0.watches(anyOf: entries) }
    triggers = own.compactMap { Trigger(of: $0, rearm: rearm) }
  }

  /// The widest of its zones' rules, for simulations that know only a distance.
  package var near: NearDistances {
    NearDistances(
      near: triggers.compactMap(\.near.near).max(),
      rearm: triggers.map(\.near.rearm).max() ?? Self.distanceless)
  }
}

/// `profiles:` – systems and strategies that the user adds or changes.
package struct ProfileSettings: Hashable, Sendable {
  /// A profile, given by its differences from another.
  package struct Change: Hashable, Sendable {
    /// If it is the name of a built-in profile, that one is replaced.
    package var name: String
    package var base: String
    package var constants: [Setting]
  }

  /// A constant with its new value.
  package struct Setting: Hashable, Sendable {
    package var name: String
    package var value: ConstantValue
    package var source: String
    package var confidence: Confidence
    /// A distribution over phones; `value` is what the typical one has. nil: all phones have the value.
    package var measured: Measured? = nil
  }

  package var systemChanges: [Change] = []
  package var strategyChanges: [Change] = []

  package init() {}

  /// Every system: the built-in ones, then the user's own.
  package func systems(_ variant: Variant) -> [OSProfile] {
    Self.changed(Catalogue.systems(variant), by: systemChanges, \.name) {
      $0.set($1)
    }
  }

  /// Every strategy: the built-in ones, then the user's own.
  package func strategies(_ variant: Variant = .observed) -> [StrategyProfile] {
    Self.changed(Catalogue.strategies(variant), by: strategyChanges, \.name) {
      $0.set($1)
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

extension RuledProfile {
  package mutating func set(_ setting: ProfileSettings.Setting) {
    if let measured = setting.measured { return set(setting.name, to: measured) }
    set(setting.name, to: setting.value, source: setting.source, confidence: setting.confidence)
  }
}
