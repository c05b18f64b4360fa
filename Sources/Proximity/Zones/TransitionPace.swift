import Beacons

/// How often enter and near may happen. Without a limit, a beacon that flickers on a threshold, by accident or on purpose,
/// would fill the SD card and every subscriber's inbox. An exit is never held back: there is at most one per enter.
///
/// A transition that was held back happens as soon as it may, if it is still true.
public enum TransitionPace {
  /// For one beacon in one zone: this many at once, then one per `interval`.
  public static let burst = 20
  public static let interval = TimeSpan.seconds(10)

  /// The longest wait in a crowd; after that the transition asks for a turn again.
  static let patience = TimeSpan.seconds(60)

  /// A newcomer's first enter and near do not wait: a crowd that flickers cannot delay somebody who has just arrived.
  static let newcomersTurns: UInt8 = 2
}

/// A beacon whose enter or near has to wait.
public struct HeldTransition: Hashable, Sendable {
  public enum Reason: Hashable, Sendable {
    /// The beacon comes and goes too often.
    case flickers
    /// Too many beacons come and go at once.
    case crowd
  }

  public var zone: ZoneIndex
  public var beacon: BeaconIndex
  public var reason: Reason
}

extension ZoneEngine {
  /// How many `takeHeld` returns at most.
  static let heldLimit = 16

  /// Beacons whose enter or near was held back for the first time since the last call; only some if there are many.
  public mutating func takeHeld() -> [HeldTransition] {
    defer { held.removeAll() }
    return held
  }

  /// Continues with the pace of an earlier engine.
  public mutating func adoptPace(of earlier: ZoneEngine) {
    crowd.adopt(earlier.crowd)
    heldTransitions = earlier.heldTransitions
  }

  /// An enter or near has to wait.
  mutating func hold(_ beacon: Int, _ place: Int, because reason: HeldTransition.Reason) {
    let stay = beacons[beacon].stays[place]
    if stay.isHeld { return }
    beacons[beacon].stays[place].isHeld = true
    heldTransitions += 1
    guard !stay.isHoldTold, held.count < Self.heldLimit else { return }
    beacons[beacon].stays[place].isHoldTold = true
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
