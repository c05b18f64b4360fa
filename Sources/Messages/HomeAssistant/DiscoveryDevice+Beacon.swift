public import Beacons

extension DiscoveryDevice {
  /// A beacon or a member of a region: where it is, how it is heard, what it measures.
  ///
  /// - Parameters:
  ///   - displayName: a readable name; nil: use its name.
  ///   - address: the address it always sends from; nil: it has none, or it is unknown.
  ///   - zones: those that watch the beacon. Without any, and without rooms, it has no tracker.
  ///   - hasRooms: whether rooms are configured, so that it may be in one.
  public static func beacon(
    _ name: String, displayName: String?, make: DeviceMake, address: DeviceAddress?,
    zones: [(name: String, hasNear: Bool)], hasRooms: Bool, readings: [ReadingKind], topics: Topics,
    places: ZonePlaces
  ) -> DiscoveryDevice {
    var tracker = DiscoveryComponent.entity("device_tracker", "tracker", named: nil)
    tracker[text: "source_type"] = "bluetooth_le"
    places.writeState(of: name, topics: topics, to: &tracker)

    var distance = DiscoveryComponent.entity("sensor", "distance", named: "Distance")
    distance[text: "device_class"] = "distance"
    distance[text: "unit_of_measurement"] = "m"
    distance[text: "state_class"] = "measurement"
    distance["suggested_display_precision"] = .number(1)
    // More digits would be noise, and each change is a row in Home Assistant's history.
    distance[text: "value_template"] =
      "{{ value_json.distance_m | round(1) if value_json.distance_m is number else none }}"

    var signal = DiscoveryComponent.entity("sensor", "rssi", named: "Signal strength")
    signal[text: "device_class"] = "signal_strength"
    signal[text: "unit_of_measurement"] = "dBm"
    signal[text: "state_class"] = "measurement"
    signal["suggested_display_precision"] = .number(0)
    signal[text: "value_template"] = "{{ value_json.rssi_dbm }}"
    signal[text: "entity_category"] = "diagnostic"

    var zone = DiscoveryComponent.entity("sensor", "zone", named: "Zone")
    zone[text: "icon"] = "mdi:map-marker-radius"
    // Home Assistant accepts no state longer than 255 characters.
    // As `beacon/<beacon>/zone`: whoever is in a room is not outside.
    let nowhere =
      hasRooms ? "('\(WhereaboutsMessage.home)' if value_json.room else 'outside')" : "'outside'"
    zone[text: "value_template"] = "{{ (value_json.zones | join(', '))[:255] or \(nowhere) }}"

    var seen = DiscoveryComponent.entity("sensor", "last_seen", named: "Last seen")
    seen[text: "device_class"] = "timestamp"
    seen[text: "value_template"] = "{{ value_json.last_seen }}"
    seen[text: "entity_category"] = "diagnostic"

    var receiver = DiscoveryComponent.entity("sensor", "receiver", named: "Receiver")
    receiver[text: "icon"] = "mdi:access-point"
    receiver[text: "value_template"] = "{{ value_json.receiver }}"
    receiver[text: "entity_category"] = "diagnostic"

    // Where nothing can say that a beacon is here, a tracker would say for ever that it is away.
    let isPlaced = hasRooms || !zones.isEmpty
    var components = [distance, signal.from(.all)]
    if isPlaced { components.append(zone.from(.minimal)) }
    components += [seen.from(.all), receiver.from(.all)]
    for index in components.indices { components[index][text: "state_topic"] = topics.state(beacon: name) }
    if hasRooms { components.append(room(of: name, topics: topics).from(.minimal)) }
    if isPlaced { components.insert(tracker.from(.minimal), at: 0) }
    components += readings.sorted().compactMap { $0.component(topics: topics, beacon: name) }
    // Several gateways may share a device by its address, and its triggers must not have the same name.
    let origin = address == nil ? nil : topics.gateway
    components += readings.sorted().flatMap {
      $0.eventComponents(topics: topics, beacon: name, origin: origin)
    }
    for zone in zones {
      let subtype = origin.map { "\(zone.name) (\($0))" } ?? zone.name
      for event in zone.hasNear ? ["enter", "near", "exit"] : ["enter", "exit"] {
        components.append(
          .trigger(
            event, key: "\(event)_\(discoveryID(zone.name))", subtype: subtype,
            topic: topics.transition(zone: zone.name, event: event), of: "{{ value_json.beacon }}", name
          ).from(.minimal))
      }
    }
    return DiscoveryDevice(
      subject: .beacon(name), name: displayName ?? name, make: make, address: address, components: components)
  }

  private static func room(of name: String, topics: Topics) -> DiscoveryComponent {
    var room = DiscoveryComponent.entity("sensor", "room", named: "Room")
    room[text: "icon"] = "mdi:floor-plan"
    room[text: "state_topic"] = topics.room(beacon: name)
    // The same word as a tracker. No value would mean unknown, which is the state before the gateway knows.
    room[text: "value_template"] = "{{ value_json.room or '\(WhereaboutsMessage.nowhere)' }}"
    room[text: "json_attributes_topic"] = topics.room(beacon: name)
    // Probability and position change all the time, and each change is a row in Home Assistant's history.
    room[text: "json_attributes_template"] =
      "{{ {'since': value_json.since, 'floor': value_json.floor | default(none), "
      + "'runner_up': value_json.runner_up.room if value_json.runner_up else none} | tojson }}"
    return room
  }
}

extension DiscoveryComponent {
  /// A device trigger for a transition or an event.
  ///
  /// - Parameters:
  ///   - template: what it looks at in a message.
  ///   - payload: what it accepts there; nil: anything.
  static func trigger(
    _ event: String, key: String, subtype: String, topic: String, of template: String = "",
    _ payload: String? = nil
  ) -> DiscoveryComponent {
    var trigger = DiscoveryComponent("device_automation", key)
    trigger[text: "automation_type"] = "trigger"
    trigger[text: "type"] = event
    trigger[text: "subtype"] = subtype
    trigger[text: "topic"] = topic
    if let payload {
      trigger[text: "value_template"] = template
      trigger[text: "payload"] = payload
    }
    return trigger
  }
}
