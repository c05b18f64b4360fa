/// Rotations of a few regions in which one gap is unlike the others, and each turn is either as short or as long as possible.
///
/// If turns overlap, phones that arrive late in a turn have already noticed the next one. After a long turn, the gap after the
/// next one can then be wider than in an even rotation.
struct UnevenTurns {
  private let even: TurnCandidates

  private static let mostRegions = 3
  private static let mostPeriods: Milliseconds = 2000
  private static let mostGaps: Milliseconds = 24

  /// nil if uneven turns are useless, or if there are too many to try.
  init?(_ even: TurnCandidates) {
    let conditions = even.conditions
    guard (2...Self.mostRegions).contains(even.regions), conditions.slots > 1,
      (even.longestPeriod - even.shortestPeriod) / conditions.grid <= Self.mostPeriods
    else { return nil }
    self.even = even
  }

  /// The rotations with a period that leave no gap and wake phones in time.
  func gapFree(_ period: Milliseconds) -> [Rotation] {
    let grid = even.conditions.grid
    let steps = period / grid
    let others = Milliseconds(even.regions - 1)
    let apart = max(1, steps / Self.mostGaps)
    return stride(from: 1, through: steps - others, by: Int64.Stride(apart)).flatMap { last in
      let starts = (0...others).map { (steps - last) * $0 / others * grid }
      return rotations(period, starts).filter {
        let cover = SureCover(conditions: even.conditions, rotation: $0)
        return cover.isOnAirAsItMust && cover.longestWait <= even.conditions.firstWake && cover.isGapFree
      }
    }
  }

  /// Every choice of short and long turns that begin at these times.
  private func rotations(_ period: Milliseconds, _ starts: [Milliseconds]) -> [Rotation] {
    let conditions = even.conditions
    let regions = even.regions
    let still = Rotation(period: period, starts: starts, durations: starts.map { _ in 0 })
    let choices = (0..<regions).map { turn -> (short: Milliseconds, long: Milliseconds) in
      let gap = still.start(turn + 1) - still.start(turn)
      let short = max(
        conditions.shortestBroadcast, conditions.roundedUp(gap - conditions.firstWake + even.lostAtEnd))
      let free =
        regions > conditions.slots ? still.start(turn + conditions.slots) - still.start(turn) : period
      return (short, max(short, min(period - conditions.shortestSilence, free)))
    }
    return (0..<1 << regions).map { pattern in
      Rotation(
        period: period, starts: starts,
        durations: choices.enumerated().map { pattern & 1 << $0 == 0 ? $1.short : $1.long })
    }
  }
}
