extension DiscoveryDevice {
  /// A zone or a room: whether somebody is in it, how many, and who comes and goes.
  ///
  /// - Parameters:
  ///   - hasNear: false for a room.
  ///   - area: the Home Assistant area that it is in.
  public static func place(
    _ kind: PlaceKind, _ name: String, hasNear: Bool, area: String?, topics: Topics
  ) -> DiscoveryDevice {
    let topic = topics.occupancy(of: kind, name)

    var occupancy = DiscoveryComponent.entity("binary_sensor", "occupancy", named: "Occupancy")
    occupancy[text: "device_class"] = "occupancy"
    occupancy[text: "state_topic"] = topic
    // Unknown while the place is blind.
    occupancy[text: "value_template"] =
      "{{ {'occupied': 'ON', 'empty': 'OFF'}.get(value_json.state, none) }}"
    occupancy[text: "json_attributes_topic"] = topic
    occupancy[text: "json_attributes_template"] =
      "{{ {'beacons': value_json.beacons | map(attribute='beacon') | list} | tojson }}"

    var count = DiscoveryComponent.entity("sensor", "count", named: "Beacons")
    count[text: "icon"] = "mdi:counter"
    count[text: "state_class"] = "measurement"
    count[text: "state_topic"] = topic
    count[text: "value_template"] = "{{ value_json.count if value_json.state != 'unknown' else none }}"

    let kinds = hasNear ? ["enter", "near", "exit"] : ["enter", "exit"]
    var passage = DiscoveryComponent.entity("event", "passage", named: "Passage")
    passage[text: "icon"] = "mdi:transit-transfer"
    passage["event_types"] = .texts(kinds)
    // This also matches the occupancy topic, whose messages the template ignores.
    passage[text: "state_topic"] = topics.transition(of: kind, name, event: "+")
    passage[text: "value_template"] =
      "{% if value_json.event is defined %}{{ {'event_type': value_json.event, 'beacon': value_json.beacon, "
      + "'time': value_json.time, \(kind.evidence)} | tojson }}{% endif %}"

    let triggers = kinds.map { event in
      DiscoveryComponent.trigger(
        event, key: event, subtype: "any beacon", topic: topics.transition(of: kind, name, event: event)
      ).from(.minimal)
    }
    return DiscoveryDevice(
      subject: kind == .zone ? .zone(name) : .room(name), name: name,
      make: .own(kind == .zone ? "Zone" : "Room"), area: area,
      components: [occupancy, count, passage].map { $0.from(.minimal) } + triggers)
  }
}

extension PlaceKind {
  /// What a passage event contains besides beacon and time.
  fileprivate var evidence: String {
    switch self {
    case .zone: "'distance_m': value_json.distance_m, 'rssi_dbm': value_json.rssi_dbm"
    case .room: "'probability': value_json.because.probability"
    }
  }
}
