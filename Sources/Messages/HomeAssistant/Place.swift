/// One of our zones, and the zone of Home Assistant that contains it.
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
