import Core
import Proximity

/// `beacon/<beacon>/room`: a beacon's room, its probability, and the position in it.
package struct RoomMessage: Hashable, Sendable {
  /// A room, and how probable it is.
  package struct Candidate: Hashable, Sendable {
    package var room: String
    /// 0 to 1.
    package var probability: Double

    package init(room: String, probability: Double) {
      self.room = room
      self.probability = probability
    }
  }

  package var beacon: String
  /// A readable name, if it differs.
  package var displayName: String?
  /// nil: in none.
  package var room: String?
  /// The name of the room's floor; nil: in no room, or no floors are configured.
  package var floor: String?
  /// The probability of `room`, 0 to 1; nil: the beacon is not heard.
  package var probability: Double?
  /// Since when it is in `room`, or in none; nil: unknown.
  package var since: WallTime?
  /// The room that it is in, or was in last; nil: unknown.
  package var lastRoom: String?
  /// When it was heard last; nil: unknown.
  package var lastSeen: WallTime?
  package var runnerUp: Candidate?
  /// nil: the rooms have no outlines.
  package var position: Point?
  /// Standard deviation of `position`, metres.
  package var positionDeviation: Double?

  package init(
    beacon: String, displayName: String? = nil, room: String?, floor: String? = nil,
    probability: Double? = nil, since: WallTime? = nil, lastRoom: String? = nil, lastSeen: WallTime? = nil,
    runnerUp: Candidate? = nil, position: Point? = nil, positionDeviation: Double? = nil
  ) {
    self.beacon = beacon
    self.displayName = displayName
    self.room = room
    self.floor = floor
    self.probability = probability
    self.since = since
    self.lastRoom = lastRoom
    self.lastSeen = lastSeen
    self.runnerUp = runnerUp
    self.position = position
    self.positionDeviation = positionDeviation
  }

  package func message(topics: Topics) -> Message {
    let payload = JSONWriter.object {
      $0.field("v", 1)
      $0.field("gateway", topics.gateway)
      $0.field("beacon", beacon)
      if let displayName { $0.field("name", displayName) }
      $0.field("room", room)
      if let floor { $0.field("floor", floor) }
      $0.field("probability", probability, decimals: 3)
      $0.field("since", since)
      $0.field("last_room", lastRoom)
      $0.field("last_seen_at", lastSeen)
      $0.object("runner_up", of: runnerUp) { json, runnerUp in
        json.field("room", runnerUp.room)
        json.field("probability", runnerUp.probability, decimals: 3)
      }
      $0.object("position", of: position) { json, position in
        json.field("x_m", position.x, decimals: 2)
        json.field("y_m", position.y, decimals: 2)
        json.field("sd_m", positionDeviation, decimals: 2)
      }
    }
    return Message(
      topic: topics.room(beacon: beacon), payload: payload, qos: .atLeastOnce, retained: true,
      expiry: BeaconStateMessage.expiry)
  }
}

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
