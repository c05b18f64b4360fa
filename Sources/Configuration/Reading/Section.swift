import Core

/// One value of the file with its position, and methods that read it as an expected type. A method that fails reports
/// why, and returns nil.
struct Value {
  let node: Node
  /// Its name in messages: `near`, or `an entry of beacons`.
  let name: String
  /// Its path in the vocabulary, such as `zones[].near`.
  let path: String
  let diagnostics: Diagnostics

  var position: Diagnostic.Position { node.position }

  func error(_ message: String, hint: @autoclosure () -> String? = nil) {
    diagnostics.error(message, at: position, hint: hint())
  }

  /// Reports an error in place of what was to be read.
  func refused<Read>(_ message: String, hint: @autoclosure () -> String? = nil) -> Read? {
    error(message, hint: hint())
    return nil
  }

  func warning(_ message: String, hint: @autoclosure () -> String? = nil) {
    diagnostics.warning(message, at: position, hint: hint())
  }

  /// The text of a scalar; nil, without a report, for anything else.
  var scalar: String? { node.scalar }

  /// The same value under another name in messages.
  func named(_ name: String) -> Value { Value(node: node, name: name, path: path, diagnostics: diagnostics) }

  var isNull: Bool { node.isNull }

  private var kind: String {
    switch node.content {
    case .mapping: "a mapping"
    case .list: "a list"
    case .scalar: isNull ? "nothing" : "a single value"
    }
  }

  private func mismatch<Read>(_ expected: String, hint: String?) -> Read? {
    isNull
      ? refused("\(name) has no value", hint: hint ?? "give it \(expected), or remove the line")
      : refused("\(name) must be \(expected), not \(kind)", hint: hint)
  }

  func text(hint: String? = nil) -> String? {
    if let scalar, !isNull { return scalar }
    return mismatch("a single value", hint: hint)
  }

  /// The entries of a list, which must not be empty.
  func list(hint: String? = nil) -> [Value]? {
    guard case .list(let entries) = node.content else { return mismatch("a list", hint: hint) }
    if entries.isEmpty {
      error("\(name) is an empty list", hint: hint ?? "remove the line, or add an entry")
    }
    return entries.map {
      Value(node: $0, name: "an entry of \(name)", path: path + "[]", diagnostics: diagnostics)
    }
  }

  func section(hint: String? = nil) -> Section? {
    guard case .mapping(let pairs) = node.content else {
      return mismatch("a mapping (key: value)", hint: hint)
    }
    return Section(pairs, of: self)
  }

  func measure(_ dimension: Dimension) -> Double? {
    measure(among: [dimension])?.value
  }

  /// A number with a unit of one of these dimensions.
  func measure(among dimensions: [Dimension]) -> Measure? {
    let examples = listed(dimensions.map(\.example))
    guard let text = text(hint: "for example \(examples)") else { return nil }
    let expected = listed(dimensions.map(\.noun))
    do throws(Measure.Problem) {
      let measure = try Measure(text)
      if dimensions.contains(measure.dimension) { return measure }
      error(
        "\(name) must be \(expected), and \(quoted(text)) is \(measure.dimension.noun)",
        hint: "for example \(examples)")
    } catch {
      let units = dimensions.flatMap(\.units).map(\.word)
      switch error {
      case .notANumber:
        self.error("\(name) must be \(expected), not \(quoted(text))", hint: "for example \(examples)")
      case .decimalComma(let number):
        self.error("\(quoted(text)) has a decimal comma", hint: "write \(number) with its unit")
      case .unitMissing(let number):
        self.error("\(name) needs a unit: \(listed(units))", hint: "perhaps \(number) \(units[0])")
      case .unitUnknown(let unit):
        self.error(
          "\(quoted(unit)) is not a unit of \(expected)",
          hint: nearest(to: unit, among: units).map { "did you mean \($0)?" }
            ?? "units here: \(listed(units))")
      }
    }
    return nil
  }

  /// A number without unit within a range.
  func number(in range: ClosedRange<Double>) -> Double? {
    guard let text = text() else { return nil }
    guard let number = Double(text), range.contains(number) else {
      return refused(
        "\(name) must be a number from \(range.lowerBound) to \(range.upperBound), not \(quoted(text))")
    }
    return number
  }

  /// A whole number, decimal or `0x…`.
  func integer(upTo limit: Int) -> Int? {
    guard let text = text() else { return nil }
    let hexadecimal = text.lowercased().hasPrefix("0x")
    let number = hexadecimal ? Int(text.dropFirst(2), radix: 16) : Int(text)
    guard let number, (0...limit).contains(number) else {
      return refused("\(name) must be a whole number from 0 to \(limit), not \(quoted(text))")
    }
    return number
  }
}

/// A mapping whose keys are read one by one. Keys that no reader asked for are unknown.
final class Section {
  private let value: Value
  private var entries: [(key: String, keyPosition: Diagnostic.Position, value: Value)] = []
  /// The index of each key in `entries`.
  private var places: [String: Int] = [:]
  private var asked: Set<String> = []
  /// Those of the keys that are another program's names.
  private var foreign: Set<String> = []

  var diagnostics: Diagnostics { value.diagnostics }
  var position: Diagnostic.Position { value.position }

  init(_ pairs: [(key: Node, value: Node)], of value: Value) {
    self.value = value
    for (keyNode, node) in pairs {
      let keyPosition = keyNode.position
      guard let key = keyNode.scalar else {
        value.diagnostics.error("a key must be a simple word", at: keyPosition)
        continue
      }
      if healsDecimalComma(key, node) { continue }
      if let twin = places[key] {
        value.diagnostics.error(
          "\(quoted(key)) is given twice, first on line \(entries[twin].keyPosition.line)", at: keyPosition,
          hint: "keep one of them")
        continue
      }
      places[key] = entries.count
      let path = value.path.isEmpty ? key : "\(value.path).\(key)"
      entries.append(
        (key, keyPosition, Value(node: node, name: key, path: path, diagnostics: value.diagnostics)))
    }
  }

  /// In `{ distance: 6,5 m }` the comma ends the value, and `5 m` looks like a key. Reports what was meant, and reads that.
  private func healsDecimalComma(_ key: String, _ node: Node) -> Bool {
    guard node.isNull, let digit = key.utf8.first, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(digit),
      let before = entries.last, let whole = before.value.scalar, Int(whole) != nil
    else { return false }
    let meant = "\(whole).\(key)"
    before.value.error("\(quoted("\(whole),\(key)")) has a decimal comma", hint: "write \(meant)")
    let healed = Node(
      content: .scalar(meant, isPlain: true), position: before.value.position, span: node.span)
    entries[entries.count - 1].value = Value(
      node: healed, name: before.key, path: before.value.path, diagnostics: value.diagnostics)
    return true
  }

  var keys: [String] { entries.map(\.key) }

  func keyPosition(of key: String) -> Diagnostic.Position? { places[key].map { entries[$0].keyPosition } }

  /// The value for a key. `isVocabulary`: whether the key is one of ours, not a name that the user chose.
  func take(_ key: String, isVocabulary: Bool = true) -> Value? {
    asked.insert(key)
    if isVocabulary { diagnostics.noteAsked(for: key, in: value.path) }
    return places[key].map { entries[$0].value } ?? foreign(key)
  }

  /// Puts the value for a key in place of a default, if there is one that can be read.
  func take<Setting>(_ key: String, into setting: inout Setting, _ read: (Value) -> Setting?) {
    if let new = take(key).flatMap(read) { setting = new }
  }

  /// - Parameter file: where the password belongs.
  func refusePassword(_ file: String) {
    take("password", isVocabulary: false)?.error(
      "a password does not belong here",
      hint: "put it into a file of mode 0600 and name that: password_file: /etc/beaconkeeper/\(file)")
  }

  /// The value for a key that the user wrote with another program's name.
  private func foreign(_ key: String) -> Value? {
    for name in ForeignKeys.names(for: key, in: value.path) where !asked.contains(name) {
      guard let place = places[name] else { continue }
      asked.insert(name)
      foreign.insert(name)
      reject(entries[place], hint: "here it is called \(key)")
      let path = value.path.isEmpty ? key : "\(value.path).\(key)"
      return Value(node: entries[place].value.node, name: key, path: path, diagnostics: diagnostics)
    }
    return nil
  }

  private func reject(_ entry: (key: String, keyPosition: Diagnostic.Position, value: Value), hint: String) {
    diagnostics.error(
      "\(quoted(entry.key)) is not a known key\(value.path.isEmpty ? "" : " of \(value.name)")",
      at: entry.keyPosition, hint: hint)
  }

  /// The value for a required key.
  func require(_ key: String, hint: String? = nil) -> Value? {
    if let value = take(key) { return value }
    // In a large mapping some key always looks similar, so only the first ones are compared.
    let hasLookalike = entries.prefix(100).contains { nearest(to: $0.key, among: [key]) != nil }
    if !hasLookalike { diagnostics.error("\(key) is missing here", at: position, hint: hint) }
    return nil
  }

  /// Whether there is a key that no reader asked for. It may be a misspelling of a missing one.
  var hasUnknownKey: Bool { entries.contains { !asked.contains($0.key) } }

  /// Reports all keys that no reader asked for.
  func finish() {
    let known = asked.subtracting(foreign).sorted()
    let missing = known.filter { places[$0] == nil }
    for entry in entries where !asked.contains(entry.key) && !diagnostics.isFull {
      reject(
        entry,
        hint: nearest(to: entry.key, among: missing).map { "did you mean \($0)?" }
          ?? "known here: \(enumerated(known))")
    }
  }
}

/// A time within these limits.
func readTime(_ value: Value, from least: TimeSpan = .zero, upTo limit: TimeSpan) -> TimeSpan? {
  guard let seconds = value.measure(.time) else { return nil }
  let time = TimeSpan.seconds(seconds)
  guard seconds >= 0, time >= least, time <= limit else {
    let range = "from \(Measure(.time, least.seconds)) to \(Measure(.time, limit.seconds))"
    return value.refused("\(value.name) cannot be \(Measure(.time, seconds))", hint: range)
  }
  return time
}

/// Other programs' names for our keys, and likely misnomers. The reader reports such a key, and reads its value as if
/// the key had the right name, so that errors below it are reported in the same run.
enum ForeignKeys {
  /// - Parameter path: the path of the section, such as `zones[].enter`.
  static func names(for key: String, in path: String) -> [String] {
    let words =
      switch path {
      case "": root
      case "beacons[]": beacon
      case "broker": broker
      case "http": http
      case "rooms[]": room
      case "zones[]": zone
      case "zones[].enter", "zones[].near", "zones[].exit": rule
      default: [:] as [String: [String]]
      }
    return words[key] ?? []
  }

  private static let root = [
    "beacons": ["beacon", "devices", "tags", "trackers"],
    "broker": ["mqtt"],
    "home_assistant": ["homeassistant", "hass"],
    "http": ["frontend", "web", "dashboard"],
    "phones": ["phone"],
    "doors": ["door"],
    "floors": ["floor", "storeys"],
    "receivers": ["receiver", "adapters"],
    "scanners": ["scanner", "remote_receivers"],
    "rooms": ["room"],
    "zones": ["zone", "areas"],
  ]
  private static let beacon = [
    "address": ["mac", "mac_address"],
    "bind_key": ["bindkey", "encryption_key"],
    "irk": ["identity_resolving_key"],
    "measured_power": ["tx_power", "rssi_at_1m"],
    "owner": ["group", "person"],
  ]
  private static let broker = ["url": ["host", "server"], "username": ["user"]]
  private static let http = [
    "listen": ["address", "bind", "port"], "password_file": ["token_file", "read_password_file"],
    "proxies": ["trusted_proxies"],
  ]
  // As in ESPresense-companion.
  private static let room = [
    "outline": ["points", "polygon", "corners"], "receivers": ["receiver", "nodes", "scanners"],
  ]
  private static let zone = ["enter": ["entry", "inside"], "exit": ["leave", "outside"]]
  private static let rule = [
    "distance": ["range", "radius"],
    "dwell": ["delay", "duration"],
    "lost": ["timeout"],
    "signal": ["rssi"],
  ]
}

/// Reads a name. It goes into topics, percent-encoded, and into sentences, so it may be any text that is visible. The same letters
/// have the same octets, whether a keyboard composed them or not.
func checkedName(_ value: Value) -> String? {
  guard let name = value.text()?.composed else { return nil }
  let scalars = Array(name.unicodeScalars)
  let hint: String? =
    if let hidden = scalars.indices.first(where: { !isVisible($0, in: scalars) }) {
      "without the character U+\(String(scalars[hidden].value, radix: 16, uppercase: true)), which cannot be seen"
    } else if name.first?.isWhitespace != false || name.last?.isWhitespace != false {
      name.isEmpty ? "at least one character" : "no space at either end"
    } else {
      name.utf8.count > 64 ? "at most 64 bytes; it has \(name.utf8.count)" : nil
    }
  if let hint { return value.refused("\(quoted(name)) cannot be a name", hint: hint) }
  warnOfVariables(name, value)
  return name
}

/// Persian, Sinhala and joined emoji need signs between two letters that cannot be seen.
private func isVisible(_ place: Int, in scalars: [Unicode.Scalar]) -> Bool {
  switch scalars[place].properties.generalCategory {
  case .format:
    return [0x200C, 0x200D].contains(scalars[place].value) && place > 0 && place + 1 < scalars.count
      && !scalars[place - 1].isASCII && !scalars[place + 1].isASCII
  case .control, .lineSeparator, .paragraphSeparator, .privateUse, .unassigned: return false
  default: return true
  }
}

/// Warns of what other programs would replace, and of quotes that are none in YAML.
func warnOfVariables(_ text: String, _ value: Value) {
  if text.contains("${") || text.hasPrefix("{") && text.hasSuffix("}") {
    value.warning("\(quoted(text)) is taken as it is: variables are not replaced here")
  }
  if let first = text.first, let last = text.last, text.count > 1, "“”„«‘‚".contains(first),
    "“”»’‘".contains(last)
  {
    value.warning("the quotes \(first) and \(last) are part of it", hint: "YAML's quotes are \" and '")
  }
}

func readName(_ section: Section) -> String? {
  section.require("name", hint: "every entry needs a name").flatMap(checkedName)
}

/// The names in a list, without duplicates; with `known`, only those that exist.
func uniqueNames(
  _ entries: [Value]?, of kind: String, known: Set<String>? = nil, whenEmpty: String = "beacons: is empty"
) -> [String]? {
  guard let entries else { return nil }
  var names: [String] = []
  var seen: Set<String> = []
  for entry in entries {
    guard let name = checkedName(entry) else { continue }
    if seen.contains(name) {
      entry.warning("\(quoted(name)) is listed twice")
    } else if let known, !known.contains(name) {
      entry.error(
        "there is no \(kind) \(quoted(name))",
        hint: suggestion(for: name, among: known, whenEmpty: whenEmpty))
    } else {
      names.append(name)
      seen.insert(name)
    }
  }
  return names
}

/// Reads one of a few words.
func readChoice<Choice: RawRepresentable<String> & CaseIterable>(
  _ value: Value, hint: String? = nil
) -> Choice? {
  guard let text = value.text() else { return nil }
  if let choice = Choice(rawValue: text) { return choice }
  let known = Choice.allCases.map(\.rawValue)
  return value.refused(
    "\(value.name) must be \(listed(known)), not \(quoted(text))",
    hint: nearest(to: text, among: known).map { "did you mean \($0)?" } ?? hint)
}
