/// The rotations worth trying for a number of regions and a period: turns that begin as evenly as the grid allows, each as long
/// as necessary.
///
/// Gaps differ by at most one step of the grid, and each turn has the length that its own gap requires. A phone that arrives
/// too late for a turn does not get its exit, so each gap must be covered by the turn before it. Less even turns are useful
/// only if turns overlap (`UnevenTurns`). The tests compare this with every pattern of on and off.
struct TurnCandidates {
  let conditions: WakeConditions
  let regions: Int

  /// The shortest period in which each region is on air and silent long enough.
  var shortestPeriod: Milliseconds {
    max(Milliseconds(regions) * conditions.grid, conditions.shortestBroadcast + conditions.shortestSilence)
  }

  /// The longest period that turns can cover.
  var longestPeriod: Milliseconds {
    let (enters, exits) = (
      Milliseconds(conditions.enterCover.count), Milliseconds(conditions.exitCover.count)
    )
    let gap = min(enters + (exitCanFollow ? exits : 0), RotationSearch.longestSpacing)
    return min(Milliseconds(regions) * gap, WakePlan.longestPeriod) / conditions.grid * conditions.grid
  }

  /// Whether an exit can come in the window of its own enter.
  private var exitCanFollow: Bool {
    conditions.shortestBroadcast + conditions.exitLatency.upperBound + 2 * conditions.tolerance
      <= conditions.entryLatency.lowerBound + conditions.window
  }

  /// The rotations with a period that leave no gap and wake phones in time.
  func gapFree(_ period: Milliseconds) -> [Rotation] {
    let starts = starts(period)
    let rotation = Rotation(period: period, starts: starts, durations: starts.map { _ in 0 })
    let least = durations(of: rotation, behind: 0) { gap in
      max(conditions.shortestBroadcast, gap - conditions.firstWake + lostAtEnd)
    }
    var choices = [least]
    for behind in 0..<min(regions, conditions.slots) {
      let long = durations(of: rotation, behind: behind) { exitReaching($0, isOwn: behind == 0) }
      choices.append(zip(least, long).map { max($0, $1) })
    }
    return choices.map { Rotation(period: period, starts: starts, durations: $0) }.filter {
      let cover = SureCover(conditions: conditions, rotation: $0)
      return cover.isOnAirAsItMust && cover.isGapFree && cover.longestWait <= conditions.firstWake
    }
  }

  /// The rotations with a period that cover a part of it: with the shortest turns, and with exits that come when the enter's
  /// window ends.
  func partial(_ period: Milliseconds) -> [Rotation] {
    let following =
      conditions.entryLatency.lowerBound + conditions.window
      - conditions.exitLatency.upperBound - 2 * conditions.tolerance
    let starts = starts(period)
    return [conditions.shortestBroadcast, max(conditions.shortestBroadcast, conditions.roundedUp(following))]
      .map { duration in
        Rotation(period: period, starts: starts, durations: starts.map { _ in duration })
      }
      .filter { SureCover(conditions: conditions, rotation: $0).isOnAirAsItMust }
  }

  private func starts(_ period: Milliseconds) -> [Milliseconds] {
    let steps = period / conditions.grid
    return (0..<regions).map { steps * Milliseconds($0) / Milliseconds(regions) * conditions.grid }
  }

  /// For each turn the duration that `wanted` returns for the time up to the start of a later turn.
  private func durations(
    of rotation: Rotation, behind: Int, _ wanted: (Milliseconds) -> Milliseconds
  ) -> [Milliseconds] {
    (0..<regions).map { turn in
      conditions.roundedUp(wanted(rotation.start(turn + behind + 1) - rotation.start(turn)))
    }
  }

  /// A phone that arrives this shortly before the end of a turn may miss it, and the start of the next one may be this late.
  var lostAtEnd: Milliseconds { 2 * (conditions.entryLatency.upperBound + conditions.tolerance) }

  /// The turn whose exit covers the time up to the enter of a turn that begins `gap` later.
  private func exitReaching(_ gap: Milliseconds, isOwn: Bool) -> Milliseconds {
    let (entry, window) = (conditions.entryLatency, conditions.window)
    let sure = gap + entry.upperBound + 2 * conditions.tolerance - window
    let exit = sure - conditions.exitLatency.lowerBound
    // After the next turn, a phone that was too late for this one has only the next enter.
    return isOwn ? exit : max(exit, sure + entry.upperBound - entry.lowerBound)
  }
}
