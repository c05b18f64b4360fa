import Core

/// The distance of a beacon from one receiver, in the format of Home Assistant's `mqtt_room` and other readers of ESPresense
/// data: the room is the topic's last level, and the payload follows that format.
///
/// Sources: https://www.home-assistant.io/integrations/mqtt_room/, https://espresense.com/configuration/mqtt/
package struct RoomPresenceMessage: Hashable, Sendable {
  /// Stands for the beacon in a prefix.
  package static let placeholder = "{beacon}"

  /// The topic without its last level, the room.
  package var prefix: String
  package var beacon: String
  /// A readable name, if it differs.
  package var displayName: String?
  package var receiver: String
  /// Metres.
  package var distance: Double

  package init(
    prefix: String, beacon: String, displayName: String? = nil, receiver: String, distance: Double
  ) {
    self.prefix = prefix
    self.beacon = beacon
    self.displayName = displayName
    self.receiver = receiver
    self.distance = distance
  }

  package static func topic(prefix: String, beacon: String, receiver: String) -> String {
    let place = prefix.firstRange(of: placeholder)
    let start = place.map { prefix[..<$0.lowerBound] + topicLevel(beacon) + prefix[$0.upperBound...] }
    return "\(start ?? prefix[...])/\(topicLevel(receiver))"
  }

  /// It is valid only for the moment, so it is neither retained nor sent again.
  package func message() -> Message {
    let payload = JSONWriter.object {
      $0.field("id", beacon)
      $0.field("name", displayName ?? beacon)
      $0.field("distance", distance, decimals: 2)
    }
    return Message(
      topic: Self.topic(prefix: prefix, beacon: beacon, receiver: receiver), payload: payload,
      qos: .atMostOnce, retained: false)
  }
}
