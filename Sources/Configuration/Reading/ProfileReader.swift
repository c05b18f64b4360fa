import Phones

/// Reads `profiles:` and the `set:` of a phone.
struct ProfileReader {
  private(set) var settings = ProfileSettings()

  mutating func read(_ value: Value) {
    let hint = "for example { os: [{ name: my-ios, based_on: ios13, set: { task_cap: 25 s } }] }"
    guard let section = value.section(hint: hint) else { return }
    defer { section.finish() }
    settings.systemChanges = readChanges(
      section.take("os"), "system", OSProfile.rules, shipped: Set(Catalogue.systems().map(\.name)))
    settings.strategyChanges = readChanges(
      section.take("strategies"), "strategy", StrategyProfile.rules,
      shipped: Set(Catalogue.strategies().map(\.name)))
  }

  private func readChanges(
    _ value: Value?, _ kind: String, _ rules: ArraySlice<PolicyRule>, shipped: Set<String>
  ) -> [ProfileSettings.Change] {
    guard let value, !value.isNull else { return [] }
    let entries = value.list() ?? []
    refuseTwins(entries, kind)
    var known = shipped
    return entries.compactMap { entry in
      let change = readChange(entry, among: known, kind, rules, shipped: shipped)
      if let change { known.insert(change.name) }
      return change
    }
  }

  private func readChange(
    _ value: Value, among known: Set<String>, _ kind: String, _ rules: ArraySlice<PolicyRule>,
    shipped: Set<String>
  ) -> ProfileSettings.Change? {
    guard let section = value.section(hint: "for example { name: mine, based_on: …, set: { … } }") else {
      return nil
    }
    defer { section.finish() }
    let name = readName(section)
    let base = section.take("based_on")
    let set = section.take("set").map { readSet($0, rules) } ?? []
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

/// Reads `set:` – constants by name, each a value, `{ value, source, confidence }`, or the distribution
/// `{ values, never, trials, source, confidence }` in the words of the table of rules.
func readSet(_ value: Value, _ rules: ArraySlice<PolicyRule>) -> [ProfileSettings.Setting] {
  guard let section = value.section(hint: "for example { task_cap: 45 s }") else { return [] }
  var settings: [ProfileSettings.Setting] = []
  for name in section.keys {
    guard let entry = section.take(name, isVocabulary: false) else { continue }
    guard let rule = rules.first(where: { $0.name == name }) else {
      refuseConstant(name, of: rules.map(\.name), in: section)
      continue
    }
    var written = entry
    var source = "configuration"
    var confidence = Confidence.medium
    if case .mapping = entry.node.content {
      guard let details = entry.section() else { continue }
      defer { details.finish() }
      source = details.take("source", isVocabulary: false).flatMap { $0.text() } ?? source
      confidence = details.take("confidence", isVocabulary: false).flatMap(readConfidence) ?? confidence
      let spread = details.take("values", isVocabulary: false)
      let counts = ["never", "trials"].map {
        details.take($0, isVocabulary: false).flatMap { $0.text() } ?? ""
      }
      guard let value = details.take("value", isVocabulary: false) else {
        if let spread {
          settings += readSpread(spread, of: rule, never: counts[0], trials: counts[1], source, confidence)
        } else if !details.hasUnknownKey {
          entry.error("\(name) has no value", hint: "add value: …, or values: … for phones that differ")
        }
        continue
      }
      if spread != nil || counts != ["", ""] {
        entry.error(
          "\(name) has a value and a distribution", hint: "keep value: or values:, never: and trials:")
        continue
      }
      written = value.named(name)
    }
    if let value = rule.read(written) {
      settings.append(.init(name: name, value: value, source: source, confidence: confidence))
    }
  }
  return settings
}

private func readSpread(
  _ value: Value, of rule: PolicyRule, never: String, trials: String, _ source: String,
  _ confidence: Confidence
) -> [ProfileSettings.Setting] {
  guard let text = value.text() else { return [] }
  do throws(ConstantError) {
    let measured = try Measured(
      rule, text, never: never, trials: trials, scope: "configuration", source: .user(source),
      confidence: confidence)
    return [
      .init(
        name: rule.name, value: measured.typical(of: rule), source: source, confidence: confidence,
        measured: measured)
    ]
  } catch {
    value.error("\(rule.name): \(error)", hint: "for example \"1 s, 90 % 12 s, 101 s\" or \"57 s, 279 s\"")
    return []
  }
}

private func refuseConstant(_ name: String, of names: [String], in section: Section) {
  let hint: String
  if OSProfile.rules.contains(where: { $0.name == name }) {
    hint = "it belongs to a system: set it below profiles: os:, or at a phone"
  } else if StrategyProfile.rules.contains(where: { $0.name == name }) {
    hint = "it belongs to a strategy: set it below profiles: strategies:, or at a phone"
  } else {
    hint =
      nearest(to: name, among: names).map { "did you mean \($0)?" }
      ?? "constants: \(listed(names, joining: "and"))"
  }
  section.diagnostics.error(
    "no constant here is called \(quoted(name))", at: section.keyPosition(of: name), hint: hint)
}

private func readConfidence(_ value: Value) -> Confidence? {
  guard let text = value.text() else { return nil }
  switch text.lowercased() {
  case "h", "high": return .high
  case "m", "medium": return .medium
  case "l", "low": return .low
  default:
    return value.refused(
      "confidence must be H, M or L, not \(quoted(text))", hint: "high, medium and low will do, too")
  }
}

extension PolicyRule {
  /// Ten years, the maximum of `Amount.duration`.
  private static var longest: Double { 3.2e8 }

  /// The value; nil, with a diagnostic, if it is invalid.
  fileprivate func read(_ value: Value) -> ConstantValue? {
    if isOptional && value.scalar == "none" { return ConstantValue.none }
    switch kind {
    case .duration(let least): return readDuration(value, atLeast: Double(least) / 1000)
    case .distance: return readMetres(value).map { .number(Micrometres(($0 * 1e6).rounded())) }
    case .flag: return readFlag(value).map(ConstantValue.flag)
    case .count(let range):
      guard let count = value.integer(upTo: Int(range.upperBound)) else { return nil }
      guard range.contains(Int64(count)) else {
        return value.refused(
          "\(value.name) must be a whole number from \(range.lowerBound) to \(range.upperBound)")
      }
      return .number(Int64(count))
    case .factor: return value.number(in: 1...100).map(ConstantValue.factor)
    case .risk: return readChoice(value).map(ConstantValue.risk)
    }
  }

  private func readDuration(_ value: Value, atLeast least: Double) -> ConstantValue? {
    guard let seconds = value.measure(.time) else { return nil }
    guard seconds >= least, seconds <= Self.longest else {
      return value.refused(
        "\(value.name) cannot be \(Measure(.time, seconds))",
        hint: "from \(least == 0 ? "0 s" : "\(Measure(.time, least))") to 10 years")
    }
    return .number(Milliseconds((seconds * 1000).rounded()))
  }
}

/// A distance between phone and beacon in metres: 1 cm to 1000 km, so that it is written without an exponent.
func readMetres(_ value: Value) -> Double? {
  guard let metres = value.measure(.distance) else { return nil }
  guard (0.01...1_000_000).contains(metres) else {
    return value.refused(
      "\(value.name) cannot be \(Measure(.distance, metres))", hint: "from 1 cm to 1000 km")
  }
  return metres
}

/// `on` or `off` in the place of a section; nil: it is refused.
func readSwitch(_ value: Value, _ word: String, hint: String) -> Bool? {
  switch word.lowercased() {
  case "on", "true", "yes": return true
  case "off", "false", "no": return false
  default: return value.refused("\(value.name) cannot be \(quoted(word))", hint: hint)
  }
}

func readFlag(_ value: Value) -> Bool? {
  guard let text = value.text() else { return nil }
  switch text {
  case "true", "True", "TRUE": return true
  case "false", "False", "FALSE": return false
  default:
    return value.refused("\(value.name) must be true or false, not \(quoted(text))")
  }
}
