import Contract

/// `home_assistant:` – how the gateway announces its entities to Home Assistant.
package struct HomeAssistantSettings: Hashable, Sendable {
  /// Default true. If false, nothing is announced, and earlier announcements are removed.
  package var isOn = true
  /// Default `homeassistant`, as in Home Assistant.
  package var prefix = defaultPrefix
  /// Default `device`.
  package var form = Discovery.Form.device
  /// `zones`, by name; nil: every zone and room is in `zone.home`.
  package var places: [Place]?
  /// `areas`: by zone, the Home Assistant area suggested for its device.
  package var areas: [String: String] = [:]
  /// Default `normal`.
  package var entities = EntityDetail.normal
  /// `members`: how many members of regions become devices, in the order they are first heard. Default 200.
  package var members = defaultMembers
  /// `room_presence`: the topic prefix under which each receiver's distance to each beacon is published, for `mqtt_room`.
  /// `{beacon}` in it stands for the beacon. nil: not published.
  package var rooms: String?
  /// `support_url`: where users find help; nil: none is announced to Home Assistant.
  package var supportURL: String?

  /// Whether the gateway reports beacons in places of Home Assistant.
  package var hasPlaces: Bool { isOn && places != nil }

  package static let defaultPrefix = "homeassistant"
  package static let defaultMembers = 200
  /// The default of `mqtt_room`.
  package static let defaultRooms = "room_presence"

  package init() {}
}
