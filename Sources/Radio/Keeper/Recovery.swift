import Core

/// How a deaf adapter is recovered: step by step, cheapest first, with pauses between, and with a budget for the steps that
/// disturb other programs. A pure state machine.
struct Recovery {
  enum Step: Int, CaseIterable, Comparable {
    case renewScan, restartScan, powerCycle, reset, resetUSB

    static func < (a: Self, b: Self) -> Bool { a.rawValue < b.rawValue }

    /// This ends other programs' connections.
    var isHeavy: Bool { self >= .powerCycle }
  }

  /// Heavy steps within an hour.
  static let budget = 6
  static let budgetPeriod = TimeSpan.seconds(3600)
  /// The pauses after everything was tried in vain; the last one repeats.
  static let rests: [TimeSpan] = [.seconds(60), .seconds(300), .seconds(900), .seconds(3600)]
  /// After working for this long it counts as recovered.
  static let healed = TimeSpan.seconds(600)

  /// If this many fall silent together, a power cycle is justified.
  private static let crowd = 6

  enum Advice: Equatable {
    case perform(Step)
    /// A heavy step is due, but too many were taken recently.
    case budgetSpent
    /// All steps were tried; it waits.
    case exhausted(until: MonotonicTime)
  }

  private var lastStep: Step?
  /// When the trouble began, or the last step was taken.
  private var since: MonotonicTime?
  private var restsUntil: MonotonicTime?
  private var vainClimbs = 0
  private var soundSince: MonotonicTime?
  /// When heavy steps were taken; at most `budget`.
  private var heavy: [MonotonicTime] = []
  private var hasToldOfBudget = false

  /// The adapter receives, or has a harmless reason for silence.
  mutating func sound(at time: MonotonicTime) {
    since = nil
    lastStep = nil
    restsUntil = nil
    guard let soundSince else {
      soundSince = time
      return
    }
    if time - soundSince >= Self.healed { vainClimbs = 0 }
  }

  /// The next step.
  mutating func advise(_ state: HearingState, at time: MonotonicTime) -> Advice? {
    soundSince = nil
    let began = since ?? time
    since = began
    if let rest = restsUntil {
      guard time >= rest else { return nil }
      restsUntil = nil
      lastStep = nil
    }
    let plan = Self.plan(state)
    guard let (step, pause) = plan.first(where: { next in lastStep.map { next.step > $0 } ?? true }) else {
      return plan.isEmpty ? nil : exhaust(state, at: time)
    }
    guard time - began >= pause else { return nil }
    if step.isHeavy {
      heavy.removeAll { time - $0 >= Self.budgetPeriod }
      guard heavy.count < Self.budget else {
        if hasToldOfBudget { return nil }
        hasToldOfBudget = true
        return .budgetSpent
      }
      heavy.append(time)
    }
    hasToldOfBudget = false
    lastStep = step
    since = time
    return .perform(step)
  }

  /// Restarts the pause, because a long step just finished.
  mutating func stepFinished(at time: MonotonicTime) { if since != nil { since = time } }

  private mutating func exhaust(_ state: HearingState, at time: MonotonicTime) -> Advice? {
    var pause = TimeSpan.seconds(10)
    // Within this time it becomes clear whether the senders left or were cut off; later it never does.
    if case .deaf(.fellSilent) = state { pause = .seconds(25) }
    guard let began = since, time - began >= pause else { return nil }
    let until = time + Self.rests[min(vainClimbs, Self.rests.count - 1)]
    vainClimbs += 1
    restsUntil = until
    return .exhausted(until: until)
  }

  /// The steps against a fault, each with the pause before it.
  private static func plan(_ state: HearingState) -> [(step: Step, pause: TimeSpan)] {
    let full: [(step: Step, pause: TimeSpan)] = [
      (.renewScan, .zero), (.restartScan, .seconds(2)), (.powerCycle, .seconds(4)), (.reset, .seconds(10)),
      (.resetUSB, .seconds(15)),
    ]
    switch state {
    case .ok, .quiet, .deaf(.connecting): return []
    // The controller does not answer, so milder steps are impossible; a short hang ends by itself.
    case .deaf(.noAnswer):
      return [(.powerCycle, .seconds(8)), (.reset, .seconds(15)), (.resetUSB, .seconds(15))]
    // Its event mask is lost, and restarting the scan does not restore it.
    case .deaf(.wasReset):
      return [
        (.renewScan, .zero), (.powerCycle, .milliseconds(1_500)), (.reset, .seconds(10)),
        (.resetUSB, .seconds(15)),
      ]
    // This may still be chance. So take cheap steps and, for many senders, one expensive step, once and after a pause.
    case .deaf(.fellSilent(let senders)):
      let cheap: [(step: Step, pause: TimeSpan)] = [(.renewScan, .zero), (.restartScan, .seconds(3))]
      return senders < crowd ? cheap : cheap + [(.powerCycle, .seconds(20))]
    case .empty, .deaf: return full
    }
  }
}
