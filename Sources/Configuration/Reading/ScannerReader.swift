import Beacons
import Contract
import Core

/// Reads `scanners:`.
struct ScannerReader {
  /// Beacons that an identity can stand for.
  var beacons: [BeaconSettings]
  /// Includes beacons that could not be read.
  var beaconNames: Set<String>
  /// The levels before the gateway's in the topics of other Beaconkeepers.
  var root: String

  private static let hint = "for example { kind: espresense }"

  func read(_ value: Value) -> Scanner? {
    guard let section = value.section(hint: Self.hint) else { return nil }
    defer { section.finish() }
    let kinds = listed(Scanner.Kind.allCases.map(\.rawValue))
    let kind: Scanner.Kind? = section.require("kind", hint: kinds).flatMap { readChoice($0, hint: kinds) }
    let topic = section.take("topic")
    let status = section.take("status")
    let receiver = section.take("receiver")
    let prefix = section.take("prefix").flatMap(checkedName) ?? ""
    let aliases = section.take("receivers").flatMap(readAliases) ?? [:]
    let identities = section.take("identities").flatMap(readIdentities) ?? [:]
    let each = section.take("each")
    let fields = section.take("fields")
    let interval = section.take("interval")
    guard let kind else { return nil }
    let pattern = topic.flatMap(readPattern)
    let mapping = kind == .json ? readMapping(fields, each: each, in: section) : nil
    let scanner = Scanner(
      kind: kind, topic: pattern ?? kind.usualTopic(root: root), status: status.flatMap(readPattern),
      mapping: mapping,
      receiver: receiver.flatMap(checkedName), prefix: prefix, aliases: aliases, identities: identities,
      interval: interval.flatMap { readTime($0, from: .milliseconds(50), upTo: .seconds(10)) }
        ?? Scanner.usualInterval)
    if kind != .beaconkeeper, let interval {
      interval.error("interval is for kind: beaconkeeper; others publish at once")
    }
    if kind == .json {
      if topic == nil, !section.hasUnknownKey {
        section.diagnostics.error(
          "a json scanner needs its topic", at: section.position,
          hint: "for example topic: /gw/{receiver}/status")
      }
      if pattern == nil || mapping == nil { return nil }
    } else {
      for extra in [each, fields].compactMap(\.self) {
        extra.error("\(extra.name) is for kind: json; messages of \(kind.rawValue) are known")
      }
      if topic != nil, pattern == nil { return nil }
    }
    checkReceiver(scanner, section)
    return scanner
  }

  private func readPattern(_ value: Value) -> TopicPattern? {
    guard let text = value.text(hint: "for example home/{receiver}/BTtoMQTT/{address}") else { return nil }
    if text.hasPrefix("$share/") {
      value.error(
        "a shared subscription would take observations from its other members",
        hint: "leave out \(quoted(text.split(separator: "/").prefix(2).joined(separator: "/") + "/"))")
      return nil
    }
    let fields = listed(TopicPattern.Field.allCases.map { "{\($0.rawValue)}" })
    do throws(TopicPattern.Problem) { return try TopicPattern(text) } catch {
      switch error {
      case .empty: value.error("\(value.name) is empty")
      case .tooLong: value.error("\(value.name) is longer than \(TopicPattern.limit) bytes")
      case .repeated(let field): value.error("{\(field.rawValue)} is in \(quoted(text)) twice")
      case .level(let level):
        value.error(
          "\(quoted(level)) cannot be a level of a topic",
          hint: "a text, +, # at the end, or one of \(fields) as a whole level")
      }
      return nil
    }
  }

  /// The receiver's name must come from somewhere.
  private func checkReceiver(_ scanner: Scanner, _ section: Section) {
    guard scanner.kind != .beaconkeeper, !scanner.topic.has(.receiver),
      scanner.mapping.fields[.receiver] == nil, scanner.receiver == nil
    else { return }
    section.diagnostics.error(
      "which receiver hears this?", at: section.position,
      hint: "{receiver} as a level of topic, or receiver: and a name")
  }

  private func readMapping(_ fields: Value?, each: Value?, in section: Section) -> JSONMapping? {
    let hint = "for example fields: { address: mac, rssi: rssi, raw: rawData }"
    guard let fields else {
      section.diagnostics.error("a json scanner needs fields", at: section.position, hint: hint)
      return nil
    }
    guard let members = fields.section(hint: hint) else { return nil }
    defer { members.finish() }
    var mapping = JSONMapping(each: each.flatMap { $0.text() }, fields: [:])
    for field in JSONMapping.Field.allCases {
      guard let value = members.take(field.rawValue) else { continue }
      guard Self.numbers.contains(field), value.scalar == nil else {
        mapping.fields[field] = value.text()
        continue
      }
      mapping.fields[field] = readNumber(value, field, &mapping)
    }
    if mapping.fields[.rssi] == nil, !members.hasUnknownKey { fields.error("fields needs rssi", hint: hint) }
    let who: [JSONMapping.Field] = [.address, .id, .raw, .manufacturerData, .serviceData, .uuid]
    if !who.contains(where: { mapping.fields[$0] != nil }), !members.hasUnknownKey {
      fields.error("nothing in fields says which beacon it is", hint: "one of \(listed(who.map(\.rawValue)))")
    }
    for (field, others) in [(.uuid, [.major, .minor]), (.serviceData, [.serviceUUID])]
      as [(JSONMapping.Field, [JSONMapping.Field])] where mapping.fields[field] != nil
    {
      for other in others where mapping.fields[other] == nil {
        fields.error("\(field.rawValue) needs \(other.rawValue) beside it")
      }
    }
    return mapping
  }

  /// Fields that are numbers, which some gateways write as hexadecimal digits.
  private static let numbers: [JSONMapping.Field] = [.rssi, .major, .minor, .measuredPower]

  /// A path with how the number there is written; returns the path.
  private func readNumber(_ value: Value, _ field: JSONMapping.Field, _ mapping: inout JSONMapping) -> String?
  {
    guard let section = value.section(hint: "for example { path: major, base: 16 }") else { return nil }
    defer { section.finish() }
    var form = JSONMapping.NumberForm()
    let path: String? = section.require("path", hint: "the member's name").flatMap { $0.text() }
    if let base = section.take("base") {
      switch base.text() {
      case "10"?: form.base = 10
      case "16"?: form.base = 16
      case let text?: base.error("base is 10 or 16, not \(quoted(text))")
      case nil: break
      }
    }
    if field == .measuredPower, let distance = section.take("at") {
      let metres = distance.measure(.distance)
      form.isAtZero = metres == 0
      if let metres, metres != 0, metres != 1 {
        distance.error(
          "at is 1 m, or 0 m as Eddystone has it", hint: "the distance at which the power is stated")
      }
    }
    mapping.forms[field] = form
    return path
  }

  private func readAliases(_ value: Value) -> [String: String]? {
    readNames(value, example: "{ kitchen: esp-kitchen }") { checkedName($0) }
  }

  private func readIdentities(_ value: Value) -> [String: String]? {
    readNames(value, example: "{ \"phone:anna\": anna }") { entry in
      guard let name = checkedName(entry) else { return nil }
      guard beaconNames.contains(name) else {
        return entry.refused(
          "there is no beacon \(quoted(name))",
          hint: suggestion(for: name, among: beaconNames, whenEmpty: "beacons: is empty"))
      }
      guard let beacon = beacons.first(where: { $0.name == name }) else { return nil }
      if BeaconEntry(name: name, pattern: beacon.pattern).key == nil {
        return entry.refused(
          "\(quoted(name)) is not one single beacon",
          hint: "an identity stands for one beacon, not for a region or a URL")
      }
      return name
    }
  }

  /// Names by the scanner's own names.
  private func readNames(_ value: Value, example: String, _ read: (Value) -> String?) -> [String: String]? {
    guard let section = value.section(hint: "for example \(example)") else { return nil }
    defer { section.finish() }
    var names: [String: String] = [:]
    for key in section.keys {
      guard let entry = section.take(key, isVocabulary: false), let name = read(entry) else { continue }
      names[key] = name
    }
    return names
  }
}

/// Reports two scanners that read the same messages.
func refuseTwinScanners(_ entries: [Value], _ scanners: [Scanner?]) {
  var lines: [String: Int] = [:]
  for (entry, scanner) in zip(entries, scanners) {
    guard let filter = scanner?.topic.filter else { continue }
    if let line = lines[filter] {
      entry.error("the scanner on line \(line) reads \(quoted(filter)) already", hint: "keep one of them")
    }
    lines[filter] = lines[filter] ?? entry.position.line
  }
}

/// A scanner of the configuration, and the names of its receivers.
func item(_ scanner: Scanner) -> Explanation.Item {
  var sentences = ["Reads \(scanner.topic.filter)."]
  switch scanner.kind {
  case .beaconkeeper:
    sentences.append(
      "Each receiver is named after its gateway and its name there, such as \(scanner.prefix)hall/hci0.")
    if scanner.interval != Scanner.usualInterval {
      let interval = Measure(.time, scanner.interval.seconds)
      sentences.append("Rooms wait for what gateways collect for \(interval).")
    }
  case .espresense, .theengs, .json:
    let source =
      if scanner.topic.has(.receiver) {
        "the topic"
      } else if let field = scanner.mapping.fields[.receiver] {
        quoted(field)
      } else {
        quoted(scanner.receiver ?? "")
      }
    let after = scanner.prefix.isEmpty ? "" : ", with \(quoted(scanner.prefix)) in front"
    sentences.append("The receiver is named by \(source)\(after).")
  }
  for field in JSONMapping.Field.allCases {
    guard let form = scanner.mapping.forms[field] else { continue }
    if form.base == 16 { sentences.append("Its \(field.rawValue) is in hexadecimal digits.") }
    if form.isAtZero { sentences.append("Its \(field.rawValue) is that at 0 m.") }
  }
  if !scanner.aliases.isEmpty {
    let names = scanner.aliases.sorted { $0.key < $1.key }.map { "\($0.key) is \($0.value)" }
    sentences.append("Here \(listed(names, joining: "and")).")
  }
  if !scanner.identities.isEmpty {
    let names = scanner.identities.values.sorted()
    sentences.append("It recognises by itself \(listed(names, joining: "and")).")
  }
  if let status = scanner.status {
    sentences.append("\(status.filter) says whether it is online.")
  } else {
    sentences.append("Nothing says whether it is online; without messages it counts as quiet.")
  }
  return Explanation.Item(name: scanner.kind.rawValue, sentences: sentences)
}

func sentence(_ observations: ObservationSettings) -> String {
  let topics = observations.partitions == 1 ? "one topic" : "\(observations.partitions) topics"
  let kept = observations.buffer.map {
    "; while the broker is away, up to \(Measure(.size, Double($0))) wait on disk"
  }
  return
    "what its own radios hear of configured beacons, every \(Measure(.time, observations.interval.seconds)), on \(topics)\(kept ?? "")"
}
