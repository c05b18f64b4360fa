import Settings
import RangingPolicy

/// Reads `os`, `strategy` and `variant`, in any section that has them.
struct ProfileChoice {
  var profiles: ProfileSettings

  func choose<Profile>(
    _ value: Value, among profiles: [Profile], _ kind: String, _ name: (Profile) -> String
  ) -> Profile? {
    guard let text = value.text() else { return nil }
    if let profile = profiles.first(where: { name($0) == text }) { return profile }
    if kind == "system", let older = Catalogue.systemName(for: text),
      let profile = profiles.first(where: { name($0) == older })
    {
      value.diagnostics.warning(
        "there is no profile of \(quoted(text)) alone: \(older) is taken, the newest up to it",
        at: value.position)
      return profile
    }
    return value.refused(text, kind: kind, known: profiles.map(name))
  }

  func join(_ os: OSProfile, _ strategy: StrategyProfile, _ value: Value) -> PhoneProfile? {
    if let profile = PhoneProfile(os: os, strategy: strategy) { return profile }
    let fitting = profiles.strategies().filter { PhoneProfile(os: os, strategy: $0) != nil }.map(\.name)
    return value.refused(
      PhoneProfile.mismatch(os: os, strategy: strategy) ?? "",
      hint: "strategies on \(os.name): \(listed(fitting, joining: "and"))")
  }

  func readVariant(_ value: Value) -> Variant? {
    guard let text = value.text() else { return nil }
    if let variant = Variant(rawValue: text) { return variant }
    return value.refused(
      "variant must be seed or observed, not \(quoted(text))",
      hint: "seed: as the documents have it; observed: with the latencies and refusals seen since")
  }
}
