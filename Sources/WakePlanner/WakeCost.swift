import RangingPolicy

/// What a plan costs a phone.
public struct WakeCost: Sendable, Hashable {
  /// Enters and exits that wake the app while it is within reach.
  public let callbacksPerMinute: Double
  /// Drain within reach, as a multiple of the drain without ranging.
  public let batteryWithinReach: Double
  /// Drain over a day with one such visit, and out of reach otherwise.
  public let batteryOfDay: Double
  /// The same day with location updates that always keep the app running (S3), if the system allows them.
  public let batteryOfLocationAlways: Double

  static let day: Milliseconds = 86_400_000

  init(_ trial: WakeTrial, _ circumstances: WakeTrial.Circumstances) {
    let visit = trial.simulation(circumstances)
    let minutes = Double(trial.visit.duration) / 60_000
    let calls = visit.callbacks.count { $0.time <= trial.visit.duration }
    callbacksPerMinute = minutes > 0 ? Double(calls) / minutes : 0
    batteryWithinReach = visit.batteryFactor
    batteryOfDay = Self.day(visit.profile, visit.timeline).batteryFactor
    var os = visit.profile.os
    os.locationAccuracyLimit.value = nil
    os.allowsDistanceFilter.value = true
    let always = Catalogue.strategy(named: "location-always").flatMap { PhoneProfile(os: os, strategy: $0) }
    batteryOfLocationAlways =
      always.map { Self.day($0, visit.timeline).batteryFactor } ?? os.fullDutyFactor.value
  }

  private static func day(_ profile: PhoneProfile, _ timeline: Timeline) -> Simulation {
    let near = NearDistances(near: nil, rearm: 0)
    let day = Approach(name: "", near: near, timeline: timeline).followedByAbsence(until: day)
    return Simulation(profile, near: near, timeline: day, keepsHistory: false)
  }
}
