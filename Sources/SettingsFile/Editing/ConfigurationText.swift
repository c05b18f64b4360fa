import Beacons
import Messages
import Proximity
import Settings

/// A configuration as text, which can be changed without losing anything that people wrote into it.
///
/// Every changed text is read again, and returned only if it means exactly the wanted configuration.
public struct ConfigurationText: Sendable {
  public let bytes: [UInt8]
  private let path: String
  private let environment: [String: String]
  private let hostName: String

  /// - Parameter path: where the file is; relative paths in it start at its folder.
  public init(_ bytes: [UInt8], path: String, environment: [String: String], hostName: String) {
    self.bytes = bytes
    self.path = path
    self.environment = environment
    self.hostName = hostName
  }

  /// A changed text.
  public struct Changed: Hashable, Sendable {
    public var bytes: [UInt8]
    /// What it means.
    public var configuration: Configuration
    /// The lines of the changed entries.
    public var lines: String
  }

  /// A hash of the content. A client that changes the file names the revision it saw. This guards against accidents, not
  /// against forgery.
  public static func revision(of bytes: [UInt8]) -> String {
    var hash = FNV1a()
    hash.combine(bytes.span)
    return hexadecimal(hash.value, octets: 16)
  }

  public var revision: String { Self.revision(of: bytes) }

  /// Gives the zone of this name these rules: `near`, `enter`, `exit` and `lost`, and these receivers their exponents and offsets.
  /// Everything else of them stays.
  public func changing(_ wanted: ZoneSettings, receivers: [ReceiverSettings] = []) throws(EditRefusal)
    -> Changed
  {
    let yaml = zonesYAML([wanted]) + receiversYAML(receivers)
    let current = try current(yaml: yaml)
    guard let place = current.zones.firstIndex(where: { $0.name == wanted.name }) else {
      throw EditRefusal("there is no zone \(quoted(wanted.name)) in the file", yaml: yaml)
    }
    return try changed(yaml) { () throws(Unsupported) in
      let node = try entry(wanted.name, of: "zones", in: bytes)
      let plan = try ZoneChangePlan(from: current.zones[place], to: wanted, in: node)
      let source = SourceText(bytes)
      var edits = try ZoneEditor(source, node, plan).edits()
      var meant = current
      meant.zones[place] = plan.result
      for phone in meant.phones.indices { meant.phones[phone].follow(meant.zones) }
      try ReceiverEditor(source, root(of: bytes)).change(receivers, in: &meant, &edits)
      return (edits, meant, [("zones", wanted.name)] + receivers.map { ("receivers", $0.name) })
    }
  }

  /// Adds an entry to `beacons:`. A device that is known by an identity resolving key cannot be added, as its key has to be
  /// put into the keys file.
  public func adding(beacon name: String, _ pattern: BeaconPattern) throws(EditRefusal) -> Changed {
    guard pattern != .resolvingKey else {
      throw EditRefusal(
        "a device with an identity resolving key is not added here", remedy: "put its key into keys_file")
    }
    let yaml = "beacons:\n  - name: \(yamlScalar(name))\n    \(pattern.yaml)\n"
    var meant = try current(yaml: yaml)
    meant.beacons.append(BeaconSettings(name: name, pattern: pattern))
    return try changed(yaml) { () throws(Unsupported) in
      var edits = TextEdits()
      let entry = ["name: \(yamlScalar(name))", pattern.yaml]
      try EntryAppender(SourceText(bytes), root(of: bytes), "beacons").add([entry], &edits)
      return (edits, meant, [("beacons", name)])
    }
  }

  // MARK: Reading again

  private typealias Edit = (
    edits: TextEdits, meant: Configuration, entries: [(list: String, name: String)]
  )

  private func changed(_ yaml: String, _ edit: () throws(Unsupported) -> Edit) throws(EditRefusal) -> Changed
  {
    do throws(Unsupported) {
      let edit = try edit()
      guard let bytes = edit.edits.applied(to: bytes) else { throw Unsupported("it is written unusually") }
      let configuration: Configuration
      do throws(ConfigurationErrors) { configuration = try load(bytes) } catch {
        let first = error.diagnostics.first { $0.severity == .error }?.message ?? "it is not valid"
        throw Unsupported("the file would have errors: \(first)", diagnostics: error.diagnostics)
      }
      guard configuration == edit.meant else {
        throw Unsupported("as the file is written, the change would mean something else")
      }
      let source = SourceText(bytes)
      var lines = ""
      for entry in edit.entries {
        lines += source.lines(of: try self.entry(entry.name, of: entry.list, in: bytes))
      }
      return Changed(bytes: bytes, configuration: configuration, lines: lines)
    } catch {
      throw EditRefusal(
        "this cannot be changed here: \(error.reason)", remedy: "edit the file by hand; the lines are below",
        diagnostics: error.diagnostics, yaml: yaml)
    }
  }

  private func current(yaml: String) throws(EditRefusal) -> Configuration {
    do throws(ConfigurationErrors) { return try load(bytes) } catch {
      throw EditRefusal(
        "the file has errors as it is", remedy: "correct them first", diagnostics: error.diagnostics,
        yaml: yaml)
    }
  }

  private func load(_ bytes: [UInt8]) throws(ConfigurationErrors) -> Configuration {
    try Configuration.read(
      bytes, path: path, environment: environment, hostName: hostName, connects: false
    ).configuration
  }

  private func root(of bytes: [UInt8]) throws(Unsupported) -> Node? {
    let diagnostics = Diagnostics(file: path)
    let root = YAMLDocument.read(bytes, diagnostics: diagnostics)
    guard !diagnostics.hasErrors else { throw Unsupported("it is not valid YAML") }
    return root?.node
  }

  private func entry(_ name: String, of list: String, in bytes: [UInt8]) throws(Unsupported) -> Node {
    guard case .list(let entries)? = try root(of: bytes)?[list]?.content,
      let entry = entries.first(where: { $0["name"]?.scalar == name })
    else { throw Unsupported("its entry is not found") }
    return entry
  }
}

extension ConfigurationText {
  /// Names the calibration of rooms, which the configuration did not.
  ///
  /// - Parameter file: beside the configuration; it must be there.
  public func adding(calibration file: String) throws(EditRefusal) -> Changed {
    let line = "calibration: \(yamlScalar(file))"
    do throws(Unsupported) {
      guard let root = try self.root(of: bytes), case .mapping(let pairs) = root.content,
        let last = pairs.last
      else {
        throw Unsupported("the file is no mapping")
      }
      guard root["calibration"] == nil else { throw Unsupported("it has a calibration") }
      let source = SourceText(bytes)
      guard !source.isFlow(root), root.position.column == 1 else {
        throw Unsupported("it is written unusually")
      }
      try MappingEditor.refuseBlockText(source, at: last.value)
      let isEnded = bytes.last == UInt8(ascii: "\n")
      var edits = TextEdits()
      edits.insert((isEnded ? "" : source.lineEnd) + line + source.lineEnd, at: bytes.count)
      guard let changed = edits.applied(to: bytes) else { throw Unsupported("it is written unusually") }
      let (before, after): (Configuration, Configuration)
      do throws(ConfigurationErrors) { (before, after) = (try load(bytes), try load(changed)) } catch {
        throw Unsupported("the file would have errors", diagnostics: error.diagnostics)
      }
      var meant = before
      meant.calibrationFile = after.calibrationFile
      meant.roomCalibration = after.roomCalibration
      meant.calibrationAccount = after.calibrationAccount
      guard after == meant, after.roomCalibration != nil else {
        throw Unsupported("as the file is written, the line would mean something else")
      }
      return Changed(bytes: changed, configuration: after, lines: line + "\n")
    } catch {
      throw EditRefusal(
        "this cannot be changed here: \(error.reason)", remedy: "edit the file by hand; the line is below",
        diagnostics: error.diagnostics, yaml: line + "\n")
    }
  }
}

extension SourceText {
  /// The whole lines on which a node stands.
  fileprivate func lines(of node: Node) -> String {
    let start = startOfLine(range(of: node).lowerBound)
    return text(start..<endOfLine(end(of: node))) + "\n"
  }
}
