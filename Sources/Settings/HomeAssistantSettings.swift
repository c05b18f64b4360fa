import Messages

/// `home_assistant:` – how the gateway announces its entities to Home Assistant.
public struct HomeAssistantSettings: Hashable, Sendable {
  /// Default true. If false, nothing is announced, and earlier announcements are removed.
  public var isOn: Bool
  /// Default `homeassistant`, as in Home Assistant.
  public var prefix: String
  /// Default `device`.
  public var form: Discovery.Form
  /// `zones`, by name; nil: every zone is in `zone.home`.
  public var places: [Place]?
  /// `areas`: by zone, the Home Assistant area suggested for its device.
  public var areas: [String: String]
  /// Default `normal`.
  public var entities: EntityDetail
  /// `members`: how many members of regions become devices, in the order they are first heard. Default 200.
  public var members: Int
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

  public init(
    isOn: Bool = true, prefix: String = defaultPrefix, form: Discovery.Form = .device, places: [Place]? = nil,
    areas: [String: String] = [:], entities: EntityDetail = .normal, members: Int = defaultMembers,
    rooms: String? = nil,
    supportURL: String? = nil
  ) {
    self.isOn = isOn
    self.prefix = prefix
    self.form = form
    self.places = places
    self.areas = areas
    self.entities = entities
    self.members = members
    self.rooms = rooms
    self.supportURL = supportURL
  }
}
