import Settings

/// Reads `radio:`.
struct RadioReader {
  func read(_ value: Value) -> RadioSettings {
    var settings = RadioSettings()
    guard let section = value.section(hint: "for example { duty: full }") else { return settings }
    defer { section.finish() }
    if let duty: RadioSettings.Duty = section.take("duty").flatMap({ readChoice($0) }) {
      settings.duty = duty
    }
    if let unblocks = section.take("unblock").flatMap(readFlag) { settings.unblocks = unblocks }
    return settings
  }
}
