import Settings

/// Reads `radio:`.
struct RadioReader {
  func read(_ value: Value) -> RadioSettings {
    var settings = RadioSettings()
    guard let section = value.section(hint: "for example { duty: full }") else { return settings }
    defer { section.finish() }
    if let duty = section.take("duty").flatMap(readDuty) { settings.duty = duty }
    if let unblocks = section.take("unblock").flatMap(readFlag) { settings.unblocks = unblocks }
    return settings
  }

  private func readDuty(_ value: Value) -> RadioSettings.Duty? {
    let words = RadioSettings.Duty.allCases.map(\.rawValue)
    guard let text = value.text(hint: listed(words)) else { return nil }
    if let duty = RadioSettings.Duty(rawValue: text) { return duty }
    return value.refused(
      "duty must be \(listed(words)), not \(quoted(text))",
      hint: nearest(to: text, among: words).map { "did you mean \($0)?" })
  }
}
