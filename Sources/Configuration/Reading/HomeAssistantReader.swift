import Contract

/// Reads `home_assistant:`.
struct HomeAssistantReader {
  /// Includes zones that could not be read.
  var zoneNames: Set<String>
  /// The levels before the gateway's in its own topics.
  var root: String

  private static let hint = "on, off, or for example { zones: { house: zone.home } }"

  func read(_ value: Value) -> HomeAssistantSettings {
    var settings = HomeAssistantSettings()
    if let word = value.scalar, !value.isNull {
      settings.isOn = readSwitch(value, word, hint: Self.hint) ?? true
      return settings
    }
    guard let section = value.section(hint: Self.hint) else { return settings }
    defer { section.finish() }
    section.take("prefix", into: &settings.prefix, readPrefix)
    let formHint = "component for Home Assistant before 2024.12"
    section.take("form", into: &settings.form) { readChoice($0, hint: formHint) }
    let entitiesHint = "minimal: who is where; all: also signal, last seen and counters"
    section.take("entities", into: &settings.entities) { readChoice($0, hint: entitiesHint) }
    settings.places = section.take("zones").flatMap(readPlaces)
    settings.areas = section.take("areas").flatMap(readAreas) ?? [:]
    section.take("members", into: &settings.members) { $0.integer(upTo: 10_000) }
    settings.rooms = section.take("room_presence").flatMap { readRooms($0, discovery: settings.prefix) }
    settings.supportURL = section.take("support_url").flatMap(readSupportURL)
    return settings
  }

  /// Warns of rooms in which nobody is home, because no zone with a place has them.
  func warnOfRooms(_ value: Value, _ configuration: Configuration) {
    guard configuration.homeAssistant.hasPlaces, let places = configuration.homeAssistant.places,
      !places.isEmpty, !value.diagnostics.hasErrors
    else { return }
    let named = Set(places.map(\.zone))
    let zones = configuration.zones.filter { named.contains($0.name) }
    let away = configuration.rooms.filter { room in
      !zones.contains { zone in
        if let rooms = zone.rooms { return rooms.contains(room.name) }
        return zone.receivers.map { !room.receivers.isEmpty && !Set($0).isDisjoint(with: room.receivers) }
          ?? true
      }
    }.map(\.name)
    guard let first = away.first else { return }
    value.warning(
      "nobody in \(enumerated(away)) is home in Home Assistant: no zone of its zones: has \(away.count == 1 ? "this room" : "these rooms")",
      hint: "for example a zone { name: house, rooms: [\(first)] }, and house: zone.home here")
  }

  private func readPrefix(_ value: Value) -> String? {
    guard let text = value.text() else { return nil }
    guard isStartOfTopic(text) else {
      return value.refused(
        "\(quoted(text)) cannot be the start of a topic",
        hint: "as in Home Assistant's MQTT options; usually \(HomeAssistantSettings.defaultPrefix)")
    }
    return text
  }

  private func readRooms(_ value: Value, discovery: String) -> String? {
    let usual = HomeAssistantSettings.defaultRooms
    guard let text = value.text(hint: "on, off, or the start of a topic, such as \(usual)") else {
      return nil
    }
    switch text.lowercased() {
    case "on", "true", "yes": return usual
    case "off", "false", "no": return nil
    default: break
    }
    let start = text.replacing("{beacon}", with: "beacon", maxReplacements: 1)
    guard isStartOfTopic(text), !start.utf8.contains(where: { "{}".utf8.contains($0) }) else {
      return value.refused(
        "\(quoted(text)) cannot be the start of a topic",
        hint: "for example \(usual), or \"espresense/devices/{beacon}\"; the receiver's name follows it")
    }
    guard !(start + "/").hasPrefix(root + "/"), !(start + "/").hasPrefix(discovery + "/") else {
      return value.refused("other messages go below \(quoted(text))", hint: "for example \(usual)")
    }
    return text
  }

  /// Reads the URL of the support page. Home Assistant rejects a device whose URL is invalid.
  private func readSupportURL(_ value: Value) -> String? {
    guard let text = value.text() else { return nil }
    let host = ["https://", "http://"].first { text.hasPrefix($0) }.map { text.dropFirst($0.count) }
    let isPage =
      host?.first.map { $0.isLetter || $0.isNumber } == true && text.utf8.count <= 200
      && text.utf8.allSatisfy { (0x21...0x7E).contains($0) && !"\"<>[]\\^`{|}".utf8.contains($0) }
    guard isPage else {
      return value.refused(
        "\(quoted(text)) is not the address of a page", hint: "for example https://example.org/beacons")
    }
    return text
  }

  private func readPlaces(_ value: Value) -> [Place]? {
    value.section(hint: "for example zones: { house: zone.home }").map { section in
      zones(section).compactMap { readPlace($0.value, of: $0.zone) }
    }
  }

  private func readAreas(_ value: Value) -> [String: String]? {
    value.section(hint: "for example areas: { house: Living room }").map { section in
      let areas = zones(section).compactMap { entry in checkedName(entry.value).map { (entry.zone, $0) } }
      return Dictionary(areas) { first, _ in first }
    }
  }

  /// The entries of a section for the zones that exist.
  private func zones(_ section: Section) -> [(zone: String, value: Value)] {
    defer { section.finish() }
    return section.keys.compactMap { name in
      let value = section.take(name, isVocabulary: false)
      if zoneNames.contains(name) { return value.map { (name, $0) } }
      section.diagnostics.error(
        "there is no zone \(quoted(name))", at: section.keyPosition(of: name),
        hint: suggestion(for: name, among: zoneNames, whenEmpty: "zones: is empty"))
      return nil
    }
  }

  /// Reads an entity id, or a mapping with its name.
  private func readPlace(_ value: Value, of zone: String) -> Place? {
    if value.scalar != nil {
      return readEntity(value).map { Place(zone: zone, entity: $0) }
    }
    let hint = "zone.office, or { entity: zone.office, name: Office }"
    guard let section = value.section(hint: hint) else { return nil }
    defer { section.finish() }
    let name = section.take("name").flatMap(checkedName)
    return section.require("entity", hint: hint).flatMap(readEntity).map {
      Place(zone: zone, entity: $0, name: name)
    }
  }

  private func readEntity(_ value: Value) -> String? {
    guard let text = value.text() else { return nil }
    let word = text.hasPrefix("zone.") ? text.dropFirst(5) : ""
    let isEntity =
      !word.isEmpty && word.utf8.count <= 100
      && word.utf8.allSatisfy { $0 == 0x5F || (0x61...0x7A).contains($0) || (0x30...0x39).contains($0) }
    guard isEntity else {
      return value.refused(
        "\(quoted(text)) is not a zone of Home Assistant",
        hint: "an entity such as zone.home, with lower-case letters, digits and _")
    }
    return text
  }
}

/// What the gateway will announce to Home Assistant, in plain words.
func sentence(_ settings: HomeAssistantSettings) -> String {
  guard settings.isOn else {
    return "nothing is announced; earlier announcements are removed"
  }
  let form =
    switch settings.form {
    case .device: "a message for each device"
    case .component: "a message for each entity, as releases before 2024.12 need it"
    }
  let places: String
  if let zones = settings.places {
    let pairs = zones.map {
      "\($0.zone) is \($0.entity)" + ($0.isHome ? "" : ", published as \(quoted($0.name))")
    }
    places =
      zones.isEmpty
      ? "no beacon is home, whatever zone it is in"
      : "\(listed(pairs, joining: "and")); in other zones a beacon is not home"
  } else {
    places = "a beacon in any zone or room is home"
  }
  let areas = settings.areas.sorted { $0.key < $1.key }.map { "\($0.key) in \($0.value)" }
  return
    "announces gateway, zones, phones, beacons and up to \(settings.members) members of regions below "
    + "\(settings.prefix)/, \(form); \(sentence(settings.entities)); \(places)"
    + (areas.isEmpty ? "" : "; in an area: \(listed(areas, joining: "and"))")
    + (settings.rooms.map {
      "; for mqtt_room, each second how far each receiver has each beacon, on \($0)/<receiver>"
    } ?? "")
    + (settings.supportURL.map { "; help is at \($0)" } ?? "")
}

private func sentence(_ entities: EntityDetail) -> String {
  switch entities {
  case .minimal: "entities show who is where, whether all is well, and batteries"
  case .normal: "entities show who is where, how far away, and what beacons measure"
  case .all: "entities show everything, also signal, last seen, receiver, acceleration and counters"
  }
}

/// Whether a topic may begin with a text, which may have several levels.
func isStartOfTopic(_ text: String) -> Bool {
  text.utf8.count <= 100
    && text.utf8.allSatisfy { (0x21...0x7E).contains($0) && !"+#$\"\\".utf8.contains($0) }
    && text.split(separator: "/", omittingEmptySubsequences: false).allSatisfy { !$0.isEmpty }
}
