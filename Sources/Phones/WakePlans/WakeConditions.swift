/// The conditions for a rotation: the phone's rules, the gateway's radio, and how soon a phone must be woken.
///
/// A callback may come at any time within its latency, independently of the others. So an enter is certain only
/// after the longest latency since its region came on air, and the window it opens is certain to last only until the
/// window's length after the shortest latency.
public struct WakeConditions: Sendable, Hashable {
  /// How long the app ranges after a callback.
  public var window: Milliseconds
  /// From the time at which a region comes on air to its enter.
  public var entryLatency: ClosedRange<Milliseconds>
  /// From the end of a broadcast to the exit. If a region is on air again within the longest latency, it may cause neither
  /// exit nor enter.
  public var exitLatency: ClosedRange<Milliseconds>
  /// How far the start and end of a broadcast may be off, in both directions.
  public var tolerance: Milliseconds = 1000
  /// The latest time after its arrival at which a phone must have had its first callback.
  public var firstWake = Milliseconds.max
  /// How many regions the app may register for this.
  public var regions = WakePlan.mostRegions
  /// Advertising instances of the gateway's controller.
  public var slots = 1
  /// Starts and durations are multiples of this.
  public var grid: Milliseconds = 1000

  /// From when an enter is certain to have opened the window, to when that may close; both from the start of its broadcast.
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

  /// The shortest broadcast that is certain to cause an enter.
  public var shortestBroadcast: Milliseconds { above(entryLatency.upperBound + 2 * tolerance) }

  /// The shortest silence that is certain to cause an exit, and so to allow the next enter.
  public var shortestSilence: Milliseconds { above(exitLatency.upperBound + 2 * tolerance) }

  /// The next multiple of the grid; 0 for negative times.
  func roundedUp(_ time: Milliseconds) -> Milliseconds {
    time > 0 ? (time + grid - 1) / grid * grid : 0
  }

  private func above(_ time: Milliseconds) -> Milliseconds { (time / grid + 1) * grid }
}
