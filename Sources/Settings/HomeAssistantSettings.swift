/// `home_assistant:` – how the gateway announces its entities to Home Assistant.
public struct HomeAssistantSettings: Hashable, Sendable {
  public enum Form: String, Hashable, Sendable, CaseIterable {
    /// One message per device: Home Assistant 2024.12 and later.
    case device
    /// One message per entity: Domoticz, and older versions of Home Assistant.
    case component
  }

  /// What becomes an entity. Each choice includes the previous one.
  public enum Entities: String, Hashable, Sendable, CaseIterable {
    /// Who is where, whether everything works, and batteries.
    case minimal
    /// Also readings, distances and rates.
    case normal
    /// Also values that change at every advertisement or are for technicians: signal, last seen, receiver, acceleration,
    /// counters.
    case all
  }

  /// One of our zones, and the Home Assistant zone that contains it.
  public struct Place: Hashable, Sendable {
    public var zone: String
    /// Such as `zone.home`.
    public var entity: String
    /// `name`: its name in Home Assistant, such as `Office`; default: derived from the entity id.
    public var name: String

    /// - Parameter name: nil: derived from the id, as `My office` from `zone.my_office`.
    public init(zone: String, entity: String, name: String? = nil) {
      self.zone = zone
      self.entity = entity
      let words = entity.dropFirst("zone.".count).replacing("_", with: " ")
      self.name = name ?? words.prefix(1).uppercased() + words.dropFirst()
    }

    /// Whether it is Home Assistant's home zone.
    public var isHome: Bool { entity == "zone.home" }

    /// The state of a tracker there.
    public var spoken: String { isHome ? "home" : name }
  }

  /// Default true. If false, nothing is announced, and earlier announcements are removed.
  public var isOn: Bool
  /// Default `homeassistant`, as in Home Assistant.
  public var prefix: String
  /// Default `device`.
  public var form: Form
  /// `zones`, by name; nil: every zone lies in `zone.home`.
  public var places: [Place]?
  /// `areas`: by zone, the Home Assistant area suggested for its device.
  public var areas: [String: String]
  /// Default `normal`.
  public var entities: Entities
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
    isOn: Bool = true, prefix: String = defaultPrefix, form: Form = .device, places: [Place]? = nil,
    areas: [String: String] = [:],
    entities: Entities = .normal, members: Int = defaultMembers, rooms: String? = nil,
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
