import Core

/// The time that a worker publishes for the site: its machine's clock, unless that was set wrong. A function of the times passed
/// in.
///
/// If a clock suddenly differs from the monotonic one, it was set. The new time is believed at once if most of the other workers
/// have it, or have machine clocks that were set to it. If no other worker is heard, it is believed after a minute. Until then
/// the old time continues, so that a clock that is wrong for some seconds changes nothing.
package struct FleetClock: Sendable {
  /// How long a worker that hears no other waits.
  package static let patience = TimeSpan.seconds(60)

  /// The believed time minus the monotonic one.
  private var offset: TimeSpan
  private var setSince: MonotonicTime?
  private(set) package var workers = WorkersClocks()

  package init(at now: MonotonicTime, system: WallTime) { offset = Self.offset(system, now) }

  /// How far the machine's clock is ahead of the believed time; nil: it is that time.
  package private(set) var system: TimeSpan?

  /// The believed time of a moment.
  package func time(at moment: MonotonicTime) -> WallTime {
    WallTime(nanoseconds: moment.nanoseconds) + offset
  }

  /// Looks at the machine's clock.
  ///
  /// - Returns: the believed time.
  package mutating func time(at now: MonotonicTime, system wall: WallTime) -> WallTime {
    let found = Self.offset(wall, now)
    let ahead = found - offset
    if ahead.isTolerable {
      (offset, setSince, system) = (found, nil, nil)
      return wall
    }
    let since = setSince ?? now
    (setSince, system) = (since, ahead)
    workers.forget(at: time(at: now))
    let (supporters, opponents) = workers.agreement(ahead)
    let isAlone = supporters + opponents == 0
    if supporters > opponents || isAlone && now - since >= Self.patience {
      workers.shift(by: ahead)
      (offset, setSince, system) = (found, nil, nil)
    }
    return time(at: now)
  }

  /// Processes another worker's tick.
  ///
  /// - Parameter wallNow: the believed time.
  package mutating func hear(_ tick: Tick, at wallNow: WallTime) { workers.hear(tick, at: wallNow) }

  private static func offset(_ wall: WallTime, _ now: MonotonicTime) -> TimeSpan {
    wall - WallTime(nanoseconds: now.nanoseconds)
  }
}

/// The other workers' clocks. A partition may use a tick that is ahead of them by `TickSchedule.skew` at most, whoever published
/// it.
package struct WorkersClocks: Sendable {
  /// A partition whose time is ahead by more than this begins anew. Otherwise it would decide nothing until the clocks reach
  /// that time.
  package static let longestLead = TimeSpan.seconds(60)

  private struct Other {
    /// How far its time is ahead of ours.
    var lead: TimeSpan
    /// How far its machine's clock is ahead of ours; nil: as far as its time.
    var system: TimeSpan?
    /// When this was received.
    var heard: WallTime
  }

  private var others: [String: Other] = [:]

  package init() {}

  /// Stores the time of another worker's clock.
  package mutating func hear(_ tick: Tick, at wallNow: WallTime) {
    forget(at: wallNow)
    guard others.count < 1000 || others[tick.worker] != nil else { return }
    let lead = tick.time - wallNow
    others[tick.worker] = Other(lead: lead, system: tick.system.map { lead + $0 }, heard: wallNow)
  }

  /// Forgets workers that were not heard for ten seconds.
  mutating func forget(at wallNow: WallTime) {
    others = others.filter { (wallNow - $0.value.heard).nanoseconds.magnitude < 10_000_000_000 }
  }

  package func believe(_ tick: Tick, at wallNow: WallTime) -> Bool {
    let lead = tick.time - wallNow
    if lead > TickSchedule.skew { return false }
    // If most other workers agree with the tick, our own clock is the wrong one.
    let ahead = others.values.count { lead - $0.lead > TickSchedule.skew }
    return ahead < 2 || ahead * 2 <= others.count
  }

  /// How many other workers have a time or a machine clock that is ahead of ours by `lead`, and how many have our time and no
  /// such clock.
  func agreement(_ lead: TimeSpan) -> (supporters: Int, opponents: Int) {
    let supporters = others.values.filter { other in
      (other.lead - lead).isTolerable || other.system.map { ($0 - lead).isTolerable } ?? false
    }
    let opponents = others.values.filter { other in
      other.lead.isTolerable && !(other.system.map { ($0 - lead).isTolerable } ?? false)
    }
    return (supporters.count, opponents.count)
  }

  /// How far the clocks of most workers, us included, are ahead of ours; nil: they are not, or no time has a majority.
  package var majorityLead: TimeSpan? {
    let all = others.values.map(\.lead) + [.zero]
    // If most have one time, the one in the middle has it.
    let lead = all.sorted()[all.count / 2]
    guard !lead.isTolerable, others.values.count(where: { ($0.lead - lead).isTolerable }) * 2 > all.count
    else { return nil }
    return lead
  }

  /// A worker whose time differs from ours, and by how much it is ahead; nil: there is none.
  package var difference: (worker: String, lead: TimeSpan)? {
    others.sorted { $0.key < $1.key }.first { !$0.value.lead.isTolerable }.map { ($0.key, $0.value.lead) }
  }

  /// Whether more workers have our time, us included, than have another.
  package var isOursCommon: Bool {
    let same = others.values.count { $0.lead.isTolerable }
    return same + 1 > others.count - same
  }

  /// Our own clock was corrected.
  mutating func shift(by span: TimeSpan) {
    others = others.mapValues {
      Other(lead: $0.lead - span, system: $0.system.map { $0 - span }, heard: $0.heard + span)
    }
  }
}

extension TimeSpan {
  /// Whether clocks may differ by this.
  package var isTolerable: Bool { nanoseconds.magnitude <= UInt64(TickSchedule.skew.nanoseconds) }
}
