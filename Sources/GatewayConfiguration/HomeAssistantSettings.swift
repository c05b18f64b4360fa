/// `home_assistant:` – how the gateway announces what it knows to Home Assistant.
public struct HomeAssistantSettings: Hashable, Sendable {
  public enum Form: String, Hashable, Sendable, CaseIterable {
    /// One message a device: Home Assistant from 2024.12 on.
    case device
    /// One message an entity: Domoticz, and Home Assistant before that.
    case component
  }

  /// A zone of ours that lies in one of Home Assistant's.
  public struct Place: Hashable, Sendable {
    public var zone: String
    /// Such as `zone.home`.
    public var entity: String
  }

  /// Default true. When false, nothing is announced, and what was is taken back.
  public var isOn: Bool
  /// Default `homeassistant`, as Home Assistant's own.
  public var prefix: String
  /// Default `device`.
  public var form: Form
  /// `zones`, by name; nil: every zone lies in `zone.home`.
  public var places: [Place]?
  /// `members`: how many members of regions become devices; the first ones heard. Default 200.
  public var members: Int

  public static let defaultPrefix = "homeassistant"
  public static let defaultMembers = 200

  public init(
    isOn: Bool = true, prefix: String = defaultPrefix, form: Form = .device, places: [Place]? = nil,
    members: Int = defaultMembers
  ) {
    self.isOn = isOn
    self.prefix = prefix
    self.form = form
    self.places = places
    self.members = members
  }
}
