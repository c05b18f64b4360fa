import Beacons
import Phones

/// A device in Home Assistant, with all its components.
package struct DiscoveryDevice: Hashable, Sendable {
  /// What a device represents, by its name in the configuration.
  package enum Subject: Hashable, Sendable {
    case gateway
    case zone(String)
    case room(String)
    case beacon(String)
    case phone(String)
  }

  package var subject: Subject
  package var name: String
  package var make: DeviceMake
  /// Its Bluetooth address, which other integrations also use to identify it.
  package var address: DeviceAddress?
  /// The suggested area; Home Assistant uses it only when the device is new.
  package var area: String?
  package var components: [DiscoveryComponent]

  /// The same device with only the components of a choice.
  package func limited(to detail: EntityDetail) -> DiscoveryDevice {
    var device = self
    device.components.removeAll { $0.detail > detail }
    return device
  }
}

/// The manufacturer and model of a device.
package struct DeviceMake: Hashable, Sendable {
  /// nil: unknown.
  package var manufacturer: String?
  package var model: String

  package init(manufacturer: String? = nil, model: String) {
    self.manufacturer = manufacturer
    self.model = model
  }

  /// For a device that represents something of ours.
  static func own(_ model: String) -> DeviceMake { DeviceMake(manufacturer: "Beaconkeeper", model: model) }
}

extension DiscoveryDevice.Subject {
  /// The last level but one of its discovery topic.
  package var objectID: String {
    switch self {
    case .gateway: "gateway"
    case .zone(let name): "zone_" + discoveryID(name)
    case .room(let name): "room_" + discoveryID(name)
    case .beacon(let name): "beacon_" + discoveryID(name)
    case .phone(let name): "phone_" + discoveryID(name)
    }
  }

  package init?(objectID id: some StringProtocol) {
    if id == "gateway" {
      self = .gateway
      return
    }
    guard let end = id.firstIndex(of: "_"), let name = discoveryName(id[id.index(after: end)...]) else {
      return nil
    }
    switch id[..<end] {
    case "zone": self = .zone(name)
    case "room": self = .room(name)
    case "beacon": self = .beacon(name)
    case "phone": self = .phone(name)
    default: return nil
    }
  }
}

extension DiscoveryDevice {
  /// A beacon or a member of a region: its place, its signal, its readings.
  ///
  /// - Parameters:
  ///   - displayName: a readable name; nil: use its name.
  ///   - icon: of its tracker; nil: Home Assistant's own.
  ///   - address: the address that it always sends from; nil: it has none, or it is unknown.
  ///   - zones: those that watch the beacon. Without any, and without rooms, it has no tracker.
  ///   - hasRooms: whether rooms are configured, so that it may be in one.
  package static func beacon(
    _ name: String, displayName: String?, icon: String? = nil, make: DeviceMake, address: DeviceAddress?,
    zones: [(name: String, hasNear: Bool)], hasRooms: Bool, readings: [ReadingKind], topics: Topics,
    places: ZonePlaces
  ) -> DiscoveryDevice {
    var tracker = DiscoveryComponent.entity("device_tracker", "tracker", named: nil)
    tracker[text: "source_type"] = "bluetooth_le"
    if let icon { tracker[text: "icon"] = icon }
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
    // Home Assistant accepts no state longer than 255 characters. As in `beacon/<beacon>/zone`, a beacon in a room is not
    // outside.
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

    // Without zones and rooms, a tracker would always be away.
    let isPlaced = hasRooms || !zones.isEmpty
    var components = [distance, signal.from(.all)]
    if isPlaced { components.append(zone.from(.minimal)) }
    components += [seen.from(.all), receiver.from(.all)]
    for index in components.indices { components[index][text: "state_topic"] = topics.state(beacon: name) }
    if hasRooms {
      components += [
        room(of: name, topics: topics).from(.minimal), lastRoom(of: name, topics: topics).from(.normal),
      ]
    }
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
    // In no room the state is the same word as for a tracker: no value would mean "unknown", as before the gateway knows.
    // Probability and position are left out, because each change is a row in Home Assistant's history.
    ofRooms(
      .entity("sensor", "room", named: "Room"), icon: "mdi:floor-plan", topic: topics.room(beacon: name),
      value: "{{ value_json.room or '\(WhereaboutsMessage.nowhere)' }}",
      attributes: "{{ {'since': value_json.since, 'floor': value_json.floor | default(none), "
        + "'runner_up': value_json.runner_up.room if value_json.runner_up else none} | tojson }}")
  }

  private static func lastRoom(of name: String, topics: Topics) -> DiscoveryComponent {
    // While it is heard, the time changes all the time, and each change is a row in Home Assistant's history.
    ofRooms(
      .entity("sensor", "last_room", named: "Last room"), icon: "mdi:map-marker-question",
      topic: topics.room(beacon: name), value: "{{ value_json.last_room | default(none) }}",
      attributes:
        "{{ {'last_seen_at': value_json.last_seen_at | default(none) if not value_json.room else none} | tojson }}"
    )
  }

  private static func ofRooms(
    _ entity: DiscoveryComponent, icon: String, topic: String, value: String, attributes: String
  ) -> DiscoveryComponent {
    var room = entity
    room[text: "icon"] = icon
    room[text: "state_topic"] = topic
    room[text: "value_template"] = value
    room[text: "json_attributes_topic"] = topic
    room[text: "json_attributes_template"] = attributes
    return room
  }
}

extension DiscoveryComponent {
  /// A device trigger for a transition or an event.
  ///
  /// - Parameters:
  ///   - template: selects the value to compare in a message.
  ///   - payload: the value that triggers; nil: any.
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

extension DiscoveryDevice {
  /// The gateway itself: whether it is online, whether its receivers work, and its rates.
  package static func gateway(topics: Topics) -> DiscoveryDevice {
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

extension DiscoveryDevice {
  /// A simulated phone: whether its app could range, and the outcome of each near trigger.
  ///
  /// - Parameter model: system and strategy.
  package static func phone(_ name: String, model: String, topics: Topics) -> DiscoveryDevice {
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
    // Null while time is unlimited.
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
    // A sensor has the key `missed`, and the later of two would replace the other.
    for (outcome, key) in [("delivered", "delivered"), ("missed", "near_missed")] {
      components.append(
        .trigger(
          outcome, key: key, subtype: "near", topic: verdict,
          of:
            "{{ 'delivered' if value_json.outcome in [\(delivered.joined(separator: ", "))] else 'missed' }}",
          outcome
        ).from(.minimal))
    }
    return DiscoveryDevice(
      subject: .phone(name), name: "\(name) app", make: .own(model),
      components: components + recordSensors(topics.record(phone: name)))
  }

  /// What the real app noticed, compared with the verdicts. Before its first report all are unknown.
  private static func recordSensors(_ topic: String) -> [DiscoveryComponent] {
    var share = number("seen_pct", "Seen of predicted", icon: "mdi:eye-check", "measurement")
    share[text: "unit_of_measurement"] = "%"
    var lateness = number("late_s", "Lateness", icon: "mdi:timer-sand", "measurement")
    lateness[text: "device_class"] = "duration"
    lateness[text: "unit_of_measurement"] = "s"
    // These totals can decrease, because a late report turns a missed near into a seen one.
    var counts = [
      number("missed", "Missed", icon: "mdi:eye-off", "measurement"),
      number("false", "Seen without near", icon: "mdi:eye-refresh", "measurement"),
    ]
    for index in counts.indices {
      let field = counts[index].key
      counts[index][text: "value_template"] = "{{ value_json['\(field)'] if value_json.since else None }}"
    }
    var sensors = [share] + counts + [lateness]
    for index in sensors.indices {
      sensors[index][text: "state_topic"] = topic
      sensors[index][text: "entity_category"] = "diagnostic"
    }
    return sensors
  }
}

extension DiscoveryDevice {
  /// A zone or a room: its occupancy, its number of members, and its passages.
  ///
  /// - Parameters:
  ///   - hasNear: false for a room.
  ///   - area: the Home Assistant area that it is in.
  package static func place(
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
    // After a silence, distance and signal are from before it.
    case .zone:
      "'distance_m': value_json.distance_m if value_json.because.unit != 's' else none, "
        + "'rssi_dbm': value_json.rssi_dbm if value_json.because.unit != 's' else none, "
        + "'silent_s': value_json.because.value if value_json.because.unit == 's' else none"
    case .room: "'probability': value_json.because.probability"
    }
  }
}
