extension ReadingKind {
  /// Its entity; nil if it is not in a beacon's state, or of no use to people.
  func component(topics: Topics, beacon: String) -> DiscoveryComponent? {
    guard let display = quantity.display else { return nil }
    let title = ordinal == 1 ? display.title : "\(display.title) \(ordinal)"
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
    case .event(let words):
      entity = .entity("sensor", name, named: title)
      entity[text: "device_class"] = "enum"
      entity["options"] = .texts(words)
      entity[text: "value_template"] = "{{ \(value) | default(none) }}"
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
}
