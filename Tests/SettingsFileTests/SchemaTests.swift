import Foundation
import RangingPolicy
import Testing

import Settings
@testable import SettingsFile

/// The schema for editors knows exactly the keys that the reader knows.
@Suite struct SchemaTests {
  /// Comes by every key of every section.
  static let everything = """
    gateway: {}
    broker: { url: mqtts://b }
    keys_file: keys.yaml
    radio: {}
    receivers: [{ name: r }]
    scanners: [{ kind: json, topic: t, fields: {} }]
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
    #expect(definitions["systemConstant"]?["enum"] as? [String] == OSProfile.constants.map(\.name))
    #expect(definitions["strategyConstant"]?["enum"] as? [String] == StrategyProfile.constants.map(\.name))
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
