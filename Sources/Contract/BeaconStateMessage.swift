import Beacons
import Core
import Proximity

/// `beacon/<beacon>/state`: a beacon's zones and room, its signal and its readings.
package struct BeaconStateMessage: Sendable {
  package var beacon: String
  /// A readable name, if it differs.
  package var displayName: String?
  package var zones: [String]
  /// `.some(nil)`: in no room; nil: there are no rooms.
  package var room: String??
  package var estimate: Estimate?
  package var lastSeen: WallTime
  package var receiver: String
  /// The latest reading of each quantity; only numbers and flags are included.
  package var readings: [Reading]

  package init(
    beacon: String, displayName: String? = nil, zones: [String], room: String?? = nil, estimate: Estimate?,
    lastSeen: WallTime, receiver: String, readings: [Reading]
  ) {
    self.beacon = beacon
    self.displayName = displayName
    self.zones = zones
    self.room = room
    self.estimate = estimate
    self.lastSeen = lastSeen
    self.receiver = receiver
    self.readings = readings
  }

  /// The broker drops the state after a week.
  static let expiry = TimeSpan.seconds(7 * 86400)

  package func message(topics: Topics) -> Message {
    let payload = JSONWriter.object {
      $0.field("v", 1)
      $0.field("gateway", topics.gateway)
      $0.field("beacon", beacon)
      if let displayName { $0.field("name", displayName) }
      $0.array("zones", zones) { $0.value($1) }
      if let room {
        $0.field("room", room)
      }
      $0.field("distance_m", estimate?.distance, decimals: 2)
      $0.field("distance_sd_m", estimate?.distanceDeviation, decimals: 2)
      $0.field("rssi_dbm", estimate?.rssi, decimals: 1)
      $0.field("interval_s", estimate?.interval?.seconds, decimals: 3)
      $0.field("last_seen", lastSeen)
      $0.field("receiver", receiver)
      $0.object("readings") {
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
    // A press of a button is an event and not a state.
    case .button, .command, .dimmer, .text, .bytes, .version: break
    }
  }
}
