import Beacons
import Core

/// What a phone's app can do from a certain time on.
public struct Window: Hashable, Sendable {
  public enum State: String, StateCoded, Hashable, Sendable, CaseIterable {
    case foreground
    /// In the background, and ranging.
    case ranging
    /// In the background and running, but not ranging.
    case background
    case suspended
    case terminated
  }

  public var state: State
  /// When this state began.
  public var since: Milliseconds
  /// When this was decided: later than `since` if only the countdown or the reason changed.
  public var time: Milliseconds
  /// When background time runs out; nil: unlimited.
  public var expires: Milliseconds?
  /// Why the app does not range; nil while it does.
  public var why: Reason?

  /// Background time left; nil: unlimited. Zero while suspended or terminated.
  public func remaining(at now: Milliseconds) -> Milliseconds? {
    if state == .suspended || state == .terminated { return 0 }
    return expires.map { max(0, $0 - now) }
  }
}

/// The outcome of one near trigger.
public struct Verdict: Hashable, Sendable {
  public var outcome: Reason
  /// When the near threshold was crossed.
  public var crossed: Milliseconds
  /// When the app's ranging saw it; nil: never.
  public var delivered: Milliseconds?
  /// When the verdict was reached.
  public var time: Milliseconds
  /// The first condition that blocked it, also if it was delivered late.
  public var blockedBy: Reason?
  public var evidence: [Fact]
  /// Which beacon of the timeline came near, from 0.
  public var beacon = 0

  public var lateness: Milliseconds? { delivered.map { $0 - crossed } }
}

/// The engine's output. The caller empties it.
public struct PolicyOutput: Sendable {
  public var windows: [Window] = []
  public var verdicts: [Verdict] = []
  /// Callbacks of wake regions only.
  public var callbacks: [RegionCallback] = []
  public init() {}

  public mutating func removeAll() {
    windows.removeAll(keepingCapacity: true)
    verdicts.removeAll(keepingCapacity: true)
    callbacks.removeAll(keepingCapacity: true)
  }
}

/// Sums since the start. All times in milliseconds.
public struct Totals: Hashable, Sendable {
  public var ranging: Milliseconds = 0
  /// How often ranging began.
  public var windows = 0
  public var location: Milliseconds = 0
  /// How often location began.
  public var samples = 0
  /// Receiver time in thousandths of a millisecond.
  var receiver: Int64 = 0
  /// The first region enter, or the first callback with the beacon in it.
  public var detected: Milliseconds?
  /// The smallest distance in any callback, metres.
  public var closestRanged: Double?

  public init() {}

  /// Drain as a multiple of the drain without ranging and location: linear in duty and in the time of location.
  public func batteryFactor(over span: Milliseconds, of profile: PhoneProfile) -> Double {
    guard span > 0 else { return 1 }
    let ranging = (profile.os[.fullDutyFactor] - 1) * Double(receiver) / 1000
    let locationFactor = profile.os.locationFactor(accuracy: profile.strategy[.locationAccuracy])
    return 1 + (ranging + (locationFactor - 1) * Double(location)) / Double(span)
  }
}

extension Window: StateElement {
  public init() { self.init(state: .foreground, since: 0, time: 0) }

  public mutating func fields(_ coder: inout StateCoder) throws(StateError) {
    try coder("state", &state)
    try coder(time: "since", &since)
    try coder(time: "time", &time)
    try coder(time: "expires", &expires)
    try coder("why", &why)
  }
}
