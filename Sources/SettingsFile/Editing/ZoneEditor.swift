import Settings

/// Writes a plan into the text of a zone.
struct ZoneEditor {
  private let source: SourceText
  private let zone: MappingEditor
  private let plan: ZoneChangePlan

  /// As people write them, and the example has them.
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

  /// How far the keys of a rule in lines of its own are indented; nil: rules are written on one line here.
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
