/// Regions that take turns: each is on air once in a period, for the duration of its turn.
///
/// Turns begin and end in the order of the regions. Two turns may overlap.
struct Rotation: Hashable, Sendable {
  var period: Milliseconds
  /// From the start of the period, ascending; the first is 0.
  var starts: [Milliseconds]
  var durations: [Milliseconds]

  var regions: Int { starts.count }
  /// Milliseconds on air in a period, summed over the regions.
  var airTime: Milliseconds { durations.reduce(0, +) }

  /// The start of a turn. Numbers continue through all periods, and are negative before the first.
  func start(_ turn: Int) -> Milliseconds {
    let round = turn >= 0 ? turn / regions : (turn + 1) / regions - 1
    return Milliseconds(round) * period + starts[turn - round * regions]
  }

  func duration(_ turn: Int) -> Milliseconds { durations[((turn % regions) + regions) % regions] }

  func end(_ turn: Int) -> Milliseconds { start(turn) + duration(turn) }

  func plan() throws(WakePlan.Fault) -> WakePlan {
    try WakePlan(
      period: period,
      broadcasts: starts.indices.map {
        WakePlan.Broadcast(region: $0, start: starts[$0], duration: durations[$0])
      })
  }

  /// Whether it wakes phones less often or, if equal, has the smaller share of air time or, if equal, the shorter period.
  func isBetter(than other: Rotation) -> Bool {
    let wakes = (Milliseconds(regions) * other.period, Milliseconds(other.regions) * period)
    if wakes.0 != wakes.1 { return wakes.0 < wakes.1 }
    let air = (airTime * other.period, other.airTime * period)
    return air.0 != air.1 ? air.0 < air.1 : period < other.period
  }
}
