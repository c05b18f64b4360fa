import MQTT
import JSON
import Beacons

/// `zone/<zone>/occupancy`: who is in a zone. A large crowd is listed only as far as `room` allows, some thousands; `count`
/// counts all.
public struct OccupancyMessage: Sendable {
  public struct Member: Sendable {
    public var beacon: String
    /// A readable name, if it differs.
    public var displayName: String?
    public var since: WallTime
    public var isNear: Bool

    public init(beacon: String, displayName: String? = nil, since: WallTime, isNear: Bool) {
      self.beacon = beacon
      self.displayName = displayName
      self.since = since
      self.isNear = isNear
    }
  }

  public var zone: String
  /// `occupied`, `empty`, or `unknown` while the zone is blind.
  public var state: String
  public var members: [Member]

  public init(zone: String, state: String, members: [Member]) {
    self.zone = zone
    self.state = state
    self.members = members
  }

  /// The largest size of the list of members in bytes; the client accepts 256 KiB.
  static let room = 240_000

  public func message(topics: Topics) -> Message {
    let payload = JSONWriter.object {
      $0.field("v", 1)
      $0.field("gateway", topics.gateway)
      $0.field("zone", zone)
      $0.field("state", state)
      $0.field("count", members.count)
      $0.key("beacons")
      $0.array(members) { writer, member in
        guard writer.bytes.count < Self.room else { return }
        writer.object {
          $0.field("beacon", member.beacon)
          if let name = member.displayName { $0.field("name", name) }
          $0.field("since", member.since)
          $0.field("near", member.isNear)
        }
      }
    }
    return Message(
      topic: topics.occupancy(zone: zone), payload: payload, qos: .atLeastOnce, retained: true)
  }
}
