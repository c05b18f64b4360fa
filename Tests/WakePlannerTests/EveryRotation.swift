/// The least air time of all rotations there are, on a coarse grid: every pattern of on and off for every region, against
/// every choice of latencies. It shares no code and no idea with the planner.
struct EveryRotation {
  /// All in steps of the grid.
  let window: Int
  let longestEntry: Int
  let longestExit: Int

  /// What the system knows of a region at the start of a step, and how long ago the app was last called.
  private struct State: Hashable {
    var isInside = false
    /// Steps until a callback; nil: none is due.
    var due: Int?
    var age: Int
  }

  /// For one to three regions: the fewest steps on air, added up, of a rotation of so many steps that leaves no gap.
  func leastAirTime(period: Int) -> [Int?] {
    let full = (1 << period) - 1
    let none = 1 << 20
    // By cover: the least air time of one region that covers at least that.
    var one = [Int](repeating: none, count: full + 1)
    for pattern in 1...full where pattern == smallestTurn(pattern, period) {
      let covered = sureCover(pattern, period)
      for shift in 0..<period {
        let turned = turn(covered, shift, period)
        one[turned] = min(one[turned], pattern.nonzeroBitCount)
      }
    }
    for bit in 0..<period {
      for cover in stride(from: full, through: 0, by: -1) where cover & 1 << bit == 0 {
        one[cover] = min(one[cover], one[cover | 1 << bit])
      }
    }
    one[0] = none
    var two = one
    for cover in 1...full {
      var part = cover
      while part > 0 {
        part = (part - 1) & cover
        if part > 0 { two[cover] = min(two[cover], one[part] + one[cover ^ part]) }
      }
    }
    var three = two[full]
    for part in 1..<full { three = min(three, two[part] + one[full ^ part]) }
    return [one[full], two[full], three].map { $0 < none ? $0 : nil }
  }

  /// The steps in which the app surely ranges for this region's callbacks, whatever the latencies.
  private func sureCover(_ pattern: Int, _ period: Int) -> Int {
    var states: Set<State> = [State(age: window)]
    var covered = (1 << period) - 1
    // First what was before the arrival passes; the latencies of one round may differ from those of the next.
    let settled = ((window + longestEntry + longestExit) / period + 2) * period
    for step in 0..<(settled + 2 * period) {
      let place = step % period
      let isOn = pattern & 1 << place != 0
      let wasOn = step > 0 && pattern & 1 << ((place + period - 1) % period) != 0
      var next: Set<State> = []
      for state in states {
        for now in begin(state, wasOn: wasOn, isOn: isOn) {
          if step >= settled && now.age >= window { covered &= ~(1 << place) }
          next.insert(
            State(isInside: now.isInside, due: now.due.map { $0 - 1 }, age: min(window, now.age + 1)))
        }
      }
      states = next
    }
    return covered
  }

  /// What may be after the edge at a step's start and the callback that is due then.
  private func begin(_ state: State, wasOn: Bool, isOn: Bool) -> [State] {
    var edged = [state]
    if isOn != wasOn {
      let isPending = isOn != state.isInside
      let latest = isOn ? longestEntry : longestExit
      let dues: [Int?] = isPending ? (0...latest).map { $0 } : [nil]
      edged = dues.map { State(isInside: state.isInside, due: $0, age: state.age) }
    }
    return edged.map { state in
      state.due == 0 ? State(isInside: !state.isInside, due: nil, age: 0) : state
    }
  }

  private func turn(_ bits: Int, _ shift: Int, _ period: Int) -> Int {
    (bits << shift | bits >> (period - shift)) & ((1 << period) - 1)
  }

  private func smallestTurn(_ bits: Int, _ period: Int) -> Int {
    (0..<period).map { turn(bits, $0, period) }.min() ?? bits
  }
}
