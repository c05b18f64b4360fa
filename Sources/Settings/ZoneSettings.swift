import Proximity

/// `zones:` – a place, and its rules for near, enter and exit.
public struct ZoneSettings: Hashable, Sendable {
  public var name: String
  /// Names of receivers; nil: all.
  public var receivers: [String]?
  /// Names of beacons; nil: all configured ones.
  public var beacons: [String]?
  public var near: NearRule?
  public var enter: Rule
  public var exit: Rule
  public var lost: LostRule
  /// Names of rooms: a beacon is in the zone while it is in one of them, and only the dwell times of `enter` and `exit` mean
  /// something. nil: receivers and thresholds decide.
  public var rooms: [String]?

  public init(
    name: String, receivers: [String]? = nil, beacons: [String]? = nil, near: NearRule? = nil, enter: Rule,
    exit: Rule, lost: LostRule = .auto, rooms: [String]? = nil
  ) {
    self.name = name
    self.receivers = receivers
    self.beacons = beacons
    self.near = near
    self.enter = enter
    self.exit = exit
    self.lost = lost
    self.rooms = rooms
  }
}
