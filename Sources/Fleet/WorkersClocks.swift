import Beacons

/// Whether a partition may believe a tick. No tick is ahead of the clocks of the workers by more than `TickSchedule.skew`, whoever
/// published it.
public struct WorkersClocks: Sendable {
  /// A partition whose time is ahead by more than this begins anew: until the clocks are there, nothing would happen in it.
  public static let longestLead = TimeSpan.seconds(60)

  /// How far each of the others' clocks is ahead of ours, and when that was heard.
  private var others: [String: (lead: TimeSpan, heard: WallTime)] = [:]

  public init() {}

  /// Notes what another worker's clock says.
  public mutating func hear(_ tick: Tick, at wallNow: WallTime) {
    others = others.filter { (wallNow - $0.value.heard).nanoseconds.magnitude < 10_000_000_000 }
    guard others.count < 1000 || others[tick.worker] != nil else { return }
    others[tick.worker] = (tick.time - wallNow, wallNow)
  }

  public func believe(_ tick: Tick, at wallNow: WallTime) -> Bool {
    let lead = tick.time - wallNow
    if lead > TickSchedule.skew { return false }
    // Our own clock may be the one that is wrong.
    let ahead = others.values.count { lead - $0.lead > TickSchedule.skew }
    return ahead < 2 || ahead * 2 <= others.count
  }
}
