/// The page `RuleTable.md` of the documentation, read: documents, systems, strategies, and the value of each rule.
struct RuleTable: Sendable {
  static let shipped: RuleTable = {
    do {
      return try RuleTable(StrategyPage.page("RuleTable") ?? "")
    } catch {
      fatalError("RuleTable.md: \(error)")
    }
  }()

  /// A value from a system on, or of a strategy or a group of them.
  private struct Row: Sendable {
    var scope: String
    var variant: Variant
    var constant: Constant<ConstantValue>
  }

  let documents: [PolicyDocument]
  /// The rules of systems, then those of strategies.
  private(set) var rules: [PolicyRule] = []
  private(set) var systemPlaces = 0..<0
  var strategyPlaces: Range<Int> { systemPlaces.upperBound..<rules.count }

  private var systems: [OSProfile] = []
  private var strategies: [StrategyProfile] = []
  /// By the rule's index; the rows of a rule are in any order.
  private var rows: [[Row]] = []
  private(set) var devices: [Circumstance] = []
  private(set) var conditions: [Circumstance] = []
  private var measurements: [(place: Int, variant: Variant, measured: Measured)] = []

  /// The error says what is wrong in which row.
  init(_ page: String) throws(ConstantError) {
    let tables = Self.tables(of: page)
    func table(_ title: String, columns: Int) throws(ConstantError) -> [[String]] {
      let rows = tables[title] ?? []
      if let odd = rows.first(where: { $0.count != columns }) {
        throw ConstantError("\(odd.joined(separator: " | ")): not of \(columns) cells")
      }
      return rows
    }
    documents = try table("Documents", columns: 3).map {
      PolicyDocument(code: $0[0], name: $0[1], title: $0[2])
    }
    for row in try table("Systems", columns: 2) { try addSystem(row) }
    for row in try table("Strategies", columns: 6) { try addStrategy(row) }

    let systemRules = try table("Rules of systems", columns: 4)
    let strategyRules = try table("Rules of strategies", columns: 4)
    let flags = strategyRules.indices.filter { strategyRules[$0][1] == "flag" }
    for row in systemRules + strategyRules {
      try addRule(row) { name in
        flags.first { strategyRules[$0][0] == name }.map { systemRules.count + $0 }
      }
    }
    systemPlaces = systemRules.indices
    rows = Array(repeating: [], count: rules.count)

    devices = try table("Devices", columns: 3).map { cells throws(ConstantError) in
      try Self.circumstance(cells)
    }
    conditions = try table("Conditions", columns: 3).map { cells throws(ConstantError) in
      try Self.circumstance(cells)
    }
    let circumstances = (devices + conditions).map(\.name)
    let systemScopes = Set(systems.map(\.name) + circumstances)
    for row in try table("What systems allow", columns: 5) { try addValue(row, systemPlaces, systemScopes) }
    let strategyScopes = Set(strategies.flatMap { [$0.name, $0.group] } + circumstances)
    for row in try table("What strategies do", columns: 5) {
      try addValue(row, strategyPlaces, strategyScopes)
    }
    let scopes = systemScopes.union(strategyScopes)
    for row in try table("What was measured", columns: 7) { try addMeasured(row, scopes) }
    for rule in rules where !rows[rule.place].contains(where: { $0.scope == "any" && $0.variant == .seed }) {
      throw ConstantError("\(rule.name): there is no row for any")
    }
  }

  /// The rows of each table, without their heads, by the heading above it.
  private static func tables(of page: String) -> [String: [[String]]] {
    var tables: [String: [[String]]] = [:]
    var title = ""
    let (space, bar) = (UInt8(ascii: " "), UInt8(ascii: "|"))
    // By bytes, which is several times as fast as by characters.
    for line in page.utf8.split(separator: UInt8(ascii: "\n")) {
      if line.starts(with: "## ".utf8) { title = String(line.dropFirst(3)) ?? "" }
      guard line.starts(with: "| ".utf8) else { continue }
      let cells = line.split(separator: bar, omittingEmptySubsequences: false).dropFirst().dropLast()
      tables[title, default: []].append(
        cells.map { cell in
          let end = cell.lastIndex { $0 != space }.map(cell.index(after:)) ?? cell.startIndex
          return String(Substring(cell[..<end].drop { $0 == space }))
        })
    }
    return tables.mapValues { Array($0.dropFirst()) }
  }

  private mutating func addSystem(_ cells: [String]) throws(ConstantError) {
    guard let family = OSProfile.Family.allCases.first(where: { cells[0].hasPrefix($0.rawValue) }) else {
      throw ConstantError("\(cells[0]) is of neither family")
    }
    systems.append(OSProfile(name: cells[0], family: family, summary: cells[1], constants: []))
  }

  private mutating func addStrategy(_ cells: [String]) throws(ConstantError) {
    guard let mechanism = StrategyProfile.Mechanism(rawValue: cells[2]) else {
      throw ConstantError("\(cells[0]): \(cells[2]) is no mechanism")
    }
    guard let need = StrategyProfile.Need(rawValue: cells[3]) else {
      throw ConstantError("\(cells[0]): \(cells[3]) is no need")
    }
    strategies.append(
      StrategyProfile(
        name: cells[0], group: cells[1], mechanism: mechanism, needs: need, permissionAsked: cells[4],
        summary: cells[5], constants: []))
  }

  private mutating func addRule(
    _ cells: [String], _ flag: (String) -> Int?
  ) throws(ConstantError) {
    let (name, values) = (cells[0], cells[1])
    guard !rules.contains(where: { $0.name == name }) else { throw ConstantError("\(name) is there twice") }
    let isOptional = values.hasSuffix(" or none")
    guard let kind = Self.kind(isOptional ? String(values.dropLast(8)) : values) else {
      throw ConstantError("\(name): \(values) is no kind of value")
    }
    rules.append(
      PolicyRule(
        place: rules.count, name: name, kind: kind, isOptional: isOptional, meaning: cells[3],
        condition: try RuleCondition(cells[2], flag: flag)))
  }

  private static func kind(_ text: String) -> PolicyRule.Kind? {
    switch text {
    case "duration": return .duration(atLeast: 0)
    case "distance": return .distance
    case "flag": return .flag
    case "factor": return .factor
    case "risk": return .risk
    default:
      if text.hasPrefix("duration from ") {
        return Amount.duration(String(text.dropFirst(14))).map { .duration(atLeast: $0) }
      }
      let bounds = text.split(separator: " to ").compactMap { Int64($0) }
      return bounds.count == 2 && bounds[0] <= bounds[1] ? .count(bounds[0]...bounds[1]) : nil
    }
  }

  private mutating func addValue(
    _ cells: [String], _ places: Range<Int>, _ scopes: Set<String>
  ) throws(ConstantError) {
    func refusal(_ why: String) -> ConstantError {
      ConstantError("\(cells.joined(separator: " | ")): \(why)")
    }
    guard let rule = rules[places].first(where: { $0.name == cells[0] }) else {
      throw refusal("there is no such rule here")
    }
    let words = cells[1].split(separator: " ")
    let variant = words.count == 2 && words[1] == "observed" ? Variant.observed : .seed
    guard let scope = words.first.map(String.init), words.count == (variant == .seed ? 1 : 2),
      scope == "any" || scopes.contains(scope)
    else { throw refusal("\(cells[1]) is not there") }
    guard !rows[rule.place].contains(where: { $0.scope == scope && $0.variant == variant }) else {
      throw refusal("there are two such rows")
    }
    guard let confidence = Confidence(rawValue: cells[3]) else { throw refusal("not H, M or L") }
    do {
      let constant = Constant(try rule.value(cells[2]), .table(cells[4]), confidence)
      rows[rule.place].append(Row(scope: scope, variant: variant, constant: constant))
    } catch {
      throw refusal(error.description)
    }
  }

  private static func circumstance(_ cells: [String]) throws(ConstantError) -> Circumstance {
    guard let family = OSProfile.Family(rawValue: cells[1]) else {
      throw ConstantError("\(cells[0]): \(cells[1]) is neither ios nor android")
    }
    return Circumstance(name: cells[0], family: family, summary: cells[2])
  }

  private mutating func addMeasured(_ cells: [String], _ scopes: Set<String>) throws(ConstantError) {
    func refusal(_ why: String) -> ConstantError {
      ConstantError("\(cells.joined(separator: " | ")): \(why)")
    }
    guard let rule = rules.first(where: { $0.name == cells[0] }) else {
      throw refusal("there is no such rule")
    }
    let words = cells[1].split(separator: " ")
    let variant = words.count == 2 && words[1] == "observed" ? Variant.observed : .seed
    guard let scope = words.first.map(String.init), words.count == (variant == .seed ? 1 : 2),
      scope.split(separator: "/").allSatisfy({ $0 == "any" || scopes.contains(String($0)) })
    else { throw refusal("\(cells[1]) is not there") }
    guard
      !measurements.contains(where: {
        $0.place == rule.place && $0.measured.scope == scope && $0.variant == variant
      })
    else { throw refusal("there are two such rows") }
    guard let confidence = Confidence(rawValue: cells[5]) else { throw refusal("not H, M or L") }
    do {
      let measured = try Measured(
        rule, cells[2], never: cells[3], trials: cells[4], scope: scope, source: .table(cells[6]),
        confidence: confidence)
      measurements.append((rule.place, variant, measured))
    } catch {
      throw refusal(error.description)
    }
  }

  /// By the rule's index: the measurement in the first of the scopes that has one.
  private func measured(_ places: Range<Int>, _ scopes: [String], _ variant: Variant) -> [Int: Measured] {
    var found: [Int: Measured] = [:]
    for scope in scopes {
      for row in measurements where row.measured.scope == scope && places.contains(row.place) {
        if row.variant == .seed || variant == .observed, found[row.place] == nil {
          found[row.place] = row.measured
        }
      }
    }
    return found
  }

  func measured(under name: String, _ systems: [String], _ variant: Variant) -> [Int: Measured] {
    measured(rules.indices, systems.map { "\(name)/\($0)" } + [name], variant)
  }

  /// Whether a device or a condition has rows of its own for a rule, whatever the system.
  func differs(_ rule: String, under name: String) -> Bool {
    guard let place = rules.first(where: { $0.name == rule })?.place else { return false }
    return rows[place].contains { $0.scope == name }
      || measurements.contains { $0.place == place && $0.measured.scope == name }
  }

  /// The rows of a device or a condition.
  func constants(
    under name: String, _ variant: Variant
  ) -> [(place: Int, constant: Constant<ConstantValue>)] {
    rows.indices.compactMap { place in
      let found = rows[place].filter {
        $0.scope == name && ($0.variant == .seed || variant == .observed)
      }
      return (found.first { $0.variant == .observed } ?? found.first).map { (place, $0.constant) }
    }
  }

  /// The value of a rule for a strategy without a row of its own.
  func plain(_ rule: PolicyRule) -> Constant<ConstantValue> { constant(rule.place, ["any"], .seed) }

  /// The row in force: that of the first scope that has one. Each rule has a row for `any`.
  private func constant(_ place: Int, _ scopes: [String], _ variant: Variant) -> Constant<ConstantValue> {
    for variant in variant == .observed ? [.observed, .seed] : [variant] {
      for scope in scopes {
        if let row = rows[place].first(where: { $0.scope == scope && $0.variant == variant }) {
          return row.constant
        }
      }
    }
    fatalError("\(rules[place].name) has no value")
  }

  /// Every system, oldest first, with what began with it or with an older one of its family.
  func systems(_ variant: Variant) -> [OSProfile] {
    systems.indices.map { index in
      var system = systems[index]
      let scopes = systems[...index].filter { $0.family == system.family }.map(\.name).reversed() + ["any"]
      system.constants = systemPlaces.map { constant($0, scopes, variant) }
      system.measured = measured(systemPlaces, scopes, variant)
      return system
    }
  }

  func strategies(_ variant: Variant) -> [StrategyProfile] {
    strategies.map { strategy in
      var strategy = strategy
      let scopes = [strategy.name, strategy.group, "any"]
      strategy.constants = strategyPlaces.map { constant($0, scopes, variant) }
      strategy.measured = measured(strategyPlaces, scopes, variant)
      return strategy
    }
  }
}
