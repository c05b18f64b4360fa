import RangingPolicy

/// Regions that take turns: each on air equally long, one beginning every `spacing`.
struct Rotation: Hashable, Sendable {
  var regions: Int
  var spacing: Milliseconds
  var duration: Milliseconds

  var period: Milliseconds { Milliseconds(regions) * spacing }

  func plan() throws(WakePlan.Fault) -> WakePlan {
    try WakePlan(
      period: period,
      broadcasts: (0..<regions).map {
        WakePlan.Broadcast(region: $0, start: Milliseconds($0) * spacing, duration: duration)
      })
  }

  /// Less air time, as a share of time; then the shorter period.
  func isBetter(than other: Rotation) -> Bool {
    let (mine, theirs) = (duration * other.spacing, other.duration * spacing)
    return mine != theirs ? mine < theirs : period < other.period
  }
}

/// Looks for the rotation with the fewest regions, then the least air time, then the shortest period.
///
/// Turns of one length at one distance are enough: cover without a gap needs a callback in time after each that is, so
/// the least air time is that of the shortest broadcasts as far apart as the window allows, and so many regions are
/// needed that each can be silent for long enough in between. The tests hold this to an exhaustive search. Uneven turns
/// of two regions and more can be shorter where exits are as good as enters, and yet one region does not do: where
/// entry and exit latency are about alike and the window hardly longer. No profile that ships comes near.
struct RotationSearch {
  let conditions: WakeConditions

  /// No spacing beyond this is looked at: a rotation would be slower than people walk.
  static let longestSpacing: Milliseconds = 3_600_000

  /// nil: there is none.
  func best() -> Rotation? {
    for regions in 1...max(1, conditions.regions) {
      if let rotation = best(regions) { return rotation }
    }
    return nil
  }

  func best(_ regions: Int) -> Rotation? {
    var best: Rotation?
    for spacing in spacings(regions) {
      guard let duration = duration(spacing), let rotation = fitting(regions, spacing, duration) else {
        continue
      }
      if best.map({ rotation.isBetter(than: $0) }) ?? true { best = rotation }
    }
    return best
  }

  /// The gap-free rotation that wakes a phone the soonest after it came.
  func soonest() -> Rotation? {
    var soonest: Rotation?
    var wait = Milliseconds.max
    for regions in 1...max(1, conditions.regions) {
      for spacing in spacings(regions) {
        guard let duration = duration(spacing), let rotation = fitting(regions, spacing, duration) else {
          continue
        }
        let other = conditions.longestWait(spacing: spacing, duration: duration)
        if other < wait { (soonest, wait) = (rotation, other) }
      }
    }
    return soonest
  }

  /// Where there is no gap-free one: the rotation that covers the largest share of time for sure, then the shortest.
  func mostCovering() -> Rotation? {
    var most: Rotation?
    for spacing in spacings(conditions.regions) {
      guard
        let rotation = fitting(conditions.regions, spacing, conditions.shortestBroadcast)
      else { continue }
      guard let old = most else {
        most = rotation
        continue
      }
      if cover(rotation) * old.spacing > cover(old) * rotation.spacing { most = rotation }
    }
    return most
  }

  /// From the closest at which each region still has its silence to the farthest at which cover is possible.
  private func spacings(_ regions: Int) -> StrideThrough<Milliseconds> {
    let grid = conditions.grid
    let cycle = conditions.shortestBroadcast + conditions.shortestSilence
    let closest = (cycle + Milliseconds(regions) * grid - 1) / (Milliseconds(regions) * grid) * grid
    let farthest = max(closest, Milliseconds(conditions.enterCover.count + conditions.exitCover.count))
    return stride(
      from: max(grid, closest), through: min(farthest, Self.longestSpacing), by: Int64.Stride(grid))
  }

  /// The shortest broadcasts that at this spacing leave no gap and wake in time.
  private func duration(_ spacing: Milliseconds) -> Milliseconds? {
    var least = conditions.shortestBroadcast
    let late = conditions.longestWait(spacing: spacing, duration: least) - conditions.firstWake
    if late > 0 {
      guard conditions.firstWake >= conditions.entryLatency.upperBound else { return nil }
      least = roundedUp(least + late)
    }
    let (enter, exit) = (conditions.enterCover, conditions.exitCover)
    let (enters, exits) = (Milliseconds(enter.count), Milliseconds(exit.count))
    if enters >= spacing || exits >= spacing { return least }
    guard enters + exits >= spacing else { return nil }
    // The exit's window must begin before the enter's may close, and last until the next enter is sure.
    let offset = remainder(least + exit.lowerBound - enter.lowerBound, spacing)
    let wanted = spacing - exits...enters
    if wanted.contains(offset) { return least }
    let longer = roundedUp(least + remainder(wanted.lowerBound - offset, spacing))
    return wanted.contains(remainder(longer + exit.lowerBound - enter.lowerBound, spacing)) ? longer : nil
  }

  private func fitting(_ regions: Int, _ spacing: Milliseconds, _ duration: Milliseconds) -> Rotation? {
    let rotation = Rotation(regions: regions, spacing: spacing, duration: duration)
    let atOnce = (duration + spacing - 1) / spacing
    guard rotation.period >= duration + conditions.shortestSilence, atOnce <= conditions.slots,
      rotation.period <= WakePlan.longestPeriod
    else { return nil }
    return rotation
  }

  /// The share of time that is covered for sure, whatever the latencies.
  func sureShare(_ rotation: Rotation) -> Double { Double(cover(rotation)) / Double(rotation.spacing) }

  /// How much of each spacing is covered for sure.
  private func cover(_ rotation: Rotation) -> Milliseconds {
    let (enter, exit) = (conditions.enterCover, conditions.exitCover)
    let spacing = rotation.spacing
    let (enters, exits) = (Milliseconds(enter.count), Milliseconds(exit.count))
    if enters >= spacing || exits >= spacing { return spacing }
    let offset = remainder(rotation.duration + exit.lowerBound - enter.lowerBound, spacing)
    // The part of the exit's window that lies beyond the enter's, before its end and after the round.
    let beyond = max(0, min(offset + exits, spacing) - max(offset, enters))
    let wrapped = max(0, offset + exits - spacing - enters)
    return min(spacing, enters + beyond + wrapped)
  }

  private func roundedUp(_ time: Milliseconds) -> Milliseconds {
    (time + conditions.grid - 1) / conditions.grid * conditions.grid
  }

  private func remainder(_ time: Milliseconds, _ spacing: Milliseconds) -> Milliseconds {
    let rest = time % spacing
    return rest < 0 ? rest + spacing : rest
  }
}
