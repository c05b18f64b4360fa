/// Finds the rotation with the fewest regions, then the fewest wake-ups, then the least air time, then the shortest period.
///
/// Regions are scarce, because an app needs them for other purposes, too; app review objects to wake-ups. Periods are tried
/// from the longest that turns can cover, so the first that works has the fewest wake-ups. The tests compare this with an
/// exhaustive search.
struct RotationSearch {
  let conditions: WakeConditions

  /// The largest spacing to consider. A rotation beyond it would be slower than people walk.
  static let longestSpacing: Milliseconds = 3_600_000
  /// How many periods are tried for a rotation with gaps; in a larger range they are farther apart.
  private static let mostPeriods: Milliseconds = 2000

  /// nil if there is none.
  func best() -> Rotation? {
    guard conditions.firstWake >= conditions.entryLatency.upperBound else { return nil }
    for regions in 1...max(1, conditions.regions) {
      if let rotation = best(regions) { return rotation }
    }
    return nil
  }

  func best(_ regions: Int) -> Rotation? {
    let candidates = TurnCandidates(conditions: conditions, regions: regions)
    let uneven = UnevenTurns(candidates)
    let periods = stride(
      from: candidates.longestPeriod, through: candidates.shortestPeriod,
      by: -Int64.Stride(conditions.grid))
    for period in periods {
      var found = candidates.gapFree(period)
      if found.isEmpty, let uneven { found = uneven.gapFree(period) }
      if let first = found.first {
        return found.dropFirst().reduce(first) { $1.isBetter(than: $0) ? $1 : $0 }
      }
    }
    return nil
  }

  /// The gap-free rotation that wakes phones soonest after their arrival; nil if none is gap-free.
  func soonest() -> Rotation? {
    var search = self
    search.patience(.max)
    guard var soonest = search.best() else { return nil }
    var low = conditions.entryLatency.upperBound
    var high = SureCover(conditions: conditions, rotation: soonest).longestWait
    while low < high {
      let middle = low + (high - low) / 2
      search.patience(middle)
      if let sooner = search.best() {
        (soonest, high) = (sooner, middle)
      } else {
        low = middle + 1
      }
    }
    return soonest
  }

  private mutating func patience(_ firstWake: Milliseconds) {
    var conditions = conditions
    conditions.firstWake = firstWake
    self = RotationSearch(conditions: conditions)
  }

  /// If no rotation is gap-free: the one that is certain to cover the largest share of time, then that with the fewest
  /// wake-ups.
  func mostCovering() -> Rotation? {
    let candidates = TurnCandidates(conditions: conditions, regions: conditions.regions)
    let (shortest, longest) = (
      conditions.roundedUp(candidates.shortestPeriod),
      max(candidates.shortestPeriod, candidates.longestPeriod)
    )
    let steps = (longest - shortest) / conditions.grid / Self.mostPeriods + 1
    var most: (rotation: Rotation, time: Milliseconds)?
    for period in stride(from: shortest, through: longest, by: Int64.Stride(steps * conditions.grid)) {
      for rotation in candidates.partial(period) {
        let time = SureCover(conditions: conditions, rotation: rotation).time
        guard let old = most else {
          most = (rotation, time)
          continue
        }
        let (mine, theirs) = (time * old.rotation.period, old.time * period)
        if mine > theirs || (mine == theirs && rotation.isBetter(than: old.rotation)) {
          most = (rotation, time)
        }
      }
    }
    return most?.rotation
  }
}
