import Beacons
import Core

/// Decides whether a partition may use a tick. A tick may be ahead of the workers' clocks by `TickSchedule.skew` at most, whoever
/// published it.
package struct WorkersClocks: Sendable {
  /// A partition whose time is ahead by more than this begins anew. Otherwise it would decide nothing until the clocks reach
  /// that time.
  package static let longestLead = TimeSpan.seconds(60)

  /// How far each other worker's clock is ahead of ours, and when we learned that.
  private var others: [String: (lead: TimeSpan, heard: WallTime)] = [:]

  package init() {}

  /// Stores the time of another worker's clock.
  package mutating func hear(_ tick: Tick, at wallNow: WallTime) {
    others = others.filter { (wallNow - $0.value.heard).nanoseconds.magnitude < 10_000_000_000 }
    guard others.count < 1000 || others[tick.worker] != nil else { return }
    others[tick.worker] = (tick.time - wallNow, wallNow)
  }

  package func believe(_ tick: Tick, at wallNow: WallTime) -> Bool {
    let lead = tick.time - wallNow
    if lead > TickSchedule.skew { return false }
    // If most other workers agree with the tick, our own clock is the wrong one.
    let ahead = others.values.count { lead - $0.lead > TickSchedule.skew }
    return ahead < 2 || ahead * 2 <= others.count
  }
}
