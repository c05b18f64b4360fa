/// A beacon, or a member of a region, as a device: where it is, how it is heard, what it measures.
public struct BeaconDevice: Hashable, Sendable {
  /// A zone that watches the beacon.
  public struct Zone: Hashable, Sendable {
    public var name: String
    public var hasNear: Bool

    public init(name: String, hasNear: Bool) {
      self.name = name
      self.hasNear = hasNear
    }
  }

  public var name: String
  /// What it is, in words.
  public var model: String
  public var zones: [Zone]
  public var readings: [ReadingKind]

  public init(name: String, model: String, zones: [Zone], readings: [ReadingKind]) {
    self.name = name
    self.model = model
    self.zones = zones
    self.readings = readings
  }

  /// - Parameter places: how zones of ours lie in zones of Home Assistant.
  public func device(topics: Topics, places: ZonePlaces) -> DiscoveryDevice {
    var tracker = DiscoveryComponent.entity("device_tracker", "tracker", named: nil)
    tracker[text: "source_type"] = "bluetooth_le"
    tracker[text: "value_template"] = places.stateTemplate
    tracker[text: "json_attributes_topic"] = topics.state(beacon: name)
    tracker[text: "json_attributes_template"] = places.attributesTemplate

    var distance = DiscoveryComponent.entity("sensor", "distance", named: "Distance")
    distance[text: "device_class"] = "distance"
    distance[text: "unit_of_measurement"] = "m"
    distance[text: "state_class"] = "measurement"
    distance["suggested_display_precision"] = .number(1)
    distance[text: "value_template"] = "{{ value_json.distance_m }}"

    var signal = DiscoveryComponent.entity("sensor", "rssi", named: "Signal strength")
    signal[text: "device_class"] = "signal_strength"
    signal[text: "unit_of_measurement"] = "dBm"
    signal[text: "state_class"] = "measurement"
    signal["suggested_display_precision"] = .number(0)
    signal[text: "value_template"] = "{{ value_json.rssi_dbm }}"
    signal[text: "entity_category"] = "diagnostic"

    var zone = DiscoveryComponent.entity("sensor", "zone", named: "Zone")
    zone[text: "icon"] = "mdi:map-marker-radius"
    // Home Assistant takes no state longer than 255 characters.
    zone[text: "value_template"] = "{{ (value_json.zones | join(', '))[:255] or 'outside' }}"

    var seen = DiscoveryComponent.entity("sensor", "last_seen", named: "Last seen")
    seen[text: "device_class"] = "timestamp"
    seen[text: "value_template"] = "{{ value_json.last_seen }}"
    seen[text: "entity_category"] = "diagnostic"

    var receiver = DiscoveryComponent.entity("sensor", "receiver", named: "Receiver")
    receiver[text: "icon"] = "mdi:access-point"
    receiver[text: "value_template"] = "{{ value_json.receiver }}"
    receiver[text: "entity_category"] = "diagnostic"

    var components = [tracker, distance, signal, zone, seen, receiver]
    for index in components.indices { components[index][text: "state_topic"] = topics.state(beacon: name) }
    components += readings.sorted().compactMap { $0.component(topics: topics, beacon: name) }
    for zone in zones {
      for event in zone.hasNear ? ["enter", "near", "exit"] : ["enter", "exit"] {
        components.append(
          .trigger(
            event, key: "\(event)_\(discoveryID(zone.name))", subtype: zone.name,
            topic: topics.transition(zone: zone.name, event: event), beacon: name))
      }
    }
    return DiscoveryDevice(subject: .beacon(name), name: name, model: model, components: components)
  }
}

extension DiscoveryComponent {
  /// A device trigger for a transition.
  ///
  /// - Parameter beacon: the one whose transitions it takes; nil: any.
  static func trigger(
    _ event: String, key: String, subtype: String, topic: String, beacon: String?
  ) -> DiscoveryComponent {
    var trigger = DiscoveryComponent("device_automation", key)
    trigger[text: "automation_type"] = "trigger"
    trigger[text: "type"] = event
    trigger[text: "subtype"] = subtype
    trigger[text: "topic"] = topic
    if let beacon {
      trigger[text: "value_template"] = "{{ value_json.beacon }}"
      trigger[text: "payload"] = beacon
    }
    return trigger
  }
}
