import RangingPolicy
import Settings

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

/// The constants of one kind of profile, as the reader needs them.
struct AnyConstants {
  var names: [String]
  private var read: (String, Value) -> ConstantValue?

  init<Profile>(_ constants: [(name: String, field: ConstantField<Profile>)]) {
    names = constants.map(\.name)
    read = { name, value in constants.first { $0.name == name }.flatMap { $0.field.read(value) } }
  }

  /// The value if it is valid for the constant; otherwise nil, with a diagnostic.
  func value(of name: String, _ value: Value) -> ConstantValue? { read(name, value) }
}

/// Reads `set:` – constants by name, each a value or `{ value, source, confidence }`.
func readSet(_ value: Value, _ kinds: [AnyConstants]) -> [ProfileSettings.Setting] {
  guard let section = value.section(hint: "for example { task_cap: 45 s }") else { return [] }
  var settings: [ProfileSettings.Setting] = []
  for name in section.keys {
    guard let entry = section.take(name, isVocabulary: false) else { continue }
    guard let kind = kinds.first(where: { $0.names.contains(name) }) else {
      refuseConstant(name, of: kinds, in: section)
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
      guard let value = details.take("value", isVocabulary: false) else {
        if !details.hasUnknownKey { entry.error("\(name) has no value", hint: "add value: …") }
        continue
      }
      written = value.named(name)
    }
    if let value = kind.value(of: name, written) {
      settings.append(.init(name: name, value: value, source: source, confidence: confidence))
    }
  }
  return settings
}

private func refuseConstant(_ name: String, of kinds: [AnyConstants], in section: Section) {
  let names = kinds.flatMap(\.names)
  let systemNames = OSProfile.constants.map(\.name)
  let strategyNames = StrategyProfile.constants.map(\.name)
  let hint: String
  if systemNames.contains(name) {
    hint = "it belongs to a system: set it below profiles: os:, or at a phone"
  } else if strategyNames.contains(name) {
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

extension ConstantField {
  /// Ten years, the maximum of `Amount.duration`.
  private static var longest: Double { 3.2e8 }

  /// The value; nil, with a diagnostic, if it is invalid.
  fileprivate func read(_ value: Value) -> ConstantValue? {
    switch self {
    case .duration(_, let least): return readDuration(value, atLeast: Double(least) / 1000)
    case .optionalDuration: return value.scalar == "none" ? ConstantValue.none : readDuration(value)
    case .distance: return readDistance(value)
    case .optionalDistance: return value.scalar == "none" ? ConstantValue.none : readDistance(value)
    case .flag: return readFlag(value).map(ConstantValue.flag)
    case .count(_, let range):
      guard let count = value.integer(upTo: Int(range.upperBound)) else { return nil }
      guard range.contains(Int64(count)) else {
        return value.refused(
          "\(value.name) must be a whole number from \(range.lowerBound) to \(range.upperBound)")
      }
      return .count(Int64(count))
    case .factor: return value.number(in: 1...100).map(ConstantValue.factor)
    case .risk: return readChoice(value).map(ConstantValue.risk)
    }
  }

  private func readDuration(_ value: Value, atLeast least: Double = 0) -> ConstantValue? {
    guard let seconds = value.measure(.time) else { return nil }
    guard seconds >= least, seconds <= Self.longest else {
      return value.refused(
        "\(value.name) cannot be \(Measure(.time, seconds))",
        hint: "from \(least == 0 ? "0 s" : "\(Measure(.time, least))") to 10 years")
    }
    return .duration(Milliseconds((seconds * 1000).rounded()))
  }

  private func readDistance(_ value: Value) -> ConstantValue? {
    readMetres(value).map { .distance(Micrometres(($0 * 1e6).rounded())) }
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

func readFlag(_ value: Value) -> Bool? {
  guard let text = value.text() else { return nil }
  switch text {
  case "true", "True", "TRUE": return true
  case "false", "False", "FALSE": return false
  default:
    return value.refused("\(value.name) must be true or false, not \(quoted(text))")
  }
}
