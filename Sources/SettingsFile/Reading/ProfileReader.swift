import Settings
import RangingPolicy

/// Reads `profiles:` and the `set:` of a phone.
struct ProfileReader {
  private(set) var settings = ProfileSettings()

  mutating func read(_ value: Value) {
    let hint = "for example { os: [{ name: my-ios, based_on: ios13, set: { task_cap: 25 s } }] }"
    guard let section = value.section(hint: hint) else { return }
    defer { section.finish() }
    settings.systemChanges = readChanges(
      section.take("os"), "system", OSProfile.constants, shipped: Set(Catalogue.systems().map(\.name)))
    settings.strategyChanges = readChanges(
      section.take("strategies"), "strategy", StrategyProfile.constants,
      shipped: Set(Catalogue.strategies().map(\.name)))
  }

  private func readChanges<Profile>(
    _ value: Value?, _ kind: String, _ constants: [(name: String, field: ConstantField<Profile>)],
    shipped: Set<String>
  ) -> [ProfileSettings.Change] {
    guard let value, !value.isNull else { return [] }
    let entries = value.list() ?? []
    refuseTwins(entries, kind)
    var known = shipped
    return entries.compactMap { entry in
      let change = readChange(entry, among: known, kind, constants, shipped: shipped)
      if let change { known.insert(change.name) }
      return change
    }
  }

  private func readChange<Profile>(
    _ value: Value, among known: Set<String>, _ kind: String,
    _ constants: [(name: String, field: ConstantField<Profile>)], shipped: Set<String>
  ) -> ProfileSettings.Change? {
    guard let section = value.section(hint: "for example { name: mine, based_on: …, set: { … } }") else {
      return nil
    }
    defer { section.finish() }
    let name = readName(section)
    let base = section.take("based_on")
    let set = section.take("set").map { readSet($0, [AnyConstants(constants)]) } ?? []
    guard let name else { return nil }
    guard let base else {
      if !known.contains(name), !section.hasUnknownKey {
        section.diagnostics.error(
          "there is no \(kind) \(quoted(name)) to change", at: section.position,
          hint: nearest(to: name, among: known).map { "did you mean to change \($0)?" }
            ?? "say what it starts from: based_on: \(kind == "system" ? "ios17" : "background-task")")
        return nil
      }
      return ProfileSettings.Change(name: name, base: name, constants: set)
    }
    guard let baseName = base.text() else { return nil }
    guard known.contains(baseName) else { return base.refused(baseName, kind: kind, known: known) }
    if shipped.contains(name), baseName != name {
      section.diagnostics.warning(
        "\(quoted(name)) is a \(kind) that ships, and is replaced by one that starts from \(quoted(baseName))",
        at: section.position, hint: "give yours a name of its own")
    }
    return ProfileSettings.Change(name: name, base: baseName, constants: set)
  }
}

extension Value {
  /// Reports an unknown name, and what may have been meant.
  func refused<Read>(_ name: String, kind: String, known: some Collection<String>) -> Read? {
    if kind == "system", let system = Catalogue.systemName(for: name), system != name {
      return refused("there is no \(kind) \(quoted(name))", hint: "the newest up to it is \(system)")
    }
    return refused(
      "there is no \(kind) \(quoted(name))",
      hint: suggestion(for: name, among: known, whenEmpty: "there is none"))
  }
}
