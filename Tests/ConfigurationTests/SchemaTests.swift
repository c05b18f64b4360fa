import Contract
import Foundation
import enum Configuration.Dimension
import Phones
import TestSupport
import Testing

@testable import Configuration

/// The schema for editors knows exactly the keys that the reader knows.
@Suite struct SchemaTests {
  /// Comes by every key of every section.
  static let everything = """
    gateway: {}
    broker: { url: mqtts://b }
    keys_file: keys.yaml
    radio: {}
    receivers: [{ name: r }]
    scanners: [{ kind: json, topic: t, fields: { rssi: {}, major: {}, minor: {}, measured_power: {} } }]
    publish: { observations: {} }
    beacons:
      - { name: a, ibeacon: {} }
      - { name: b, altbeacon: {} }
      - { name: c, eddystone: {} }
    zones: [{ name: z, near: {}, enter: {}, exit: {} }]
    rooms: [{ name: r }]
    floors: [{ name: f }]
    doors: [{}]
    phones: [{ name: p }]
    profiles: { os: [{ name: o }], strategies: [{ name: s }] }
    telemetry: {}
    http: { tls: {} }
    metrics: {}
    diary: {}
    fleet: {}
    wake: { period: 1 s, broadcasts: [{}] }
    home_assistant: {}

    """

  @Test func knowsTheKeysThatTheReaderKnows() throws {
    let diagnostics = Diagnostics(file: "everything.yaml")
    let files = NamedFileReader(environment: [:], directory: "/", connects: true)
    var reader = ConfigurationReader(files, defaultName: "pi")
    _ = reader.read(Array(Self.everything.utf8), diagnostics: diagnostics)
    let schema = try Schema()
    var keys: [String: Set<String>] = [:]
    schema.collect(schema.root, path: "", into: &keys)
    #expect(keys == diagnostics.vocabulary)
  }

  @Test func refersToDefinitionsThatAreThere() throws {
    let schema = try Schema()
    let references = schema.references(in: schema.root)
    let definitions = try #require(schema.root["$defs"] as? [String: Any])
    #expect(Set(references) == Set(definitions.keys.map { "#/$defs/\($0)" }))
  }

  @Test func listsTheConstantsOfEveryProfile() throws {
    let definitions = try #require(try Schema().root["$defs"] as? [String: [String: Any]])
    #expect(definitions["systemConstant"]?["enum"] as? [String] == OSProfile.rules.map(\.name))
    #expect(definitions["strategyConstant"]?["enum"] as? [String] == StrategyProfile.rules.map(\.name))
  }

  @Test func `names the built-in systems and strategies`() throws {
    let schema = try Schema()
    #expect(try schema.list("phone", "os", "examples") == Catalogue.systems().map(\.name))
    #expect(try schema.list("phone", "strategy", "examples") == Catalogue.strategies().map(\.name))
  }

  @Test func `lists the words that the reader takes`() throws {
    let schema = try Schema()
    #expect(try schema.list("scanner", "kind", "enum") == Scanner.Kind.allCases.map(\.rawValue))
    #expect(try schema.list("homeAssistant", "form", "enum") == Discovery.Form.allCases.map(\.rawValue))
    #expect(try schema.list("homeAssistant", "entities", "enum") == EntityDetail.allCases.map(\.rawValue))
    for section in ["phone", "wake"] {
      #expect(try schema.list(section, "variant", "enum") == Variant.allCases.map(\.rawValue))
    }
    // Bare, off is a truth value for some editors.
    let radio = try #require((schema.root["properties"] as? [String: [String: Any]])?["radio"])
    let duty = try #require((radio["properties"] as? [String: [String: Any]])?["duty"]?["enum"] as? [Any])
    #expect(duty.compactMap { $0 as? String } == RadioSettings.Duty.allCases.map(\.rawValue))
  }

  /// Letter case does not matter, nor the space between number and unit.
  @Test(arguments: [
    ("distance", Dimension.distance), ("time", .time), ("speed", .speed), ("signal", .signal),
    ("gain", .gain),
    ("size", .size),
  ])
  func `takes the units that the reader takes`(name: String, dimension: Dimension) throws {
    let units = dimension.units.map { unit in
      unit.word.map { $0.isLetter ? "[\($0.lowercased())\($0.uppercased())]" : "\($0)" }.joined()
    }
    let sign = [.distance, .signal, .gain].contains(dimension) ? "[-+\u{2212}]?" : "[+]?"
    let pattern = "^\(sign)[0-9.]+[ \\t\\u00a0]*(\(units.joined(separator: "|")))$"
    let definitions = try #require(try Schema().root["$defs"] as? [String: [String: Any]])
    #expect(definitions[name]?["pattern"] as? String == pattern)
  }

  @Test(arguments: [
    "beaconkeeper.yaml", "demo.yaml", "examples/rooms/outlines.yaml",
  ])
  func `an example has no faults in an editor`(file: String) throws {
    #expect(try faults(Array(Data(contentsOf: configFolder.appendingPathComponent(file)))) == [])
  }

  @Test(arguments: 0..<4) func `what the reader takes has no faults in an editor`(seed: UInt64) throws {
    var dice = SeededGenerator(seed: seed)
    for _ in 0..<20 {
      let yaml = RandomConfiguration(&dice).yaml
      #expect(try faults(Array(yaml.utf8)) == [], "\(yaml)")
      // A decibel is written in many ways.
      let loud = yaml.replacing(" dBm", with: "DBM").replacing(" m ", with: " M ")
      #expect(try read(loud).configuration.zones.count == 3)
      #expect(try faults(Array(loud.utf8)) == [], "\(loud)")
    }
  }

  private func faults(_ yaml: [UInt8]) throws -> [String] {
    let diagnostics = Diagnostics(file: "test.yaml")
    let root = try #require(YAMLDocument.read(yaml, diagnostics: diagnostics))
    let text = try JSONSerialization.data(withJSONObject: json(root.node))
    return try MessageSchemas.faults(configuration: Array(text))
  }

  /// As an editor reads it.
  private func json(_ node: Node) -> Any {
    switch node.content {
    case .list(let entries): return entries.map(json)
    case .mapping(let pairs):
      let members = pairs.map { ($0.key.scalar ?? "", json($0.value)) }
      return Dictionary(members, uniquingKeysWith: { $1 })
    case .scalar(let text, let isPlain):
      if node.isNull { return NSNull() }
      guard isPlain else { return text }
      if let flag = ["true": true, "false": false][text] { return flag }
      return Double(text).map { $0 as Any } ?? text
    }
  }

  @Test func closesEverySection() throws {
    let schema = try Schema()
    #expect(schema.openSections(in: schema.root) == 0)
  }

  @Test(arguments: ["beaconkeeper.yaml", "demo.yaml"])
  func isNamedInEveryExample(file: String) throws {
    let text = try String(contentsOf: configFolder.appendingPathComponent(file), encoding: .utf8)
    #expect(text.hasPrefix("# yaml-language-server: $schema=./beaconkeeper.schema.json\n"))
  }
}

/// As much of JSON Schema as ours uses.
private struct Schema {
  let root: [String: Any]

  init() throws {
    let data = try Data(contentsOf: configFolder.appendingPathComponent("beaconkeeper.schema.json"))
    root = try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
  }

  func list(_ definition: String, _ key: String, _ keyword: String) throws -> [String] {
    let definitions = try #require(root["$defs"] as? [String: [String: Any]])
    let properties = try #require(definitions[definition]?["properties"] as? [String: [String: Any]])
    return try #require(properties[key]?[keyword] as? [String])
  }

  /// The keys of every section, by path.
  func collect(_ schema: [String: Any], path: String, into keys: inout [String: Set<String>]) {
    if let reference = schema["$ref"] as? String, let name = reference.split(separator: "/").last,
      let definition = (root["$defs"] as? [String: Any])?[String(name)] as? [String: Any]
    {
      collect(definition, path: path, into: &keys)
    }
    for choice in ["oneOf", "anyOf"] {
      for option in schema[choice] as? [[String: Any]] ?? [] { collect(option, path: path, into: &keys) }
    }
    if let items = schema["items"] as? [String: Any] { collect(items, path: path + "[]", into: &keys) }
    for (key, value) in schema["properties"] as? [String: [String: Any]] ?? [:] {
      keys[path, default: []].insert(key)
      collect(value, path: path.isEmpty ? key : "\(path).\(key)", into: &keys)
    }
  }

  func references(in schema: Any) -> [String] {
    if let list = schema as? [Any] { return list.flatMap(references) }
    guard let object = schema as? [String: Any] else { return [] }
    let own = (object["$ref"] as? String).map { [$0] } ?? []
    return own + object.values.flatMap(references)
  }

  /// Sections that would let an unknown key pass.
  func openSections(in schema: Any) -> Int {
    if let list = schema as? [Any] { return list.map(openSections).reduce(0, +) }
    guard let object = schema as? [String: Any] else { return 0 }
    let isOpen =
      object["properties"] is [String: [String: Any]] && object["additionalProperties"] as? Bool != false
    return (isOpen ? 1 : 0) + object.values.map(openSections).reduce(0, +)
  }
}
