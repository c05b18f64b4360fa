import Core

/// `zone/<zone>/occupancy` and `room/<room>/occupancy`: its members. The list of a large crowd is cut at `room` octets, some
/// thousand members; `count` is the total.
package struct OccupancyMessage: Sendable {
  package struct Member: Sendable {
    package var beacon: String
    /// A readable name, if it differs.
    package var displayName: String?
    package var since: WallTime
    /// nil: a room has no near.
    package var isNear: Bool?

    package init(beacon: String, displayName: String? = nil, since: WallTime, isNear: Bool? = nil) {
      self.beacon = beacon
      self.displayName = displayName
      self.since = since
      self.isNear = isNear
    }
  }

  package var kind: PlaceKind
  /// The name of the zone or room.
  package var place: String
  /// `occupied`, `empty`, or `unknown` while the place is blind.
  package var state: String
  package var members: [Member]

  package init(zone: String, state: String, members: [Member]) {
    self.init(.zone, zone, state: state, members: members)
  }

  package init(room: String, state: String, members: [Member]) {
    self.init(.room, room, state: state, members: members)
  }

  private init(_ kind: PlaceKind, _ place: String, state: String, members: [Member]) {
    self.kind = kind
    self.place = place
    self.state = state
    self.members = members
  }

  /// The largest size of the list of members in bytes; the client accepts 256 KiB.
  static let room = 240_000

  package func message(topics: Topics) -> Message {
    let payload = JSONWriter.object {
      $0.field("v", 1)
      $0.field("gateway", topics.gateway)
      $0.key(named: kind.rawValue)
      $0.value(place)
      $0.field("state", state)
      $0.field("count", members.count)
      $0.array("beacons", members) { writer, member in
        guard writer.bytes.count < Self.room else { return }
        writer.object {
          $0.field("beacon", member.beacon)
          if let name = member.displayName { $0.field("name", name) }
          $0.field("since", member.since)
          if let isNear = member.isNear { $0.field("near", isNear) }
        }
      }
    }
    return Message(
      topic: topics.occupancy(of: kind, place), payload: payload, qos: .atLeastOnce, retained: true)
  }
}

/// What beacons are in: a zone or a room. A zone and a room may have the same name.
///
/// The raw value is the word for it in topics and payloads.
package enum PlaceKind: String, Hashable, Sendable, CaseIterable {
  case zone, room
}
