import Messages

/// `home_assistant:` – how the gateway announces its entities to Home Assistant.
public struct HomeAssistantSettings: Hashable, Sendable {
  /// Default true. If false, nothing is announced, and earlier announcements are removed.
  public var isOn = true
  /// Default `homeassistant`, as in Home Assistant.
  public var prefix = defaultPrefix
  /// Default `device`.
  public var form = Discovery.Form.device
  /// `zones`, by name; nil: every zone and room is in `zone.home`.
  public var places: [Place]?
  /// `areas`: by zone, the Home Assistant area suggested for its device.
  public var areas: [String: String] = [:]
  /// Default `normal`.
  public var entities = EntityDetail.normal
  /// `members`: how many members of regions become devices, in the order they are first heard. Default 200.
  public var members = defaultMembers
  /// `room_presence`: the topic prefix under which each receiver's distance to each beacon is published, for `mqtt_room`.
  /// `{beacon}` in it stands for the beacon. nil: not published.
  public var rooms: String?
  /// `support_url`: where users find help; nil: none is announced to Home Assistant.
  public var supportURL: String?

  /// Whether the gateway reports beacons in places of Home Assistant.
  public var hasPlaces: Bool { isOn && places != nil }

  public static let defaultPrefix = "homeassistant"
  public static let defaultMembers = 200
  /// The default of `mqtt_room`.
  public static let defaultRooms = "room_presence"

  public init() {}
}
