/// Reads `home_assistant:`.
struct HomeAssistantReader {
  /// Also of those zones that could not be read.
  var zoneNames: Set<String>

  private static let hint = "on, off, or for example { zones: { house: zone.home } }"

  func read(_ value: Value) -> HomeAssistantSettings {
    var settings = HomeAssistantSettings()
    if let word = value.scalar, !value.isNull {
      switch word.lowercased() {
      case "on", "true", "yes": break
      case "off", "false", "no": settings.isOn = false
      default: value.error("home_assistant cannot be \(quoted(word))", hint: Self.hint)
      }
      return settings
    }
    guard let section = value.section(hint: Self.hint) else { return settings }
    defer { section.finish() }
    if let prefix = section.take("prefix").flatMap(readPrefix) { settings.prefix = prefix }
    if let form = section.take("form").flatMap(readForm) { settings.form = form }
    settings.places = section.take("zones").flatMap(readPlaces)
    if let members = section.take("members").flatMap({ $0.integer(upTo: 10_000) }) {
      settings.members = members
    }
    return settings
  }

  private func readPrefix(_ value: Value) -> String? {
    guard let text = value.text() else { return nil }
    let levels = text.split(separator: "/", omittingEmptySubsequences: false)
    let isTopic = text.utf8.allSatisfy { (0x21...0x7E).contains($0) && !"+#$\"\\".utf8.contains($0) }
    guard isTopic, text.utf8.count <= 100, levels.allSatisfy({ !$0.isEmpty }) else {
      value.error(
        "\(quoted(text)) cannot be the start of a topic",
        hint: "as in Home Assistant's MQTT options; usually \(HomeAssistantSettings.defaultPrefix)")
      return nil
    }
    return text
  }

  private func readForm(_ value: Value) -> HomeAssistantSettings.Form? {
    guard let text = value.text() else { return nil }
    if let form = HomeAssistantSettings.Form(rawValue: text) { return form }
    let known = HomeAssistantSettings.Form.allCases.map(\.rawValue)
    value.error(
      "form must be \(listed(known)), not \(quoted(text))",
      hint: nearest(to: text, among: known).map { "did you mean \($0)?" }
        ?? "component for Domoticz and for Home Assistant before 2024.12")
    return nil
  }

  private func readPlaces(_ value: Value) -> [HomeAssistantSettings.Place]? {
    guard let section = value.section(hint: "for example zones: { house: zone.home }") else { return nil }
    defer { section.finish() }
    var places: [HomeAssistantSettings.Place] = []
    for name in section.keys {
      guard zoneNames.contains(name) else {
        _ = section.take(name, isVocabulary: false)
        let all =
          zoneNames.isEmpty ? "zones: is empty" : "known: \(listed(zoneNames.sorted(), joining: "and"))"
        section.findings.error(
          "there is no zone \(quoted(name))", at: section.keyPosition(of: name),
          hint: nearest(to: name, among: zoneNames).map { "did you mean \($0)?" } ?? all)
        continue
      }
      guard let entity = section.take(name, isVocabulary: false).flatMap(readEntity) else { continue }
      places.append(HomeAssistantSettings.Place(zone: name, entity: entity))
    }
    return places
  }

  private func readEntity(_ value: Value) -> String? {
    guard let text = value.text() else { return nil }
    let word = text.hasPrefix("zone.") ? text.dropFirst(5) : ""
    let isEntity =
      !word.isEmpty && word.utf8.count <= 100
      && word.utf8.allSatisfy { $0 == 0x5F || (0x61...0x7A).contains($0) || (0x30...0x39).contains($0) }
    guard isEntity else {
      value.error(
        "\(quoted(text)) is no zone of Home Assistant",
        hint: "an entity such as zone.home, with lower-case letters, digits and _")
      return nil
    }
    return text
  }
}
