import Beacons
import Core
import Foundation
import Testing

@testable import Contract

@Suite struct DiscoveryTests {
  private let discovery = Discovery(Topics(gateway: "home"), version: "1.2.3")
  private let topics = Topics(gateway: "home")

  private func object(_ message: Message) throws -> [String: Any] {
    try #require(try JSONSerialization.jsonObject(with: Data(message.payload)) as? [String: Any])
  }

  private func beacon(
    _ readings: [ReadingKind] = [], places: ZonePlaces = ZonePlaces()
  ) -> DiscoveryDevice {
    .beacon(
      "fleet:1.2", displayName: nil, make: DeviceMake(model: "iBeacon"), address: nil,
      zones: [("pump 3", true), ("shop", false)], hasRooms: false, readings: readings, topics: topics,
      places: places)
  }

  @Test(arguments: ["van", "fleet:1.2", "a_b", "a/b", "Küche", "_", "", "a__b", "_2E", "Anna's key"])
  func idsAreUniqueAndGiveBackTheirNames(name: String) {
    let id = discoveryID(name)
    #expect(
      id.utf8.allSatisfy {
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-".utf8.contains($0)
      })
    #expect(discoveryName(id) == name)
    #expect(!id.contains("__"))
    #expect(DiscoveryDevice.Subject(objectID: "beacon_" + id) == .beacon(name))
  }

  @Test(arguments: ["a_", "a_1", "a_zz", "a_2e", "_5G", "a.b", "_C3"]) func foreignIDsGiveNoName(id: String) {
    #expect(discoveryName(id) == nil)
  }

  @Test func everyTopicOfOursIsTakenApartAgain() throws {
    let device = beacon([ReadingKind(.temperature), ReadingKind(.temperature, ordinal: 2)])
    let whole = try #require(discovery.parse(discovery.topic(of: device.subject)))
    #expect(whole == DiscoveryTopic(form: .device, subject: .beacon("fleet:1.2"), component: nil))
    for component in device.components {
      let topic = discovery.topic(of: component, of: device.subject)
      #expect(discovery.isOwn(topic))
      let parsed = try #require(discovery.parse(topic))
      #expect(parsed.form == .component && parsed.subject == .beacon("fleet:1.2"))
      #expect(parsed.component == .init(key: component.key, platform: component.platform))
    }
  }

  @Test(arguments: [
    "homeassistant/device/beaconkeeper_away/gateway/config", "homeassistant/device/gateway/config",
    "homeassistant/sensor/beaconkeeper_home/beacon_a/config", "other/device/beaconkeeper_home/gateway/config",
    "homeassistant/device/beaconkeeper_home/nobody_a/config",
    "homeassistant/device/beaconkeeper_home/gateway/set", "",
  ])
  func topicsOfOthersAreLeftAlone(topic: String) { #expect(discovery.parse(topic) == nil) }

  @Test func aDeviceIsOneRetainedMessage() throws {
    let messages = discovery.messages(beacon())
    #expect(messages.map(\.topic) == ["homeassistant/device/beaconkeeper_home/beacon_fleet_3A1_2E2/config"])
    #expect(messages.allSatisfy { $0.retained && $0.qos == .atLeastOnce })
    let payload = try object(messages[0])
    #expect(Set(payload.keys) == ["device", "origin", "availability", "qos", "components"])
    let device = try #require(payload["device"] as? [String: Any])
    #expect(device["identifiers"] as? [String] == ["beaconkeeper_home_beacon_fleet_3A1_2E2"])
    #expect(device["via_device"] as? String == "beaconkeeper_home_gateway")
    let components = try #require(payload["components"] as? [String: [String: Any]])
    #expect(components["tracker"]?["name"] is NSNull)
    #expect(components["enter_pump_203"]?["payload"] as? String == "fleet:1.2")
    #expect(components["near_pump_203"] != nil && components["near_shop"] == nil)
    let ids = components.values.compactMap { $0["unique_id"] as? String }
    #expect(Set(ids).count == ids.count)
  }

  @Test func inTheComponentFormEachEntityIsAMessageWithTheSameIDs() throws {
    var other = discovery
    other.form = .component
    let whole = try object(discovery.messages(beacon())[0])
    let components = try #require(whole["components"] as? [String: [String: Any]])
    let messages = other.messages(beacon())
    #expect(messages.count == components.count)
    let ids = try messages.compactMap { try object($0)["unique_id"] as? String }
    #expect(Set(ids) == Set(components.values.compactMap { $0["unique_id"] as? String }))
    let connectivity = try #require(
      other.messages(.gateway(topics: topics)).first {
        $0.topic.hasSuffix("__connectivity/config")
      })
    #expect(try object(connectivity)["availability_topic"] == nil)
  }

  @Test func aComponentThatIsGoneIsNamedWithoutOptions() throws {
    let message = discovery.messages(beacon(), dropped: ["enter_yard": "device_automation"])[0]
    let components = try #require(try object(message)["components"] as? [String: [String: Any]])
    #expect(components["enter_yard"]?.count == 1)
    #expect(components["enter_yard"]?["platform"] as? String == "device_automation")
  }

  @Test func theGatewaysStatusEntityIsAlwaysAvailable() throws {
    let message = discovery.messages(.gateway(topics: topics))[0]
    let components = try #require(try object(message)["components"] as? [String: [String: Any]])
    #expect((components["connectivity"]?["availability"] as? [Any])?.isEmpty == true)
    #expect(components["radio"]?["availability"] == nil)
  }

  @Test func everyKindOfReadingHasANameThatComesBack() {
    for quantity in Quantity.allCases {
      for ordinal in [1, 2, 17] as [UInt8] {
        let kind = ReadingKind(quantity, ordinal: ordinal)
        #expect(ReadingKind(name: kind.name) == kind)
      }
    }
    for name in [
      "", "tracker", "temperature", "temperature_c_1", "temperature_c_x", "temperature_c_300", "enter_a",
    ] {
      #expect(ReadingKind(name: name) == nil)
    }
  }

  @Test func everyQuantityIsShownWithAValueFromTheState() {
    for quantity in Quantity.allCases {
      guard let component = ReadingKind(quantity).component(topics: topics, beacon: "a") else { continue }
      #expect(component.key == quantity.name)
      #expect(component[text: "value_template"]?.contains("value_json.readings.\(quantity.name)") == true)
      if component[text: "device_class"] == "enum" { #expect(component["state_class"] == nil) }
    }
  }

  @Test func `no two entities of a beacon have one name`() {
    let components = Quantity.allCases.compactMap { ReadingKind($0).component(topics: topics, beacon: "a") }
    let names =
      components.map { [$0.platform, $0[text: "name"]] }
      + beacon().components.map {
        [$0.platform, $0[text: "name"] ?? $0.key]
      }
    #expect(Set(names).count == names.count)
  }

  @Test func `no two components of a device have one key`() {
    let devices = [
      beacon(Quantity.allCases.map { ReadingKind($0) }), .gateway(topics: topics),
      .phone("anna", model: "ios17", topics: topics),
      .place(.zone, "pump", hasNear: true, area: nil, topics: topics),
    ]
    for device in devices {
      let keys = device.components.map(\.key)
      #expect(Set(keys).count == keys.count, "\(device.name): \(keys)")
    }
  }

  @Test func `the id of an entity begins with its device, not with its area`() throws {
    let kitchen = DiscoveryDevice.place(.room, "Kitchen", hasNear: false, area: "Kitchen", topics: topics)
    let whole = try object(discovery.messages(kitchen)[0])
    let components = try #require(whole["components"] as? [String: [String: Any]])
    let ids = components.values.compactMap { $0["default_entity_id"] as? String }
    #expect(
      ids.sorted() == ["binary_sensor.Kitchen Occupancy", "event.Kitchen Passage", "sensor.Kitchen Beacons"])
    #expect(components["enter"]?["default_entity_id"] == nil)
    let tracked = try object(discovery.messages(beacon())[0])
    let tracker = (tracked["components"] as? [String: [String: Any]])?["tracker"]
    #expect(tracker?["default_entity_id"] as? String == "device_tracker.fleet:1.2")
  }

  @Test func `after a silence a passage has no distance`() throws {
    let zone = DiscoveryDevice.place(.zone, "pump", hasNear: true, area: nil, topics: topics)
    let template = try #require(zone.components.first { $0.key == "passage" }?[text: "value_template"])
    #expect(
      template.contains("'distance_m': value_json.distance_m if value_json.because.unit != 's' else none"))
    #expect(template.contains("'silent_s': value_json.because.value if value_json.because.unit == 's'"))
  }

  @Test func whatHappensIsAnEventAndATriggerForEachWord() throws {
    let kinds = [
      ReadingKind(.button), ReadingKind(.button, ordinal: 2), ReadingKind(.dimmer), ReadingKind(.door),
      ReadingKind(.batteryLow), ReadingKind(.temperature),
    ]
    let device = beacon(kinds)
    let topic = "beaconkeeper/home/beacon/fleet%3A1.2/event"
    let events = device.components.filter { $0.platform == "event" }
    #expect(events.map(\.key) == ["door_event", "button_event", "button_2_event", "dimmer_event"])
    #expect(events.allSatisfy { $0[text: "state_topic"] == topic })
    #expect(events[0]["event_types"] == .texts(["open", "closed"]))
    #expect(events[3]["event_types"] == .texts(["rotate_left", "rotate_right"]))
    #expect(events.compactMap { ReadingKind(component: $0.key) } == [kinds[3], kinds[0], kinds[1], kinds[2]])
    #expect(
      device.components.filter { $0.platform == "sensor" }.allSatisfy { $0[text: "device_class"] != "enum" })
    let triggers = device.components.filter { $0[text: "topic"] == topic }
    #expect(triggers.count == 9 + 9 + 2 + 2)
    let press = try #require(triggers.first { $0.key == "button_2_press" })
    #expect(press[text: "type"] == "press" && press[text: "subtype"] == "button_2")
    #expect(press[text: "value_template"] == "{{ value_json.reading }} {{ value_json.event }}")
    #expect(press[text: "payload"] == "button_2 press")
    #expect(Set(device.components.map(\.key)).count == device.components.count)
  }

  @Test func everyEventHasAWord() {
    for quantity in Quantity.allCases {
      let reading = Reading(quantity, .flag(true))
      guard let happening = reading.happening(after: .flag(false)) else { continue }
      #expect(quantity.happenings.contains(happening.word))
      #expect(
        Reading(quantity, .flag(false)).happening(after: .flag(true)).map(\.word) == quantity.happenings[1])
    }
  }

  @Test func everyLargerChoiceOfEntitiesIncludesTheSmaller() throws {
    let readings = [.temperature, .batteryLevel, .accelerationX, .movementCount].map { ReadingKind($0) }
    func keys(_ detail: EntityDetail) -> Set<String> {
      Set(beacon(readings).limited(to: detail).components.filter(\.isEntity).map(\.key))
    }
    #expect(keys(.minimal) == ["tracker", "zone", "battery_pct"])
    #expect(
      keys(.normal).subtracting(keys(.minimal)) == ["distance", "temperature_c", "movement_count_event"])
    #expect(
      keys(.all).subtracting(keys(.normal)) == [
        "rssi", "last_seen", "receiver", "acceleration_x_g", "movement_count",
      ])
    #expect(keys(.minimal).isSubset(of: keys(.normal)) && keys(.normal).isSubset(of: keys(.all)))
    // Home Assistant asks for it only once: what is announced is on.
    let text = String(decoding: discovery.messages(beacon(readings))[0].payload, as: UTF8.self)
    #expect(!text.contains("enabled_by_default"))
  }

  @Test func aDeviceSaysWhoMadeItAndWhereItStands() throws {
    let fridge = DiscoveryDevice.beacon(
      "fridge", displayName: "The fridge",
      make: DeviceMake(manufacturer: "Ruuvi Innovations", model: "RuuviTag"),
      address: DeviceAddress(bits: 0xC1AB_0000_0005, kind: .public), zones: [], hasRooms: false,
      readings: [], topics: topics, places: ZonePlaces())
    let payload = try object(discovery.messages(fridge)[0])
    let device = try #require(payload["device"] as? [String: Any])
    #expect(device["name"] as? String == "The fridge")
    #expect(device["manufacturer"] as? String == "Ruuvi Innovations")
    #expect(device["model"] as? String == "RuuviTag")
    #expect(device["connections"] as? [[String]] == [["bluetooth", "C1:AB:00:00:00:05"]])
    let van = try #require(try object(discovery.messages(beacon())[0])["device"] as? [String: Any])
    #expect(van["manufacturer"] == nil && van["connections"] == nil && van["suggested_area"] == nil)
    let zone = discovery.messages(
      .place(.zone, "kitchen", hasNear: false, area: "Ground floor", topics: topics))[0]
    let kitchen = try #require(try object(zone)["device"] as? [String: Any])
    #expect(kitchen["suggested_area"] as? String == "Ground floor")
    #expect(kitchen["manufacturer"] as? String == "Beaconkeeper")
  }

  @Test(arguments: ["mdi:key", nil]) func `a tracker has the beacon's icon`(icon: String?) {
    let key = DiscoveryDevice.beacon(
      "key", displayName: nil, icon: icon, make: DeviceMake(model: "iBeacon"), address: nil,
      zones: [("home", false)], hasRooms: false, readings: [], topics: topics, places: ZonePlaces())
    #expect(key.components.first { $0.key == "tracker" }?[text: "icon"] == icon)
  }

  @Test func aRoomIsADeviceInItsArea() throws {
    let room = DiscoveryDevice.place(.room, "Küche", hasNear: false, area: "Kitchen", topics: topics)
    #expect(discovery.topic(of: room.subject).hasSuffix("/room_K_C3_BCche/config"))
    #expect(discovery.parse(discovery.topic(of: room.subject))?.subject == .room("Küche"))
    let payload = try object(discovery.messages(room)[0])
    let device = try #require(payload["device"] as? [String: Any])
    #expect(device["suggested_area"] as? String == "Kitchen")
    #expect(device["model"] as? String == "Room")
    let components = try #require(payload["components"] as? [String: [String: Any]])
    #expect(Set(components.keys) == ["occupancy", "count", "passage", "enter", "exit"])
    #expect(
      components["occupancy"]?["state_topic"] as? String == "beaconkeeper/home/room/K%C3%BCche/occupancy")
    #expect(components["passage"]?["event_types"] as? [String] == ["enter", "exit"])
    let zone = DiscoveryDevice.place(.zone, "Küche", hasNear: false, area: nil, topics: topics)
    #expect(discovery.topic(of: zone.subject) != discovery.topic(of: room.subject))
  }

  @Test func aBeaconHasARoomOnlyWhereThereAreRooms() {
    func component(_ key: String, _ hasRooms: Bool) -> DiscoveryComponent? {
      DiscoveryDevice.beacon(
        "van", displayName: nil, make: DeviceMake(model: "iBeacon"), address: nil, zones: [],
        hasRooms: hasRooms, readings: [], topics: topics, places: ZonePlaces()
      ).limited(to: .minimal).components.first { $0.key == key }
    }
    func room(_ hasRooms: Bool) -> DiscoveryComponent? { component("room", hasRooms) }
    // Whoever is in a room is not outside.
    #expect(
      component("zone", true)?[text: "value_template"]
        == "{{ (value_json.zones | join(', '))[:255] or ('home' if value_json.room else 'outside') }}")
    #expect(room(false) == nil)
    #expect(room(true)?[text: "state_topic"] == "beaconkeeper/home/beacon/van/room")
    #expect(room(true)?[text: "value_template"] == "{{ value_json.room or 'not_home' }}")
  }

  /// A page that nobody answers for would be worse than none.
  @Test(arguments: [nil, "https://example.org/beacons"], Discovery.Form.allCases)
  func aConfiguredSupportURLIsAnnounced(page: String?, form: Discovery.Form) throws {
    let discovery = Discovery(Topics(gateway: "home"), version: "1", form: form, supportURL: page)
    for message in discovery.messages(beacon()) {
      let origin = try #require(try object(message)["origin"] as? [String: Any])
      #expect(origin["name"] as? String == "Beaconkeeper" && origin["support_url"] as? String == page)
    }
  }

  @Test func withoutPlacesEveryZoneCountsAsHome() {
    let tracker = beacon().components[0]
    #expect(tracker[text: "state_topic"] == "beaconkeeper/home/beacon/fleet%3A1.2/zone")
    #expect(tracker[text: "value_template"] == "{{ 'not_home' if value == 'not_home' else 'home' }}")
    #expect(tracker[text: "json_attributes_topic"] == tracker[text: "state_topic"])
  }

  /// Of what a template makes, Home Assistant takes no other words than home and not_home.
  @Test func placesHaveTheirOwnTopicAndNeedNoTemplate() throws {
    let places = ZonePlaces([
      Place(zone: "house", entity: "zone.home"), Place(zone: "yard", entity: "zone.work", name: "Anna's"),
      Place(zone: "gate", entity: "zone.work", name: "Anna's"),
    ])
    let tracker = beacon(places: places).components[0]
    #expect(tracker[text: "state_topic"] == "beaconkeeper/home/beacon/fleet%3A1.2/place")
    #expect(tracker[text: "value_template"] == nil)
    #expect(tracker[text: "json_attributes_topic"] == tracker[text: "state_topic"])
    let attributes = try #require(tracker[text: "json_attributes_template"])
    #expect(attributes.contains(#"{'Anna\'s': ['zone.work'], 'home': ['zone.home']}"#))
  }
}
