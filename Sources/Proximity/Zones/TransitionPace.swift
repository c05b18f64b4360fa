import Beacons

/// How often enter and near may happen. Who flickers on a threshold, or is made to, would else fill the card and everybody's
/// inbox. An exit is never held: there is at most one an enter.
///
/// What is held happens once it may, if it is still true then.
public enum TransitionPace {
  /// Of one beacon in one zone: so many at once, then one each `interval`.
  public static let burst = 20
  public static let interval = TimeSpan.seconds(10)

  /// In a crowd nobody waits longer for a turn without asking again.
  static let patience = TimeSpan.seconds(60)

  /// A newcomer's first enter and near: a crowd that flickers cannot hold up somebody who has just come.
  static let newcomersTurns: UInt8 = 2
}

/// Somebody whose enter or near has to wait.
public struct HeldTransition: Hashable, Sendable {
  public enum Reason: Hashable, Sendable {
    /// It comes and goes too often.
    case flickers
    /// Too many do at once.
    case crowd
  }

  public var zone: ZoneIndex
  public var beacon: BeaconIndex
  public var reason: Reason
}

extension ZoneEngine {
  /// How many are kept for `takeHeld`.
  static let heldLimit = 16

  /// Those whose enter or near was held for the first time since the last call; some of them, if there are many.
  public mutating func takeHeld() -> [HeldTransition] {
    defer { held.removeAll() }
    return held
  }

  /// Goes on at the pace of an earlier engine.
  public mutating func adoptPace(of earlier: ZoneEngine) {
    crowd.adopt(earlier.crowd)
    heldTransitions = earlier.heldTransitions
  }

  /// An enter or near has to wait.
  mutating func hold(_ index: Int32, because reason: HeldTransition.Reason) {
    let slot = Int(index)
    guard !presences[slot].presence.isHeld else { return }
    presences[slot].presence.isHeld = true
    heldTransitions += 1
    guard !presences[slot].presence.isHoldTold, held.count < Self.heldLimit else { return }
    presences[slot].presence.isHoldTold = true
    held.append(
      HeldTransition(
        zone: presences[slot].presence.zone, beacon: BeaconIndex(rawValue: presences[slot].beacon),
        reason: reason))
  }

  /// Whether an enter or near that is due has to wait for its turn in the crowd.
  mutating func hasToWait(_ index: Int32, at time: MonotonicTime) -> Bool {
    let slot = Int(index)
    let beacon = Int(presences[slot].beacon)
    guard beacons[beacon].isInventable else { return false }
    if beacons[beacon].freeTurns > 0 {
      beacons[beacon].freeTurns -= 1
      return false
    }
    if presences[slot].presence.hasTurn {
      presences[slot].presence.hasTurn = false
      return false
    }
    let turn = crowd.reserve(at: time, within: TransitionPace.patience)
    if turn == time { return false }
    presences[slot].presence.hasTurn = turn != nil
    presences[slot].presence.heldUntil = turn ?? time + TransitionPace.patience
    hold(index, because: .crowd)
    return true
  }
}
