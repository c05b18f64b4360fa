/// `home_assistant:` – how the gateway announces what it knows to Home Assistant.
public struct HomeAssistantSettings: Hashable, Sendable {
  public enum Form: String, Hashable, Sendable, CaseIterable {
    /// One message a device: Home Assistant from 2024.12 on.
    case device
    /// One message an entity: Domoticz, and Home Assistant before that.
    case component
  }

  /// How much becomes an entity: each choice has what the one before it has.
  public enum Entities: String, Hashable, Sendable, CaseIterable {
    /// Who is where, whether all is well, and batteries.
    case minimal
    /// And readings, distances and rates.
    case normal
    /// And what is new at every advertisement, or for technicians: signal, last seen, receiver, acceleration, counters.
    case all
  }

  /// A zone of ours that lies in one of Home Assistant's.
  public struct Place: Hashable, Sendable {
    public var zone: String
    /// Such as `zone.home`.
    public var entity: String
    /// `name`: what Home Assistant shows it as, such as `Office`; left out: as the entity's id reads.
    public var name: String

    /// - Parameter name: nil: as the id reads, `zone.my_office` as `My office`.
    public init(zone: String, entity: String, name: String? = nil) {
      self.zone = zone
      self.entity = entity
      let words = entity.dropFirst("zone.".count).replacing("_", with: " ")
      self.name = name ?? words.prefix(1).uppercased() + words.dropFirst()
    }

    /// Whether it is where people are at home.
    public var isHome: Bool { entity == "zone.home" }

    /// What a tracker there says.
    public var spoken: String { isHome ? "home" : name }
  }

  /// Default true. When false, nothing is announced, and what was is taken back.
  public var isOn: Bool
  /// Default `homeassistant`, as Home Assistant's own.
  public var prefix: String
  /// Default `device`.
  public var form: Form
  /// `zones`, by name; nil: every zone lies in `zone.home`.
  public var places: [Place]?
  /// `areas`: by zone, the area of Home Assistant that its device is suggested for.
  public var areas: [String: String]
  /// Default `normal`.
  public var entities: Entities
  /// `members`: how many members of regions become devices; the first ones heard. Default 200.
  public var members: Int
  /// `room_presence`: below which topic it is told how far each receiver has each beacon, for `mqtt_room`; a part `{beacon}`
  /// stands for the beacon. nil: it is not told.
  public var rooms: String?
  /// `support_url`: where users find help; nil: none is announced to Home Assistant.
  public var supportURL: String?

  /// Whether beacons are told to be in places of Home Assistant.
  public var hasPlaces: Bool { isOn && places != nil }

  public static let defaultPrefix = "homeassistant"
  public static let defaultMembers = 200
  /// As `mqtt_room` has it.
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
