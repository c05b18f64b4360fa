import Beacons
import Core

/// Limits the rate of enter and near. Without a limit, a beacon that flickers on a threshold would fill the SD card and flood every
/// subscriber. Exits are not limited: there is at most one per enter.
///
/// A held transition happens as soon as the pace allows, if it is still true.
public enum TransitionPace {
  /// For one beacon in one zone: this many at once, then one per `interval`.
  public static let burst = 20
  public static let interval = TimeSpan.seconds(10)

  /// The longest wait for a turn in the crowd. After that, another turn is requested.
  static let patience = TimeSpan.seconds(60)

  /// The first enter and near of a newcomer do not wait, so a flickering crowd cannot delay it.
  static let newcomersTurns: UInt8 = 2
}

/// A beacon whose enter or near has to wait.
public struct HeldTransition: Hashable, Sendable {
  public enum Reason: Hashable, Sendable {
    /// The beacon enters and leaves too often.
    case flickers
    /// Too many beacons enter and leave at once.
    case crowd
  }

  public var zone: ZoneIndex
  public var beacon: BeaconIndex
  public var reason: Reason
}

extension ZoneEngine {
  /// Maximum number of results of `takeHeld`.
  static let heldLimit = 16

  /// The transitions first held back since the last call; only some if there are many.
  public mutating func takeHeld() -> [HeldTransition] {
    defer { held.removeAll() }
    return held
  }

  /// Copies the pace of an earlier engine.
  public mutating func adoptPace(of earlier: ZoneEngine) {
    crowd.adopt(earlier.crowd)
    heldTransitions = earlier.heldTransitions
  }

  /// Records that an enter or near has to wait.
  mutating func hold(_ beacon: Int, _ index: Int, because reason: HeldTransition.Reason) {
    let stay = beacons[beacon].stays[index]
    if stay.isHeld { return }
    beacons[beacon].stays[index].isHeld = true
    heldTransitions += 1
    guard !stay.isHoldTold, held.count < Self.heldLimit else { return }
    beacons[beacon].stays[index].isHoldTold = true
    held.append(
      HeldTransition(zone: stay.zone, beacon: BeaconIndex(rawValue: Int32(beacon)), reason: reason))
  }

  /// Whether a due enter or near has to wait for its turn in the crowd.
  mutating func hasToWait(_ beacon: Int, _ stay: Int, at time: MonotonicTime) -> Bool {
    guard beacons[beacon].isInventable else { return false }
    if beacons[beacon].freeTurns > 0 {
      beacons[beacon].freeTurns -= 1
      return false
    }
    if beacons[beacon].stays[stay].hasTurn {
      beacons[beacon].stays[stay].hasTurn = false
      return false
    }
    let turn = crowd.reserve(at: time, within: TransitionPace.patience)
    if turn == time { return false }
    beacons[beacon].stays[stay].hasTurn = turn != nil
    beacons[beacon].stays[stay].heldUntil = turn ?? time + TransitionPace.patience
    hold(beacon, stay, because: .crowd)
    return true
  }
}

extension HeldTransition: StateCoded {
  public func write(to coder: inout StateCoder) {
    coder.write(zone)
    coder.write(beacon)
    coder.write(reason == .crowd)
  }

  public init(reading coder: inout StateCoder) throws(StateError) {
    zone = try coder.read()
    beacon = try coder.read()
    reason = try coder.read() ? .crowd : .flickers
  }
}
