/// Every rotation of a few regions on a coarse grid: every pattern of on and off for each region, every time at which a phone
/// may come, every choice of latencies. It shares no code and no idea with the planner.
struct EveryRotation {
  /// All in steps of the grid.
  let window: Int
  let longestEntry: Int
  let longestExit: Int
  let period: Int

  /// One region's pattern and, by when a phone comes, what it may find: a bit for each step since then.
  private struct Region {
    var pattern: Int
    var broadcasts: Int
    /// Steps in which no window of this region may be open.
    var closed: [UInt64]
    /// Those of them after a callback.
    var closedAgain: [UInt64]
  }

  /// A rotation that leaves no gap.
  struct Found: Hashable {
    var broadcasts: Int
    var airTime: Int
    /// The most regions on air at once.
    var slots: Int
    /// The longest time from coming to the first callback.
    var wait: Int
  }

  /// What the system knows of a region, and how long ago the app was last called.
  private struct State: Hashable {
    var isInside = false
    /// Steps until a callback; nil: none is due.
    var due: Int?
    var age: Int
    var wasCalled = false
  }

  private var steps: Int { min(63, window + longestEntry + longestExit + 3 * period) }

  /// Those of one region and of two, and of three in short periods.
  func gapFree() -> [Set<Found>] {
    let every = regions()
    // A rotation is the same wherever its period is said to begin.
    let first = every.filter { region in
      region.pattern == (0..<period).map { turn(region.pattern, $0) }.min()
    }
    var found: [Set<Found>] = [[], [], []]
    for one in first {
      if let alone = judge([one]) { found[0].insert(alone) }
      for two in every where two.pattern >= one.pattern {
        if let both = judge([one, two]) { found[1].insert(both) }
        guard period <= 5 else { continue }
        for three in every where three.pattern >= two.pattern {
          if let all = judge([one, two, three]) { found[2].insert(all) }
        }
      }
    }
    return found
  }

  private func judge(_ regions: [Region]) -> Found? {
    var wait = 0
    for coming in 0..<period {
      var closed = UInt64.max
      var again: UInt64 = 0
      for region in regions {
        closed &= region.closed[coming]
        again |= region.closedAgain[coming]
      }
      guard closed & again == 0 else { return nil }
      // Without a gap only the steps before the first callback are left.
      let waited = (~closed).trailingZeroBitCount
      guard waited < steps else { return nil }
      wait = max(wait, waited)
    }
    let slots = (0..<period).map { step in regions.count { $0.pattern & 1 << step != 0 } }.max() ?? 0
    return Found(
      broadcasts: regions.reduce(0) { $0 + $1.broadcasts },
      airTime: regions.reduce(0) { $0 + $1.pattern.nonzeroBitCount }, slots: slots, wait: wait)
  }

  private func regions() -> [Region] {
    var regions: [Region] = []
    for pattern in 1..<(1 << period) - 1 {
      let broadcasts = (0..<period).count { step in
        pattern & 1 << step != 0 && pattern & 1 << ((step + period - 1) % period) == 0
      }
      let phones = (0..<period).map { phone(coming: $0, pattern) }
      regions.append(
        Region(
          pattern: pattern, broadcasts: broadcasts, closed: phones.map(\.closed),
          closedAgain: phones.map(\.again)))
    }
    return regions
  }

  private func phone(coming: Int, _ pattern: Int) -> (closed: UInt64, again: UInt64) {
    var states: Set<State> = [State(age: window)]
    var (closed, again) = (UInt64(0), UInt64(0))
    for step in 0..<steps {
      let place = (coming + step) % period
      let isOn = pattern & 1 << place != 0
      let wasOn = step > 0 && pattern & 1 << ((place + period - 1) % period) != 0
      var next: Set<State> = []
      for now in states.flatMap({ begin($0, wasOn: wasOn, isOn: isOn) }) {
        if now.age >= window {
          closed |= 1 << UInt64(step)
          if now.wasCalled { again |= 1 << UInt64(step) }
        }
        var later = now
        later.due = now.due.map { $0 - 1 }
        later.age = min(window, now.age + 1)
        next.insert(later)
      }
      states = next
    }
    return (closed, again)
  }

  /// What may be after the edge at a step's start and the callback that is due then.
  private func begin(_ state: State, wasOn: Bool, isOn: Bool) -> [State] {
    var edged = [state]
    if isOn != wasOn {
      let latest = isOn ? longestEntry : longestExit
      let dues: [Int?] = isOn != state.isInside ? (0...latest).map { $0 } : [nil]
      edged = dues.map { due in
        var state = state
        state.due = due
        return state
      }
    }
    return edged.map { state in
      state.due == 0 ? State(isInside: !state.isInside, due: nil, age: 0, wasCalled: true) : state
    }
  }

  private func turn(_ bits: Int, _ shift: Int) -> Int {
    (bits << shift | bits >> (period - shift)) & ((1 << period) - 1)
  }
}
