import MQTT
import JSON
import Beacons
import Proximity

/// `status`: whether the gateway is there. `offline` is its last will.
public enum Status: String, Sendable {
  case online, offline

  public func message(topics: Topics) -> Message {
    Message(topic: topics.status, payload: Array(rawValue.utf8), qos: .atLeastOnce, retained: true)
  }
}

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

/// `beacon/<beacon>/state`: where a beacon is, how it is heard and what it measures.
public struct BeaconStateMessage: Sendable {
  public var beacon: String
  /// A readable name, if it differs.
  public var displayName: String?
  public var zones: [String]
  public var estimate: Estimate?
  public var lastSeen: WallTime
  public var receiver: String
  /// The latest of each quantity; only numbers, flags and events are included.
  public var readings: [Reading]

  public init(
    beacon: String, displayName: String? = nil, zones: [String], estimate: Estimate?, lastSeen: WallTime,
    receiver: String,
    readings: [Reading]
  ) {
    self.beacon = beacon
    self.displayName = displayName
    self.zones = zones
    self.estimate = estimate
    self.lastSeen = lastSeen
    self.receiver = receiver
    self.readings = readings
  }

  /// After a week the state is out of date.
  static let expiry = TimeSpan.seconds(7 * 86400)

  public func message(topics: Topics) -> Message {
    let payload = JSONWriter.object {
      $0.field("v", 1)
      $0.field("gateway", topics.gateway)
      $0.field("beacon", beacon)
      if let displayName { $0.field("name", displayName) }
      $0.key("zones")
      $0.array(zones) { $0.value($1) }
      $0.field("distance_m", estimate?.distance, decimals: 2)
      $0.field("distance_sd_m", estimate?.distanceDeviation, decimals: 2)
      $0.field("rssi_dbm", estimate?.rssi, decimals: 1)
      $0.field("interval_s", estimate?.interval?.seconds, decimals: 3)
      $0.field("last_seen", lastSeen)
      $0.field("receiver", receiver)
      $0.key("readings")
      $0.object {
        for reading in readings { $0.field(reading) }
      }
    }
    return Message(
      topic: topics.state(beacon: beacon), payload: payload, qos: .atLeastOnce, retained: true,
      expiry: Self.expiry)
  }
}

extension JSONWriter {
  fileprivate mutating func field(_ reading: Reading) {
    switch reading.value {
    case .number(let number):
      key(named: reading.name)
      value(number, decimals: 6)
    case .flag(let flag):
      key(named: reading.name)
      value(flag)
    case .button(let event): named(reading.name, event.name)
    case .command(let event, _): named(reading.name, event.name)
    case .dimmer(let event): named(reading.name, event.name)
    case .text, .bytes, .version: break
    }
  }

  private mutating func named(_ name: String, _ text: String) {
    key(named: name)
    value(text)
  }
}
