import RangingPolicy

/// What a rotation has to cope with: the phone's rules, the gateway's radio, and how soon a phone must be woken.
///
/// A callback may come at any time that its latency allows, each independently of the others. So an enter is sure to
/// have come at the latest moment after its region came on air, and the window that it opens is sure to last until the
/// window's length after the earliest.
public struct WakeConditions: Sendable, Hashable {
  /// How long the app ranges after a callback.
  public var window: Milliseconds
  /// From the time at which a region comes on air to its enter.
  public var entryLatency: ClosedRange<Milliseconds>
  /// From the end of a broadcast to the exit. A region on air again within the longest may cause neither exit nor enter.
  public var exitLatency: ClosedRange<Milliseconds>
  /// How far a broadcast's start and end may be off, either way.
  public var tolerance: Milliseconds
  /// A phone must have had its first callback so long after it came within reach.
  public var firstWake: Milliseconds
  /// Regions that the app may register for this, at most.
  public var regions: Int
  /// Advertising instances of the gateway's controller.
  public var slots: Int
  /// Starts and durations are multiples of this.
  public var grid: Milliseconds

  public init(
    window: Milliseconds, entryLatency: ClosedRange<Milliseconds>, exitLatency: ClosedRange<Milliseconds>,
    tolerance: Milliseconds = 1000, firstWake: Milliseconds = .max, regions: Int = WakePlan.mostRegions,
    slots: Int = 1, grid: Milliseconds = 1000
  ) {
    self.window = window
    self.entryLatency = entryLatency
    self.exitLatency = exitLatency
    self.tolerance = tolerance
    self.firstWake = firstWake
    self.regions = regions
    self.slots = slots
    self.grid = grid
  }

  /// When an enter is sure to have opened the window, from the start of its broadcast; when that may close.
  var enterCover: Range<Milliseconds> {
    cover(after: entryLatency)
  }

  /// The same for an exit, from the end of its broadcast.
  var exitCover: Range<Milliseconds> {
    cover(after: exitLatency)
  }

  private func cover(after latency: ClosedRange<Milliseconds>) -> Range<Milliseconds> {
    let from = latency.upperBound + tolerance
    return from..<max(from, latency.lowerBound + window - tolerance)
  }

  /// The shortest broadcast after which an enter is sure.
  public var shortestBroadcast: Milliseconds { above(entryLatency.upperBound + 2 * tolerance) }

  /// The shortest silence after which an exit is sure, and with it the next enter.
  public var shortestSilence: Milliseconds { above(exitLatency.upperBound + 2 * tolerance) }

  /// The longest time from coming within reach to the first callback, of regions that are on air for `duration` each and
  /// start `spacing` apart: the phone comes just too late for one of them.
  func longestWait(spacing: Milliseconds, duration: Milliseconds) -> Milliseconds {
    max(
      entryLatency.upperBound, spacing - duration + 2 * (entryLatency.upperBound + tolerance))
  }

  private func above(_ time: Milliseconds) -> Milliseconds { (time / grid + 1) * grid }
}
