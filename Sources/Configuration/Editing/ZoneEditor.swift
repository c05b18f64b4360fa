import Core
import Proximity

/// Writes a `ZoneChangePlan` into the text of a zone.
struct ZoneEditor {
  private let source: SourceText
  private let zone: MappingEditor
  private let plan: ZoneChangePlan

  /// In the usual order, which is that of the example.
  private static let order = ["name", "receivers", "room", "rooms", "beacons", "near", "enter", "exit"]

  init(_ source: SourceText, _ node: Node, _ plan: ZoneChangePlan) throws(Unsupported) {
    self.source = source
    self.plan = plan
    zone = try MappingEditor(source, node)
  }

  func edits() throws(Unsupported) -> TextEdits {
    var edits = TextEdits()
    if plan.removesNear { try zone.remove("near", &edits) }
    for rule in plan.rules {
      guard let node = zone.value(rule.rule) else {
        try add(rule, &edits)
        continue
      }
      if node.scalar != nil {
        try change(scalar: node, rule, &edits)
      } else {
        try change(mapping: node, rule, &edits)
      }
    }
    return edits
  }

  private func add(_ rule: ZoneChangePlan.RuleEntry, _ edits: inout TextEdits) throws(Unsupported) {
    let isShort = rule.entries.map(\.key) == [.threshold]
    let text = isShort ? quoted(rule.entries[0].text) : flow(rule.entries)
    let lines = isShort ? nil : blockIndentation.map { block(rule.entries, $0) }
    let siblings = Self.order.prefix { $0 != rule.rule }.filter { $0 != "near" || !plan.removesNear }
    try zone.add(rule.rule, flow: text, block: lines, after: Array(siblings), &edits)
  }

  private func change(scalar node: Node, _ rule: ZoneChangePlan.RuleEntry, _ edits: inout TextEdits)
    throws(Unsupported)
  {
    if rule.entries.count == 1, let entry = rule.entries.first, entry.key == .threshold {
      try MappingEditor.replace(node, in: source, with: entry.text, &edits)
      return
    }
    var entries = rule.entries
    if entries.first?.key != .threshold, let text = node.scalar {
      entries.insert(.init(key: .threshold, value: RuleValue(reading: text), text: text), at: 0)
    }
    let range = source.range(of: node)
    guard let first = source.first(of: node), !"!|>".utf8.contains(first), !range.isEmpty else {
      throw Unsupported("block texts (|, >) and tags (!) are not edited")
    }
    edits.replace(range, with: flow(entries))
  }

  private func change(mapping node: Node, _ rule: ZoneChangePlan.RuleEntry, _ edits: inout TextEdits)
    throws(Unsupported)
  {
    let mapping = try MappingEditor(source, node)
    for entry in rule.entries {
      let names = entry.key == .threshold ? ["distance", "signal"] : [entry.name]
      if let present = names.first(where: { mapping.value($0) != nil }) {
        try mapping.change(present, to: entry.name, entry.text, &edits)
      } else {
        try mapping.add(entry.name, flow: quoted(entry.text), &edits)
      }
    }
  }

  // MARK: Styles

  /// The indentation of a rule's keys on lines of their own; nil: rules are written on one line here.
  private var blockIndentation: String? {
    guard !source.isFlow(zone.mapping), case .mapping(let pairs) = zone.mapping.content else { return nil }
    for pair in pairs where ["near", "enter", "exit"].contains(pair.key.scalar) {
      guard case .mapping(let inner) = pair.value.content, !source.isFlow(pair.value),
        let first = inner.first?.key, first.position.column > pair.key.position.column
      else { continue }
      return String(repeating: " ", count: first.position.column - pair.key.position.column)
    }
    return nil
  }

  private func flow(_ entries: [ZoneChangePlan.Entry]) -> String {
    let pairs = entries.map { "\(quoted($0.name)): \(quoted($0.text))" }
    return "{ \(pairs.joined(separator: ", ")) }"
  }

  private func block(_ entries: [ZoneChangePlan.Entry], _ indentation: String) -> [String] {
    entries.map { "\(indentation)\(quoted($0.name)): \(quoted($0.text))" }
  }

  private func quoted(_ text: String) -> String { zone.isJSON ? "\"\(text)\"" : text }
}

/// Decides which keys of a zone's rules must be written to get the wanted zone: those that differ from what the reader would
/// derive from the file. A default may depend on a changed key: `enter` is twice `near`.
struct ZoneChangePlan {
  /// A key of a rule and its new text.
  struct Entry: Equatable {
    var key: RulePlace.Key
    var value: RuleValue
    var text: String

    var name: String { key.name(of: value) }
  }

  /// A rule to write. Its keys are those that change or are added.
  struct RuleEntry: Equatable {
    var rule: String
    var entries: [Entry]
  }

  private(set) var rules: [RuleEntry] = []
  private(set) var removesNear = false
  /// The zone that the reader will get.
  private(set) var result: ZoneSettings
  private let node: Node
  private var written: WrittenRules = [:]

  /// - Parameter node: the zone's entry in the file.
  init(from current: ZoneSettings, to wanted: ZoneSettings, in node: Node) throws(Unsupported) {
    self.node = node
    result = current
    if current.rooms != nil, wanted.near != nil || wanted.lost != .auto {
      throw Unsupported("a zone of rooms has dwell times only: a room says nothing of distance")
    }
    removesNear = current.near != nil && wanted.near == nil
    for place in RulePlace.allCases where !(removesNear && place.rule == "near") {
      written[place] = text(place).map(RuleValue.init(reading:))
    }
    let meant = wanted.rules
    for place in RulePlace.allCases where current.rooms == nil || place.key == .dwell {
      settle(place, meant[place], isNew: place.rule == "near" && current.near == nil)
    }
    read()
  }

  private mutating func read() {
    result = ZoneSettings(
      name: result.name, receivers: result.receivers, beacons: result.beacons, rooms: result.rooms,
      rules: written)
  }

  private mutating func settle(_ place: RulePlace, _ wanted: RuleValue?, isNew: Bool) {
    guard var wanted else { return }
    read()
    let usual = result.rules[place]
    // If any signal is inside, the default exit is weaker than a file may state.
    if usual?.isClose(to: wanted) != true { wanted = wanted.writable }
    if !isNew, let usual, usual.isClose(to: wanted) { return }
    // The reader requires a threshold beside a dwell.
    if place == .enterDwell, result.rooms == nil, node["enter"] == nil, written[.enter] == nil {
      write(.enter, .threshold(result.enter.threshold))
    }
    write(place, wanted)
  }

  private mutating func write(_ place: RulePlace, _ value: RuleValue) {
    let text = value.text(like: text(place))
    written[place] = RuleValue(reading: text)
    let entry = Entry(key: place.key, value: value, text: text)
    if let rule = rules.firstIndex(where: { $0.rule == place.rule }) {
      rules[rule].entries.append(entry)
    } else {
      rules.append(RuleEntry(rule: place.rule, entries: [entry]))
    }
  }

  /// The file's text at a place.
  private func text(_ place: RulePlace) -> String? {
    guard let node = node[place.rule] else { return nil }
    if let scalar = node.scalar { return place.key == .threshold ? scalar : nil }
    return switch place.key {
    case .threshold: (node["distance"] ?? node["signal"])?.scalar
    default: node[place.key.rawValue]?.scalar
    }
  }
}

extension RuleValue {
  private var measure: Measure? {
    switch self {
    case .threshold(let threshold): threshold.measure
    case .time(let span): Measure(.time, span.seconds)
    case .auto: nil
    }
  }

  /// As text: `1.5 m`, `-70 dBm`, `2 s`, `auto`; with the unit of the text that it replaces, if there is one.
  func text(like old: String? = nil) -> String {
    guard let measure else { return "auto" }
    return old.flatMap { measure.text(like: $0) } ?? measure.description
  }

  /// Reads back a text made by `text`, with its rounding.
  init(reading text: String) {
    if let threshold = Threshold(text) {
      self = .threshold(threshold)
    } else if let measure = try? Measure(text) {
      self = .time(.seconds(measure.value))
    } else {
      self = .auto
    }
  }

  /// The value as a file may state it: at most the largest distance, at least -127 dBm. No signal is weaker, so that means the
  /// same.
  var writable: RuleValue {
    switch self {
    case .threshold(.signal(let strength)) where strength < -127: .threshold(ZoneSettings.heardAtAll)
    default: isBeyondDistances ? .threshold(.distance(Threshold.distances.upperBound)) : self
    }
  }
}

extension RulePlace.Key {
  /// Its name in the file.
  func name(of value: RuleValue) -> String {
    switch value {
    case .threshold(.distance) where self == .threshold: "distance"
    case .threshold(.signal) where self == .threshold: "signal"
    default: rawValue
    }
  }
}

extension Measure {
  /// Its text with the unit and the spacing of another measure; nil if that does not fit.
  func text(like old: String) -> String? {
    guard let measure = try? Measure(old), measure.dimension == dimension else { return nil }
    let tail = old.drop { "+-\u{2212}.0123456789".contains($0) }
    let word = tail.drop { !$0.isLetter }.lowercased()
    guard let unit = dimension.units.first(where: { $0.word.lowercased() == word }) else { return nil }
    let number = value / unit.factor
    // People write 0.75 m and 90 s, but neither 0.002 km nor 36000 s.
    guard abs(number) >= 0.1 || number == 0, abs(number) < 1000 else { return nil }
    let rounded = (number * 1000).rounded() / 1000
    let digits = rounded == rounded.rounded() ? "\(Int(rounded))" : "\(rounded)"
    return digits + tail
  }
}
