import RangingPolicy

extension DiscoveryDevice {
  /// A simulated phone: whether its app could range, and the outcome of each near trigger.
  ///
  /// - Parameter model: system and strategy.
  public static func phone(_ name: String, model: String, topics: Topics) -> DiscoveryDevice {
    let (window, verdict) = (topics.window(phone: name), topics.verdict(phone: name))

    var state = DiscoveryComponent.entity("sensor", "window", named: "Window")
    state[text: "device_class"] = "enum"
    state["options"] = .texts(Window.State.allCases.map(\.rawValue))
    state[text: "value_template"] = "{{ value_json.state }}"
    state[text: "json_attributes_topic"] = window
    state[text: "json_attributes_template"] =
      "{{ {'since': value_json.since, 'why': value_json.why, 'os': value_json.os, "
      + "'strategy': value_json.strategy} | tojson }}"

    var ranging = DiscoveryComponent.entity("binary_sensor", "ranging", named: "Ranging")
    ranging[text: "icon"] = "mdi:cellphone-wireless"
    ranging[text: "value_template"] =
      "{{ 'ON' if value_json.state in ['foreground', 'ranging'] else 'OFF' }}"

    var remaining = DiscoveryComponent.entity("sensor", "remaining", named: "Background time left")
    remaining[text: "device_class"] = "duration"
    remaining[text: "unit_of_measurement"] = "s"
    remaining["suggested_display_precision"] = .number(0)
    // Without a limit there is no number.
    remaining[text: "value_template"] = "{{ value_json.remaining_s }}"

    var components = [state.from(.minimal), ranging, remaining]
    for index in components.indices { components[index][text: "state_topic"] = window }

    var event = DiscoveryComponent.entity("event", "verdict", named: "Verdict")
    event[text: "icon"] = "mdi:gavel"
    event["event_types"] = .texts(Reason.allCases.map(\.rawValue))
    event[text: "state_topic"] = verdict
    event[text: "value_template"] =
      "{{ {'event_type': value_json.outcome, 'zone': value_json.zone, 'beacon': value_json.beacon, "
      + "'late_s': value_json.late_s, 'near_at': value_json.near_at} | tojson }}"
    components.append(event.from(.minimal))

    let delivered = Reason.allCases.filter(\.isDelivered).map { jinjaQuoted($0.rawValue) }
    for outcome in ["delivered", "missed"] {
      components.append(
        .trigger(
          outcome, key: outcome, subtype: "near", topic: verdict,
          of:
            "{{ 'delivered' if value_json.outcome in [\(delivered.joined(separator: ", "))] else 'missed' }}",
          outcome
        ).from(.minimal))
    }
    return DiscoveryDevice(
      subject: .phone(name), name: "\(name) app", make: .own(model), components: components)
  }
}
