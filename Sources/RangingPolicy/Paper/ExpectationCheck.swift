extension Simulation.Expectation {
  /// Holds a simulation to the expectation. nil: it was met. Several near triggers must all meet a claim that names none; the
  /// first one that does not is reported.
  public func miss(in simulation: Simulation) -> ExpectationMiss? {
    switch claim {
    case .state, .remaining: stateMiss(in: simulation)
    case .noTrigger:
      simulation.verdicts.first.map { miss(of: $0, number: 1, in: simulation) }
    case .delivered, .deliveredWithin, .deliveredBy, .late, .missed: triggerMiss(in: simulation)
    }
  }

  private func triggerMiss(in simulation: Simulation) -> ExpectationMiss? {
    let verdicts = simulation.verdicts
    if let trigger {
      guard verdicts.indices.contains(trigger - 1) else {
        let count =
          verdicts.count == 1
          ? "there was one near trigger only" : "there were \(verdicts.count) near triggers"
        return withoutTrigger(verdicts.isEmpty ? "the phone never came near" : count, simulation)
      }
      let verdict = verdicts[trigger - 1]
      return isMet(by: verdict) ? nil : miss(of: verdict, number: trigger, in: simulation)
    }
    guard !verdicts.isEmpty else { return withoutTrigger("the phone never came near", simulation) }
    guard let first = verdicts.firstIndex(where: { !isMet(by: $0) }) else { return nil }
    return miss(of: verdicts[first], number: first + 1, in: simulation)
  }

  private func isMet(by verdict: Verdict) -> Bool {
    switch claim {
    case .delivered: verdict.outcome == .delivered
    case .deliveredWithin(let most): verdict.lateness.map { $0 <= most } ?? false
    case .deliveredBy(let time): verdict.delivered.map { $0 <= time } ?? false
    case .late: verdict.outcome == .deliveredLate
    case .missed(let reason): !verdict.outcome.isDelivered && (reason == nil || reason == verdict.outcome)
    case .noTrigger, .state, .remaining: false
    }
  }

  private func miss(of verdict: Verdict, number: Int, in simulation: Simulation) -> ExpectationMiss {
    let all = simulation.verdicts
    var happened = all.count > 1 ? "near \(number) of \(all.count), at" : "near at"
    happened += " \(Amount.seconds(verdict.crossed)), \(verdict.words)"
    let others = trigger == nil && claim != .noTrigger ? all.count { !isMet(by: $0) } - 1 : 0
    if others > 0 {
      happened += "; \(others) other near \(others == 1 ? "trigger" : "triggers") did not meet it either"
    }
    return ExpectationMiss(
      expected: self, happened: happened,
      events: verdict.evidence.map { .init(time: $0.time, what: $0.what.rawValue) },
      constants: simulation.profile.constants(verdict.constants))
  }

  private func withoutTrigger(_ happened: String, _ simulation: Simulation) -> ExpectationMiss {
    ExpectationMiss(expected: self, happened: happened, events: simulation.changes(until: simulation.end))
  }
}

extension Verdict {
  /// `delivered at 50 s, 4 s late`.
  fileprivate var words: String {
    guard let delivered, let lateness else { return "missed: \(outcome.rawValue), \(outcome.words)" }
    let start = "delivered at \(Amount.seconds(delivered)), \(Amount.seconds(lateness)) late"
    return blockedBy.map { "\(start), because \($0.words) (\($0.rawValue))" } ?? start
  }

  /// Those behind the outcome and, if it was late, behind what blocked it.
  fileprivate var constants: [String] {
    let names = outcome.constants
    return names + (blockedBy?.constants.filter { !names.contains($0) } ?? [])
  }
}
