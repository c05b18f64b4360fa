import Core

/// `beacon/<beacon>/zone` and `beacon/<beacon>/place`: where a beacon is, as plain text.
package struct WhereaboutsMessage: Hashable, Sendable {
  package enum Kind: Hashable, Sendable {
    /// The nearest of its zones, by our name; `home` if it is only in a room.
    case zone
    /// The Home Assistant zone that contains this one, in the terms of Home Assistant's trackers: `home`, or its name.
    case place
  }

  package var beacon: String
  package var kind: Kind
  /// nil: in none.
  package var name: String?

  package init(beacon: String, kind: Kind, name: String?) {
    self.beacon = beacon
    self.kind = kind
    self.name = name
  }

  /// The text for a beacon in no zone, but in a room; a term of Home Assistant, as `nowhere` is.
  package static let home = "home"

  /// The text for a beacon in no zone and no room. No zone can have this name.
  package static let nowhere = "not_home"

  package func message(topics: Topics) -> Message {
    Message(
      topic: kind == .zone ? topics.zone(beacon: beacon) : topics.place(beacon: beacon),
      payload: Array((name ?? Self.nowhere).utf8), qos: .atLeastOnce, retained: true,
      expiry: BeaconStateMessage.expiry)
  }
}
