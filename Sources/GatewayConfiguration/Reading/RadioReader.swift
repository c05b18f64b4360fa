/// `radio:` – how this machine's adapters are used.
public struct RadioSettings: Hashable, Sendable {
  /// How much of the time they listen.
  public enum Duty: String, Hashable, Sendable, CaseIterable {
    case full
    case balanced
    case wifiFriendly = "wifi-friendly"
  }

  /// `duty`. Default `balanced`.
  public var duty: Duty
  /// `unblock`: whether a block that somebody set by rfkill is lifted. Default false.
  public var unblocks: Bool

  public init(duty: Duty = .balanced, unblocks: Bool = false) {
    self.duty = duty
    self.unblocks = unblocks
  }
}

/// Reads `radio:`.
struct RadioReader {
  func read(_ value: Value) -> RadioSettings {
    var settings = RadioSettings()
    guard let section = value.section(hint: "for example { duty: full }") else { return settings }
    defer { section.finish() }
    if let duty = section.take("duty").flatMap(readDuty) { settings.duty = duty }
    if let unblocks = section.take("unblock").flatMap(readSwitch) { settings.unblocks = unblocks }
    return settings
  }

  private func readDuty(_ value: Value) -> RadioSettings.Duty? {
    let words = RadioSettings.Duty.allCases.map(\.rawValue)
    guard let text = value.text(hint: listed(words)) else { return nil }
    if let duty = RadioSettings.Duty(rawValue: text) { return duty }
    value.error(
      "duty must be \(listed(words)), not \(quoted(text))",
      hint: nearest(to: text, among: words).map { "did you mean \($0)?" })
    return nil
  }

  private func readSwitch(_ value: Value) -> Bool? {
    guard let text = value.text(hint: "true or false") else { return nil }
    switch text {
    case "true": return true
    case "false": return false
    default:
      value.error("\(value.name) must be true or false, not \(quoted(text))")
      return nil
    }
  }
}
