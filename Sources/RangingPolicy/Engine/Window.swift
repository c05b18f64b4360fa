/// What a phone's app can do from a time on.
public struct Window: Hashable, Sendable {
  public enum State: String, Hashable, Sendable, CaseIterable {
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
  /// When this was decided: later than `since` where only the countdown or the reason changed.
  public var time: Milliseconds
  /// When background time runs out; nil: without limit.
  public var expires: Milliseconds?
  /// Why the app does not range; nil while it does.
  public var why: Reason?

  /// Background time left; nil: without limit. Zero while suspended or terminated.
  public func remaining(at now: Milliseconds) -> Milliseconds? {
    if state == .suspended || state == .terminated { return 0 }
    return expires.map { max(0, $0 - now) }
  }
}

/// What became of one near trigger.
public struct Verdict: Hashable, Sendable {
  public var outcome: Reason
  /// When the near threshold was crossed.
  public var crossed: Milliseconds
  /// When the app's ranging saw it; nil where it never did.
  public var delivered: Milliseconds?
  /// When the verdict fell.
  public var time: Milliseconds
  /// The first thing that stood in the way, also where it was delivered late.
  public var blockedBy: Reason?
  public var evidence: [Fact]

  public var lateness: Milliseconds? { delivered.map { $0 - crossed } }
}

/// What the engine tells; the caller empties it.
public struct PolicyOutput: Sendable {
  public var windows: [Window] = []
  public var verdicts: [Verdict] = []
  /// Of wake regions only.
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
  /// Times that ranging began.
  public var windows = 0
  public var location: Milliseconds = 0
  /// Times that location began.
  public var samples = 0
  /// Receiver time in thousandths of a millisecond.
  var receiver: Int64 = 0
  /// First region enter or callback with the beacon in it.
  public var detected: Milliseconds?
  /// The nearest distance that a callback saw, metres.
  public var closestRanged: Double?

  /// Drain as a multiple of the drain without ranging: linear in duty.
  public func batteryFactor(over span: Milliseconds, fullDuty: Double) -> Double {
    guard span > 0 else { return 1 }
    return 1 + (fullDuty - 1) * Double(receiver) / 1000 / Double(span)
  }
}
