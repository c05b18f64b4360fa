import MQTT

/// `beacon/<beacon>/zone` and `beacon/<beacon>/place`: where a beacon is, as plain text.
public struct WhereaboutsMessage: Hashable, Sendable {
  public enum Kind: Hashable, Sendable {
    /// The nearest of its zones, by our name; `home` if it is only in a room.
    case zone
    /// The Home Assistant zone that contains this one, in the terms of Home Assistant's trackers: `home`, or its name.
    case place
  }

  public var beacon: String
  public var kind: Kind
  /// nil: in none.
  public var name: String?

  public init(beacon: String, kind: Kind, name: String?) {
    self.beacon = beacon
    self.kind = kind
    self.name = name
  }

  /// The text for a beacon in no zone, but in a room; a term of Home Assistant, as `nowhere` is.
  public static let home = "home"

  /// The text for a beacon in no zone and no room. No zone can have this name.
  public static let nowhere = "not_home"

  public func message(topics: Topics) -> Message {
    Message(
      topic: kind == .zone ? topics.zone(beacon: beacon) : topics.place(beacon: beacon),
      payload: Array((name ?? Self.nowhere).utf8), qos: .atLeastOnce, retained: true,
      expiry: BeaconStateMessage.expiry)
  }
}
