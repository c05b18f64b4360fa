/// Expectations of what the app can do at a certain time.
extension Simulation.Expectation {
  func stateMiss(in simulation: Simulation) -> ExpectationMiss? {
    guard let time else { return nil }
    guard time <= simulation.end, let window = simulation.window(at: time) else {
      return ExpectationMiss(
        expected: self,
        happened: "nothing is known: the simulation ended at \(Amount.seconds(simulation.end))",
        needs: time)
    }
    let left = window.remaining(at: time)
    switch claim {
    case .state(let state, _) where window.state == state: return nil
    case .remaining(let wanted, _) where Self.isSame(left, wanted): return nil
    default: break
    }
    var happened = "at \(Amount.seconds(time)) \(window.words)"
    if case .remaining = claim { happened += ", background time \(left.map(Amount.seconds) ?? "unlimited")" }
    return ExpectationMiss(
      expected: self, happened: happened, events: simulation.changes(until: time),
      constants: simulation.profile.constants(window.constants))
  }

  private static func isSame(_ left: Milliseconds?, _ wanted: Milliseconds?) -> Bool {
    guard let left, let wanted else { return left == wanted }
    return abs(left - wanted) <= 500
  }
}

extension Simulation {
  /// The last few changes of state or reason, as many as a verdict has events.
  func changes(until time: Milliseconds) -> [ExpectationMiss.Event] {
    var events: [ExpectationMiss.Event] = []
    for window in windows.prefix(while: { $0.time <= time }) where events.last?.what != window.words {
      events.append(.init(time: window.time, what: window.words))
    }
    return events.suffix(FactLog.limit)
  }
}

extension Window {
  /// `suspended: background time had run out (TASK_EXPIRED)`.
  fileprivate var words: String { state.rawValue + (why.map { ": \($0.words) (\($0.rawValue))" } ?? "") }

  /// What this state hangs on.
  fileprivate var constants: [String] {
    if let why { return why.constants }
    if state == .foreground { return [] }
    return expires == nil ? ["grace"] : ["grace", "task_cap"]
  }
}
