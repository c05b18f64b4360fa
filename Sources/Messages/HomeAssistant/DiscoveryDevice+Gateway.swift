extension DiscoveryDevice {
  /// The gateway itself: whether it is there, whether it hears, and how much.
  public static func gateway(topics: Topics) -> DiscoveryDevice {
    var connectivity = DiscoveryComponent.entity("binary_sensor", "connectivity", named: "Connectivity")
    connectivity[text: "device_class"] = "connectivity"
    connectivity[text: "state_topic"] = topics.status
    connectivity[text: "payload_on"] = Status.online.rawValue
    connectivity[text: "payload_off"] = Status.offline.rawValue
    // Otherwise it would be unavailable instead of off.
    connectivity.followsAvailability = false

    var radio = DiscoveryComponent.entity("binary_sensor", "radio", named: "Radio")
    radio[text: "device_class"] = "problem"
    radio[text: "value_template"] = "{{ 'OFF' if value_json.state == 'ok' else 'ON' }}"
    radio[text: "json_attributes_topic"] = topics.health
    radio[text: "json_attributes_template"] =
      "{% set ns = namespace(states={}) %}{% for r in value_json.receivers %}"
      + "{% set ns.states = dict(ns.states, **{r.name: r.state}) %}{% endfor %}"
      + "{{ {'state': value_json.state, 'receivers': ns.states} | tojson }}"

    var rate = DiscoveryComponent.entity("sensor", "advertisement_rate", named: "Advertisements")
    rate[text: "icon"] = "mdi:bluetooth"
    rate[text: "unit_of_measurement"] = "1/s"
    rate[text: "state_class"] = "measurement"
    rate["suggested_display_precision"] = .number(1)
    rate[text: "value_template"] =
      "{{ value_json.receivers | sum(attribute='advertisements_per_s') | round(1) }}"

    let numbers = [
      number("beacons", "Beacons", icon: "mdi:bluetooth-transfer", "measurement"),
      number("transitions", "Transitions", icon: "mdi:swap-horizontal", "total_increasing"),
      number("queued", "Waiting messages", icon: "mdi:tray-full", "measurement"),
    ]
    var components = [radio.from(.minimal), rate] + numbers
    for index in components.indices { components[index][text: "state_topic"] = topics.health }
    components.insert(connectivity.from(.minimal), at: 0)
    for index in components.indices { components[index][text: "entity_category"] = "diagnostic" }
    return DiscoveryDevice(
      subject: .gateway, name: "Beaconkeeper \(topics.gateway)", make: .own("Gateway"), components: components
    )
  }

  private static func number(
    _ field: String, _ title: String, icon: String, _ stateClass: String
  ) -> DiscoveryComponent {
    var sensor = DiscoveryComponent.entity("sensor", field, named: title)
    sensor[text: "icon"] = icon
    sensor[text: "state_class"] = stateClass
    sensor[text: "value_template"] = "{{ value_json.\(field) }}"
    return sensor
  }
}
