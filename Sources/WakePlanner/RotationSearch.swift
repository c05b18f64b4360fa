import RangingPolicy

/// Regions that take turns: each is on air equally long, and one begins every `spacing`.
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

  /// Whether it has the smaller share of air time or, if equal, the shorter period.
  func isBetter(than other: Rotation) -> Bool {
    let (mine, theirs) = (duration * other.spacing, other.duration * spacing)
    return mine != theirs ? mine < theirs : period < other.period
  }
}

/// Finds the rotation with the fewest regions, then the least air time, then the shortest period.
///
/// It only considers turns of equal length and equal spacing. That is enough: without a gap, each callback must be followed
/// by another in time. So the least air time comes from the shortest broadcasts, as far apart as the window allows, with
/// enough regions that each can be silent long enough in between. The tests compare this with an exhaustive search. Uneven
/// turns of two or more regions can be better only if exits are as good as enters and yet one region is not enough: entry
/// and exit latency must be about equal and the window hardly longer. No built-in profile comes close to that.
struct RotationSearch {
  let conditions: WakeConditions

  /// The largest spacing to consider. A rotation beyond it would be slower than people walk.
  static let longestSpacing: Milliseconds = 3_600_000

  /// nil if there is none.
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

  /// The gap-free rotation that wakes a phone soonest after its arrival.
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

  /// If no rotation is gap-free: the one that is certain to cover the largest share of time, then the shortest.
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

  /// The spacings to try, from the closest at which each region is silent long enough to the farthest that can still cover.
  private func spacings(_ regions: Int) -> StrideThrough<Milliseconds> {
    let grid = conditions.grid
    let cycle = conditions.shortestBroadcast + conditions.shortestSilence
    let closest = (cycle + Milliseconds(regions) * grid - 1) / (Milliseconds(regions) * grid) * grid
    let farthest = max(closest, Milliseconds(conditions.enterCover.count + conditions.exitCover.count))
    return stride(
      from: max(grid, closest), through: min(farthest, Self.longestSpacing), by: Int64.Stride(grid))
  }

  /// The shortest broadcasts that leave no gap at this spacing and wake phones in time.
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
    // The exit's window must begin before the enter's may close, and last until the next enter is certain.
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

  /// The share of time that is certain to be covered, whatever the latencies.
  func sureShare(_ rotation: Rotation) -> Double { Double(cover(rotation)) / Double(rotation.spacing) }

  /// How much of each spacing is certain to be covered.
  private func cover(_ rotation: Rotation) -> Milliseconds {
    let (enter, exit) = (conditions.enterCover, conditions.exitCover)
    let spacing = rotation.spacing
    let (enters, exits) = (Milliseconds(enter.count), Milliseconds(exit.count))
    if enters >= spacing || exits >= spacing { return spacing }
    let offset = remainder(rotation.duration + exit.lowerBound - enter.lowerBound, spacing)
    // The part of the exit's window outside the enter's window: up to the end of this round, then in the next one.
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
