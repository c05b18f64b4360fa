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
    beacons.indices.contains { index in
      if case .pending(_, nil) = beacons[index].trigger { return blocking(beacon: index) != nil }
      return false
    }
  }

  /// Whether the next callback could change anything.
  var needsTick: Bool {
    guard isRanging, isHeard else { return false }
    return totals.detected == nil || beacons.contains(where: awaitsTick)
  }

  private func awaitsTick(_ beacon: BeaconView) -> Bool {
    guard case .pending = beacon.trigger, beacon.isHeard else { return false }
    return beacon.isNear || near.near == nil
  }

  mutating func nearChanged(_ index: Int) {
    guard let threshold = near.near else { return }
    beacons[index].nearChanged(within: threshold, at: now)
    if beacons[index].isNear { fire(index) }
  }

  mutating func trigger(into output: inout PolicyOutput) {
    guard near.near == nil else { return }
    concludeTrigger(into: &output)
    fire(0)
  }

  private mutating func fire(_ index: Int) {
    // An app never hears of a beacon that is not in its region, so there is nothing that it could miss.
    guard beacons[index].trigger == .armed, !beacons[index].isForeign else { return }
    beacons[index].trigger = .pending(crossed: now, block: blocking(beacon: index))
  }

  mutating func noteBlock() {
    for index in beacons.indices {
      if case .pending(let crossed, nil) = beacons[index].trigger {
        beacons[index].trigger = .pending(crossed: crossed, block: blocking(beacon: index))
      }
    }
  }

  mutating func rearmChanged(_ index: Int, into output: inout PolicyOutput) {
    beacons[index].rearmChanged(beyond: near.rearm, at: now)
    if beacons[index].isBeyondRearm { conclude(index, into: &output) }
  }

  /// Ends waiting triggers as missed: the phone has left, or no further events will come.
  public mutating func concludeTrigger(into output: inout PolicyOutput) {
    for index in beacons.indices { conclude(index, into: &output) }
  }

  private mutating func conclude(_ index: Int, into output: inout PolicyOutput) {
    if case .pending(let crossed, let block) = beacons[index].trigger {
      let reason = block ?? .notDetected
      output.verdicts.append(
        Verdict(
          outcome: reason, crossed: crossed, delivered: nil, time: now, blockedBy: reason,
          evidence: log.all, beacon: index))
    }
    beacons[index].trigger = .armed
  }

  mutating func tick(into output: inout PolicyOutput) {
    if isEmpty(tick: now) { return emptyTick() }
    noteDetection()
    for index in beacons.indices where awaitsTick(beacons[index]) {
      guard case .pending(let crossed, let block) = beacons[index].trigger else { continue }
      let outcome: Reason = now - crossed >= Self.lateness ? .deliveredLate : .delivered
      output.verdicts.append(
        Verdict(
          outcome: outcome, crossed: crossed, delivered: now, time: now, blockedBy: block,
          evidence: log.all, beacon: index))
      beacons[index].trigger = .done
    }
  }

  private mutating func emptyTick() {
    lastEmptyTick = now
    for index in beacons.indices {
      if case .pending(let crossed, nil) = beacons[index].trigger {
        beacons[index].trigger = .pending(crossed: crossed, block: .emptyTick)
      }
    }
  }

  /// A delivery counts as late from this delay on.
  static let lateness: Milliseconds = 1000
}

extension PhoneEngine {
  /// The next callback that needs a step, at or after a time. An empty one needs a step only once.
  func nextTick(from time: Milliseconds) -> Milliseconds {
    var tick = multiple(of: rules[.tickPeriod], from: time)
    if tick == lastEmptyTick { tick += rules[.tickPeriod] }
    return tick
  }

  /// Whether a callback comes without the beacon: it advertised none since the last callback, or, in the background, the phone
  /// lost it. Lost advertisements are spread evenly over the callbacks.
  func isEmpty(tick: Milliseconds) -> Bool {
    let interval = max(rules[.tickPeriod], rules[.advertisingInterval])
    let since = tick - rules[.tickPeriod] + 1 - rules.advertisingPhase
    let packet = multiple(of: interval, from: since)
    if packet >= since + rules[.tickPeriod] { return true }
    guard rules[.emptyTicksPerTen] > 0, lifecycle != .foreground else { return false }
    let index = (packet / interval) % 10
    let turn = (index + 10) % 10 * rules[.emptyTicksPerTen] % 10
    return turn >= 10 - rules[.emptyTicksPerTen]
  }
}

/// The first multiple of `period` at or after `time`.
func multiple(of period: Milliseconds, from time: Milliseconds) -> Milliseconds {
  let over = time % period
  return over == 0 ? time : over > 0 ? time + (period - over) : time - over
}
