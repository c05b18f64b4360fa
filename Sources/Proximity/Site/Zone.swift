import Beacons
import Core

/// The rules of one zone of the site. Its thresholds may differ in unit: `near` may be a distance and
/// `exit` a signal.
public struct Zone: Sendable {
  /// The receivers of the zone; nil: all.
  public var receivers: Set<ReceiverIndex>?
  public var near: NearRule?
  public var enter: Rule
  public var exit: Rule
  public var lost: LostRule
  /// The rooms of the zone. If set, they decide instead of receivers and thresholds; dwell times still apply. nil: not a zone of
  /// rooms.
  public var rooms: Set<RoomIndex>?

  public init(
    receivers: Set<ReceiverIndex>?, near: NearRule?, enter: Rule, exit: Rule, lost: LostRule,
    rooms: Set<RoomIndex>? = nil
  ) {
    self.rooms = rooms
    self.receivers = receivers
    self.near = near
    self.enter = enter
    self.exit = exit
    self.lost = lost
  }
}

/// An index into the list of zones.
public struct ZoneIndex: Hashable, Comparable, Sendable {
  public var rawValue: Int32
  public init(rawValue: Int32) { self.rawValue = rawValue }
  public static func < (a: Self, b: Self) -> Bool { a.rawValue < b.rawValue }
}

/// A boundary that a beacon crosses. Nearer means a smaller distance or a stronger signal.
public enum Threshold: Hashable, Sendable {
  /// Metres.
  case distance(Double)
  /// dBm.
  case signal(Double)
}

/// A threshold and how long it must be met without a break.
public struct Rule: Hashable, Sendable {
  public var threshold: Threshold
  public var dwell: TimeSpan

  public init(threshold: Threshold, dwell: TimeSpan) {
    self.threshold = threshold
    self.dwell = dwell
  }
}

/// Near fires once per approach, and again only after the beacon was beyond `rearm`.
public struct NearRule: Hashable, Sendable {
  public var rule: Rule
  public var rearm: Threshold

  public init(rule: Rule, rearm: Threshold) {
    self.rule = rule
    self.rearm = rearm
  }
}

/// When a silent beacon counts as gone.
public enum LostRule: Hashable, Sendable {
  /// After a time learnt from the intervals between receptions.
  case auto
  case after(TimeSpan)
}
