/// When a phone counts as near its beacon, and when as gone again.
public struct NearDistances: Hashable, Sendable {
  /// The distance at which the near trigger fires; nil: only the `near` event fires it.
  public var near: Micrometres?
  /// Beyond this distance the trigger re-arms. Never less than `near`.
  public var rearm: Micrometres

  public init(near: Micrometres?, rearm: Micrometres) {
    self.near = near
    self.rearm = max(rearm, near ?? rearm)
  }
}

/// The state of the near trigger in one approach.
enum Trigger: Hashable, Sendable {
  case armed
  case pending(crossed: Milliseconds, block: Reason?)
  case done
}

extension PhoneEngine {
  /// A trigger waits, something blocks it, and the reason is not noted yet.
  var needsBlockReason: Bool {
    if case .pending(_, nil) = trigger { return blocking != nil }
    return false
  }

  /// Whether the next callback could change anything.
  var needsTick: Bool {
    guard isHeard, isRanging else { return false }
    if totals.detected == nil { return true }
    if case .pending = trigger { return isNear || near.near == nil }
    return false
  }

  mutating func nearChanged() {
    guard let threshold = near.near else { return }
    isNear.toggle()
    nearChange =
      motion.map { $0.first(from: now, within: threshold, is: !isNear) } ?? (isNear ? now : .never)
    if isNear { fire() }
  }

  mutating func trigger(into output: inout PolicyOutput) {
    guard near.near == nil else { return }
    concludeTrigger(into: &output)
    fire()
  }

  private mutating func fire() {
    if trigger == .armed { trigger = .pending(crossed: now, block: blocking) }
  }

  mutating func noteBlock() {
    if case .pending(let crossed, nil) = trigger { trigger = .pending(crossed: crossed, block: blocking) }
  }

  mutating func rearmChanged(into output: inout PolicyOutput) {
    isBeyondRearm.toggle()
    rearmChange =
      motion.map { $0.first(from: now, within: near.rearm, is: isBeyondRearm) }
      ?? (isBeyondRearm ? .never : now)
    if isBeyondRearm { concludeTrigger(into: &output) }
  }

  /// Ends a waiting trigger as missed: the phone has left, or no further events will come.
  public mutating func concludeTrigger(into output: inout PolicyOutput) {
    if case .pending(let crossed, let block) = trigger {
      let reason = block ?? .notDetected
      output.verdicts.append(
        Verdict(
          outcome: reason, crossed: crossed, delivered: nil, time: now, blockedBy: reason, evidence: log.all))
    }
    trigger = .armed
  }

  mutating func tick(into output: inout PolicyOutput) {
    if isEmpty(tick: now) {
      lastEmptyTick = now
      if case .pending(let crossed, nil) = trigger { trigger = .pending(crossed: crossed, block: .emptyTick) }
      return
    }
    noteDetection()
    guard case .pending(let crossed, let block) = trigger, isNear || near.near == nil else { return }
    let outcome: Reason = now - crossed >= Self.lateness ? .deliveredLate : .delivered
    output.verdicts.append(
      Verdict(
        outcome: outcome, crossed: crossed, delivered: now, time: now, blockedBy: block, evidence: log.all))
    trigger = .done
  }

  /// A delivery counts as late from this delay on.
  static let lateness: Milliseconds = 1000
}

extension PhoneEngine {
  /// The next callback that needs a step, at or after a time. An empty one needs a step only once.
  func nextTick(from time: Milliseconds) -> Milliseconds {
    var tick = multiple(of: rules.tickPeriod, from: time)
    if tick == lastEmptyTick { tick += rules.tickPeriod }
    return tick
  }

  /// Whether a callback comes without the beacon, which happens only in the background.
  func isEmpty(tick: Milliseconds) -> Bool {
    guard rules.emptyTicksPerTen > 0, lifecycle != .foreground else { return false }
    let index = (tick / rules.tickPeriod) % 10
    let turn = (index + 10) % 10 * rules.emptyTicksPerTen % 10
    return turn >= 10 - rules.emptyTicksPerTen
  }
}

/// The first multiple of `period` at or after `time`.
func multiple(of period: Milliseconds, from time: Milliseconds) -> Milliseconds {
  let over = time % period
  return over == 0 ? time : over > 0 ? time + (period - over) : time - over
}
