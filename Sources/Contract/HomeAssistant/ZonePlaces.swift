/// Which zones of Home Assistant contain the gateway's zones. They determine where a person is.
///
/// State and attributes of a tracker come in one message, so that Home Assistant applies both in one step.
package struct ZonePlaces: Hashable, Sendable {
  /// nil: every zone of ours is in `zone.home`.
  package var places: [Place]?

  package init(_ places: [Place]? = nil) { self.places = places }

  func writeState(of beacon: String, topics: Topics, to tracker: inout DiscoveryComponent) {
    let topic = places == nil ? topics.zone(beacon: beacon) : topics.place(beacon: beacon)
    tracker[text: "state_topic"] = topic
    // Home Assistant accepts no other results of this template.
    tracker[text: "value_template"] = places == nil ? "{{ '\(Self.away)' if \(isAway) else 'home' }}" : nil
    tracker[text: "json_attributes_topic"] = topic
    tracker[text: "json_attributes_template"] = attributesTemplate
  }

  private static let away = WhereaboutsMessage.nowhere
  private var isAway: String { "value == '\(Self.away)'" }

  /// Current releases use `in_zones` to decide which persons are in a zone, and `home` alone does not count. Before 2026 a
  /// person follows a tracker to a place other than home only if the tracker has the source type GPS.
  private var attributesTemplate: String {
    guard let places else { return "{{ {'in_zones': [] if \(isAway) else ['zone.home']} | tojson }}" }
    var entities: [String: [String]] = [:]
    for place in places where entities[place.spoken]?.contains(place.entity) != true {
      entities[place.spoken, default: []].append(place.entity)
    }
    let pairs = entities.sorted { $0.key < $1.key }.map {
      "\(jinjaQuoted($0.key)): [\($0.value.map(jinjaQuoted).joined(separator: ", "))]"
    }
    return "{% set zones = {\(pairs.joined(separator: ", "))}.get(value, []) %}"
      + "{{ {'in_zones': zones, 'source_type': 'gps' if zones and value != 'home' else 'bluetooth_le'} | tojson }}"
  }
}

/// One of our zones, and the zone of Home Assistant that contains it.
package struct Place: Hashable, Sendable {
  package var zone: String
  /// Such as `zone.home`.
  package var entity: String
  /// `name`: its name in Home Assistant, such as `Office`; default: derived from the entity id.
  package var name: String

  /// - Parameter name: nil: derived from the id, as `My office` from `zone.my_office`.
  package init(zone: String, entity: String, name: String? = nil) {
    self.zone = zone
    self.entity = entity
    let words = entity.dropFirst("zone.".count).replacing("_", with: " ")
    self.name = name ?? words.prefix(1).uppercased() + words.dropFirst()
  }

  /// Whether it is Home Assistant's home zone.
  package var isHome: Bool { entity == "zone.home" }

  /// The state of a tracker there.
  package var spoken: String { isHome ? "home" : name }
}
