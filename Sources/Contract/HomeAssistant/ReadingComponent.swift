import Beacons

extension ReadingKind {
  private var title: String? {
    quantity.display.map { ordinal == 1 ? $0.title : "\($0.title) \(ordinal)" }
  }

  /// Its entity; nil if it is not in a beacon's state, or not useful to people.
  func component(topics: Topics, beacon: String) -> DiscoveryComponent? {
    guard let display = quantity.display, let title else { return nil }
    var entity: DiscoveryComponent
    let value = "value_json.readings.\(name)"
    switch display.kind {
    case .number(let number):
      entity = .entity("sensor", name, named: title)
      entity[text: "device_class"] = number.deviceClass
      entity[text: "unit_of_measurement"] = number.unit
      entity[text: "state_class"] = number.stateClass
      if let decimals = number.decimals { entity["suggested_display_precision"] = .number(decimals) }
      entity[text: "value_template"] = "{{ \(value) | default(none) }}"
    case .time:
      entity = .entity("sensor", name, named: title)
      entity[text: "device_class"] = "timestamp"
      entity[text: "value_template"] =
        "{{ (\(value) | as_datetime).isoformat() if \(value) is defined else none }}"
    case .event: return nil
    case .flag(let deviceClass):
      entity = .entity("binary_sensor", name, named: title)
      entity[text: "device_class"] = deviceClass
      entity[text: "value_template"] =
        "{{ ('ON' if \(value) else 'OFF') if \(value) is defined else none }}"
    }
    entity[text: "state_topic"] = topics.state(beacon: beacon)
    if display.isDiagnostic { entity[text: "entity_category"] = "diagnostic" }
    return entity.from(display.detail)
  }

  private static let eventSuffix = "_event"

  /// The kind of a component with this key; nil if there is none.
  package init?(component key: String) {
    self.init(name: key.hasSuffix(Self.eventSuffix) ? String(key.dropLast(Self.eventSuffix.count)) : key)
  }

  /// The entities and triggers for its events: an event entity and device triggers. None if it is only a measurement, or for
  /// technicians only.
  ///
  /// - Parameter origin: part of triggers' names; nil: no other gateway has triggers of the same device.
  func eventComponents(topics: Topics, beacon: String, origin: String?) -> [DiscoveryComponent] {
    guard let display = quantity.display, let title, !quantity.happenings.isEmpty, !display.isDiagnostic
    else { return [] }
    // If it also has an entity for its state, this one needs another name.
    let hasEntity = if case .event = display.kind { false } else { true }
    var entity = DiscoveryComponent.entity(
      "event", name + Self.eventSuffix, named: hasEntity ? title + " event" : title)
    switch quantity {
    case .button, .pressCount: entity[text: "device_class"] = "button"
    case .motion: entity[text: "device_class"] = "motion"
    default: break
    }
    entity["event_types"] = .texts(quantity.happenings)
    entity[text: "state_topic"] = topics.event(beacon: beacon)
    // Events of the beacon's other readings come on the same topic.
    entity[text: "value_template"] =
      "{% if value_json.reading == '\(name)' %}{{ {'event_type': value_json.event, 'time': value_json.time\(amount)} "
      + "| tojson }}{% endif %}"
    return [entity]
      + quantity.happenings.map { happening in
        .trigger(
          happening, key: "\(name)_\(happening)", subtype: origin.map { "\(name) (\($0))" } ?? name,
          topic: topics.event(beacon: beacon), of: "{{ value_json.reading }} {{ value_json.event }}",
          "\(name) \(happening)")
      }
  }

  /// Further values of such an event.
  private var amount: String {
    switch quantity {
    case .dimmer: ", 'steps': value_json.steps"
    case .movementCount, .pressCount: ", 'count': value_json.count"
    default: ""
    }
  }
}
