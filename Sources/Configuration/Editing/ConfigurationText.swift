import Beacons
import Contract
import Core
import Proximity

/// A configuration as text, which can be changed without losing anything that users wrote into it.
///
/// Every changed text is read again, and returned only if it means exactly the wanted configuration. A change reads both texts
/// once; the result of the second reading is the configuration to use.
package struct ConfigurationText: Sendable {
  package let bytes: [UInt8]
  private let path: String
  private let environment: [String: String]
  private let hostName: String
  private let connects: Bool
  private let content: Result<(loaded: Configuration.Loaded, tree: Node?), ConfigurationErrors>

  /// - Parameters:
  ///   - path: the file; relative paths in it start at its folder.
  ///   - connects: whether the broker's password is needed; if not, its absence is only a warning.
  package init(
    _ bytes: [UInt8], path: String, environment: [String: String], hostName: String, connects: Bool = false
  ) {
    self.bytes = bytes
    self.path = path
    self.environment = environment
    self.hostName = hostName
    self.connects = connects
    let files = NamedFileReader(environment: environment, directory: folder(of: path), connects: connects)
    content = Result { () throws(ConfigurationErrors) in
      try Configuration.readTree(bytes, path: path, files, hostName: hostName, calibrates: false)
    }
  }

  /// The configuration in the text.
  package func loaded() throws(ConfigurationErrors) -> Configuration.Loaded { try content.get().loaded }

  /// A changed text.
  package struct Changed: Hashable, Sendable {
    package var bytes: [UInt8]
    /// The configuration in it.
    package var loaded: Configuration.Loaded
    /// The lines of the changed entries.
    package var lines: String

    package var configuration: Configuration { loaded.configuration }
  }

  /// A hash of the content. A client that changes the file names the revision it saw. This guards against accidents, not
  /// against forgery.
  package static func revision(of bytes: [UInt8]) -> String {
    var hash = FNV1a()
    hash.combine(bytes.span)
    return hexadecimal(hash.value, octets: 16)
  }

  package var revision: String { Self.revision(of: bytes) }

  /// Sets the rules of the zone with this name (`near`, `enter`, `exit` and `lost`), and the exponents and offsets of these
  /// receivers. Everything else stays.
  package func changing(_ wanted: ZoneSettings, receivers: [ReceiverSettings] = []) throws(EditRefusal)
    -> Changed
  {
    let yaml = zonesYAML([wanted]) + receiversYAML(receivers)
    let (current, tree) = try current(yaml: yaml)
    guard let place = current.zones.firstIndex(where: { $0.name == wanted.name }) else {
      throw EditRefusal("there is no zone \(quoted(wanted.name)) in the file", yaml: yaml)
    }
    return try changed(yaml) { () throws(Unsupported) in
      let node = try Self.entry(wanted.name, of: "zones", in: tree)
      let plan = try ZoneChangePlan(from: current.zones[place], to: wanted, in: node)
      let source = SourceText(bytes)
      var edits = try ZoneEditor(source, node, plan).edits()
      var meant = current
      meant.zones[place] = plan.result
      for phone in meant.phones.indices { meant.phones[phone].follow(meant.zones) }
      try ReceiverEditor(source, tree).change(receivers, in: &meant, &edits)
      return (
        try replacing(edits), { [meant] in $0 == meant },
        [("zones", wanted.name)] + receivers.map { ("receivers", $0.name) }
      )
    }
  }

  /// Adds an entry to `beacons:`. A device that is known by an identity resolving key cannot be added, as its key has to be
  /// put into the keys file.
  package func adding(beacon name: String, _ pattern: BeaconPattern) throws(EditRefusal) -> Changed {
    guard pattern != .resolvingKey else {
      throw EditRefusal(
        "a device with an identity resolving key is not added here", remedy: "put its key into keys_file")
    }
    let yaml = "beacons:\n  - name: \(yamlScalar(name))\n    \(pattern.yaml)\n"
    var (meant, tree) = try current(yaml: yaml)
    meant.beacons.append(BeaconSettings(name: name, pattern: pattern))
    return try changed(yaml) { () throws(Unsupported) in
      var edits = TextEdits()
      let entry = ["name: \(yamlScalar(name))", pattern.yaml]
      try EntryAppender(SourceText(bytes), tree, "beacons").add([entry], &edits)
      return (try replacing(edits), { [meant] in $0 == meant }, [("beacons", name)])
    }
  }

  /// Changes what is said about a beacon: the name of a member of a region, the owner, the icon. nil removes
  /// it.
  ///
  /// - Parameter beacon: as it is published: `key`, `fleet:1.1`.
  package func saying(_ wanted: [BeaconWord: String?], of beacon: String) throws(EditRefusal) -> Changed {
    var changed = try unchanged()
    for word in BeaconWord.allCases {
      guard let said = wanted[word] else { continue }
      changed = try text(changed.bytes).saying(word, said, of: beacon)
    }
    return changed
  }

  private func unchanged() throws(EditRefusal) -> Changed {
    do throws(ConfigurationErrors) { return Changed(bytes: bytes, loaded: try loaded(), lines: "") } catch {
      throw EditRefusal(
        "the file has errors as it is", remedy: "correct them first", diagnostics: error.diagnostics)
    }
  }

  private func saying(_ word: BeaconWord, _ said: String?, of beacon: String) throws(EditRefusal) -> Changed {
    var (meant, tree) = try current(yaml: nil)
    let isMember = { (one: BeaconSettings) in one.pattern.isRegion && beacon.hasPrefix(one.name + ":") }
    let place = meant.beacons.firstIndex { isMember($0) || (word != .name && $0.name == beacon) }
    guard let place, case let entryName = meant.beacons[place].name else {
      guard word == .name else { throw EditRefusal("there is no beacon \(quoted(beacon)) in the file") }
      throw EditRefusal(
        "\(quoted(beacon)) is no member of a region: its name is the one that zones and MQTT topics use",
        remedy: "change it in the file, where zones name it too")
    }
    let member = isMember(meant.beacons[place]) ? String(beacon.dropFirst(entryName.count + 1)) : nil
    if let member {
      meant.beacons[place][members: word][member] = said
    } else {
      meant.beacons[place][word] = said
    }
    let same = try unchanged()
    guard meant != same.configuration else { return same }
    return try changed(nil) { () throws(Unsupported) in
      var edits = TextEdits()
      let entry = try MappingEditor(SourceText(bytes), try Self.entry(entryName, of: "beacons", in: tree))
      if let member {
        try entry.put(
          member, said, in: word.ofMembers, isLast: meant.beacons[place][members: word].isEmpty, &edits)
      } else if let said {
        try entry.put(word.rawValue, flow: yamlScalar(said, isQuoted: entry.isJSON), after: nil, &edits)
      } else {
        try entry.remove(word.rawValue, &edits)
      }
      return (try replacing(edits), { [meant] in $0 == meant }, [])
    }
  }

  /// The keys file that the text names, as an absolute path; nil: none.
  package var keysFile: String? {
    guard let text = (try? content.get())?.tree?["keys_file"]?.scalar else { return nil }
    return absolute(text, in: folder(of: path), environment)
  }

  /// The file to which keys are added: the one that the text names, or else one beside it.
  package var keysPlace: String { keysFile ?? folderPrefix(of: path) + "keys.yaml" }

  /// Whether the keys come from systemd, which reads them from a file of root's.
  package var keysAreCredential: Bool {
    guard let keysFile else { return false }
    return isCredential(keysFile)
      || environment["CREDENTIALS_DIRECTORY"].map { keysFile.hasPrefix($0 + "/") } ?? false
  }

  /// A keys file as the text names it: by its name alone if it is beside it.
  package func entry(ofKeys keys: String) -> String {
    let folder = folderPrefix(of: path)
    return folderPrefix(of: keys) == folder ? String(keys.dropFirst(folder.count)) : keys
  }

  /// Adds a device that is known by an identity resolving key to `beacons:`, and `keys_file` if it is missing.
  ///
  /// - Parameter keysFile: a file beside the configuration that has a key with the device's name.
  package func adding(device name: String, keysFile: String) throws(EditRefusal) -> Changed {
    let text = self.keysFile == nil ? try adding(keysFile: keysFile) : self
    let yaml = Self.deviceYAML(name)
    var (meant, tree) = try text.current(yaml: yaml)
    meant.beacons.append(BeaconSettings(name: name, pattern: .resolvingKey, identityKey: name))
    return try text.changed(yaml) { () throws(Unsupported) in
      var edits = TextEdits()
      let entry = ["name: \(yamlScalar(name))", "irk: \(yamlScalar(name))"]
      try EntryAppender(SourceText(text.bytes), tree, "beacons").add([entry], &edits)
      return (try text.replacing(edits), { [meant] in $0 == meant }, [("beacons", name)])
    }
  }

  /// Adds a line to the mapping of the whole file, at its end.
  func appending(_ line: String, to tree: Node?) throws(Unsupported) -> ConfigurationText {
    guard let root = tree, case .mapping(let pairs) = root.content, let last = pairs.last else {
      throw Unsupported("the file is no mapping")
    }
    let source = SourceText(bytes)
    guard !source.isFlow(root), root.position.column == 1 else {
      throw Unsupported("it is written unusually")
    }
    try MappingEditor.refuseBlockText(source, at: last.value)
    var edits = TextEdits()
    let isEnded = bytes.last == UInt8(ascii: "\n")
    edits.insert((isEnded ? "" : source.lineEnd) + line + source.lineEnd, at: bytes.count)
    return try replacing(edits)
  }

  private func adding(keysFile: String) throws(EditRefusal) -> ConfigurationText {
    let line = "keys_file: \(yamlScalar(keysFile))"
    let (before, tree) = try current(yaml: line + "\n")
    let changed = try changed(line + "\n") { () throws(Unsupported) in
      (
        try appending(line, to: tree),
        { after in
          var meant = before
          meant.keys = after.keys
          return after == meant
        }, []
      )
    }
    return text(changed.bytes)
  }

  /// The entry of a device that is known by the key with its name.
  package static func deviceYAML(_ name: String) -> String {
    "beacons:\n  - { name: \(yamlScalar(name)), irk: \(yamlScalar(name)) }\n"
  }

  /// Puts a drawn plan into the file: its rooms, its doors, and the places of receivers. Text of unchanged things stays as it is.
  /// Zones follow rooms that were renamed.
  package func changing(_ drawn: DrawnPlan) throws(EditRefusal) -> Changed {
    let (current, _) = try current(yaml: nil)
    var drawn = drawn
    drawn.put(on: current.floors)
    if let fault = drawn.fault(over: current) { throw EditRefusal(fault) }
    return try changed(nil) { () throws(Unsupported) in
      let bytes = try PlanEditor(drawn, over: current).edited(bytes)
      return (text(bytes), { [drawn] in drawn.isMeant(by: $0, instead: current) }, [])
    }
  }

  // MARK: Reading again

  typealias Edit = (
    text: ConfigurationText, isMeant: (Configuration) -> Bool, entries: [(list: String, name: String)]
  )

  func changed(_ yaml: String?, _ edit: () throws(Unsupported) -> Edit) throws(EditRefusal) -> Changed {
    do throws(Unsupported) {
      let edit = try edit()
      let text = edit.text
      let content: (loaded: Configuration.Loaded, tree: Node?)
      do throws(ConfigurationErrors) { content = try text.content.get() } catch {
        let first = error.diagnostics.first { $0.severity == .error }?.message ?? "it is not valid"
        throw Unsupported("the file would have errors: \(first)", diagnostics: error.diagnostics)
      }
      guard edit.isMeant(content.loaded.configuration) else {
        throw Unsupported("as the file is written, the change would mean something else")
      }
      let source = SourceText(text.bytes)
      var lines = ""
      for entry in edit.entries {
        lines += source.lines(of: try Self.entry(entry.name, of: entry.list, in: content.tree))
      }
      return Changed(bytes: text.bytes, loaded: content.loaded, lines: lines)
    } catch {
      // What is wrong with the values may be put right where they were typed.
      let hint = error.diagnostics.first { $0.severity == .error }?.hint
      let byHand = yaml == nil ? "edit the file by hand" : "edit the file by hand; the lines are below"
      throw EditRefusal(
        "this cannot be changed here: \(error.reason)", remedy: hint ?? byHand,
        diagnostics: error.diagnostics, yaml: yaml)
    }
  }

  func replacing(_ edits: TextEdits) throws(Unsupported) -> ConfigurationText {
    guard let bytes = edits.applied(to: bytes) else { throw Unsupported("it is written unusually") }
    return text(bytes)
  }

  private func text(_ bytes: [UInt8]) -> ConfigurationText {
    ConfigurationText(bytes, path: path, environment: environment, hostName: hostName, connects: connects)
  }

  func current(yaml: String?) throws(EditRefusal) -> (configuration: Configuration, tree: Node?) {
    do throws(ConfigurationErrors) {
      let content = try content.get()
      return (content.loaded.configuration, content.tree)
    } catch {
      throw EditRefusal(
        "the file has errors as it is", remedy: "correct them first", diagnostics: error.diagnostics,
        yaml: yaml)
    }
  }

  private static func entry(_ name: String, of list: String, in tree: Node?) throws(Unsupported) -> Node {
    guard case .list(let entries)? = tree?[list]?.content,
      let entry = entries.first(where: { $0["name"]?.scalar == name })
    else { throw Unsupported("its entry is not found") }
    return entry
  }
}

extension ConfigurationText {
  /// Adds `calibration:` to a configuration without it.
  ///
  /// - Parameter file: an existing file beside the configuration.
  package func adding(calibration file: String) throws(EditRefusal) -> Changed {
    let line = "calibration: \(yamlScalar(file))"
    do throws(Unsupported) {
      let before: Configuration
      let tree: Node?
      do throws(EditRefusal) { (before, tree) = try current(yaml: line + "\n") } catch {
        throw Unsupported("the file has errors as it is", diagnostics: error.diagnostics)
      }
      guard tree?["calibration"] == nil else { throw Unsupported("it has a calibration") }
      let text = try appending(line, to: tree)
      let after: Configuration.Loaded
      do throws(ConfigurationErrors) { after = try text.loaded() } catch {
        throw Unsupported("the file would have errors", diagnostics: error.diagnostics)
      }
      var meant = before
      meant.calibrationFile = after.configuration.calibrationFile
      meant.roomCalibration = after.configuration.roomCalibration
      meant.calibrationAccount = after.configuration.calibrationAccount
      guard after.configuration == meant, meant.roomCalibration != nil else {
        throw Unsupported("as the file is written, the line would mean something else")
      }
      return Changed(bytes: text.bytes, loaded: after, lines: line + "\n")
    } catch {
      throw EditRefusal(
        "this cannot be changed here: \(error.reason)", remedy: "edit the file by hand; the line is below",
        diagnostics: error.diagnostics, yaml: line + "\n")
    }
  }
}

extension SourceText {
  /// The complete lines of a node.
  fileprivate func lines(of node: Node) -> String {
    let start = startOfLine(range(of: node).lowerBound)
    return text(start..<endOfLine(end(of: node))) + "\n"
  }
}

/// Why a configuration's text is not changed, in plain words.
package struct EditRefusal: Error, Hashable, Sendable, CustomStringConvertible {
  package var reason: String
  package var remedy: String?
  /// The messages of `check` about the file, or about the changed file.
  package var diagnostics: [Diagnostic]
  /// The lines to paste; nil: they would not be valid anywhere.
  package var yaml: String?

  package init(
    _ reason: String, remedy: String? = nil, diagnostics: [Diagnostic] = [], yaml: String? = nil
  ) {
    self.reason = reason
    self.remedy = remedy
    self.diagnostics = diagnostics
    self.yaml = yaml
  }

  package var description: String { remedy.map { "\(reason): \($0)" } ?? reason }
}

/// A part of YAML that the editor leaves to people.
struct Unsupported: Error {
  var reason: String
  /// The messages that `check` would have for the changed file.
  var diagnostics: [Diagnostic]

  init(_ reason: String, diagnostics: [Diagnostic] = []) {
    self.reason = reason
    self.diagnostics = diagnostics
  }
}
