import Beacons
import Contract
import Core
import Proximity

/// Reads the whole file section by section, and checks references between sections.
struct ConfigurationReader {
  let files: NamedFileReader
  /// The gateway's name if the file has none.
  let defaultName: String
  /// Whether the calibration is about to be written, and therefore not read.
  let calibrates: Bool
  /// Diagnostics in the keys file, whose positions are its own.
  private(set) var keyDiagnostics: Diagnostics?
  /// The file's tree, for its editor.
  private(set) var tree: Node?

  init(_ files: NamedFileReader, defaultName: String, calibrates: Bool = false) {
    self.files = files
    self.defaultName = defaultName
    self.calibrates = calibrates
  }

  /// The configuration as far as it can be read. Use it only if no error was found.
  mutating func read(_ bytes: [UInt8], diagnostics: Diagnostics) -> Configuration {
    var configuration = Configuration(gatewayName: defaultName)
    guard let root = YAMLDocument.read(bytes, diagnostics: diagnostics) else {
      if !diagnostics.hasErrors { diagnostics.warning("the file is empty: all is at its default", at: nil) }
      return configuration
    }
    tree = root.node
    guard let section = root.section() else { return configuration }
    defer { section.finish() }
    if let gateway = section.take("gateway") { readGateway(gateway, into: &configuration) }
    if let value = section.take("broker") {
      configuration.broker = BrokerReader(files: files).read(value) ?? .embedded
    }
    let keys = section.take("keys_file").map { files.keys($0, diagnostics: &keyDiagnostics) } ?? [:]
    configuration.keys = keys ?? [:]

    if let radio = section.take("radio") { configuration.radio = RadioReader().read(radio) }
    let receivers = entries(section.take("receivers"))
    configuration.receivers = receivers.compactMap(ReceiverReader().read)
    refuseTwins(receivers, "receiver")
    let beacons = entries(section.take("beacons"))
    configuration.beacons = beacons.compactMap(BeaconReader(keyNames: keys.map { Set($0.keys) }).read)
    refuseTwins(beacons, "beacon")
    refuseEqualPatterns(beacons, configuration.beacons)
    let scanners = entries(section.take("scanners"))
    let scannerReader = ScannerReader(
      beacons: configuration.beacons, beaconNames: Set(beacons.compactMap(nameOf)),
      root: configuration.topics.root)
    let readScanners = scanners.map(scannerReader.read)
    configuration.scanners = readScanners.compactMap(\.self)
    refuseTwinScanners(scanners, readScanners)
    let (roomNames, origins) = PlanReader(directory: files.directory).read(
      section, receiverEntries: receivers, into: &configuration)
    let zones = entries(section.take("zones"))
    let beaconNames = Set(beacons.compactMap(nameOf))
    let zoneReader = ZoneReader(beaconNames: beaconNames, roomNames: roomNames)
    configuration.zones = zones.compactMap(zoneReader.read)
    refuseTwins(zones, "zone")
    if roomNames.isEmpty { warnOfIdleBeacons(beacons, configuration.zones) }

    var profiles = ProfileReader()
    if let value = section.take("profiles"), !value.isNull { profiles.read(value) }
    configuration.profiles = profiles.settings
    let phones = entries(section.take("phones"))
    let phoneReader = PhoneReader(
      beacons: configuration.beacons, beaconNames: beaconNames, zones: configuration.zones,
      zoneNames: Set(zones.compactMap(nameOf)), profiles: profiles.settings)
    configuration.phones = phones.compactMap(phoneReader.read)
    refuseTwins(phones, "phone")
    if let value = section.take("wake"), !value.isNull {
      let reader = WakeReader(
        beacons: configuration.beacons, receivers: configuration.receivers, profiles: profiles.settings)
      configuration.wake = reader.read(value)
    }
    let fleet = section.take("fleet")
    configuration.telemetry = readTelemetry(section.take("telemetry"), ofFleet: fleet != nil)
    configuration.http = section.take("http").flatMap { HTTPReader(files: files).read($0) }
    configuration.metrics = section.take("metrics").flatMap {
      MetricsReader(directory: files.directory).read($0)
    }
    if let value = section.take("diary") { configuration.diary = DiaryReader().read(value) }
    if let value = fleet {
      configuration.fleet = FleetReader(files: files).read(value)
      FleetReader(files: files).check(value, configuration)
    }
    warnOfPrivateBroker(scanners, configuration)
    if let value = section.take("publish"), !value.isNull {
      configuration.publish = PublishReader().read(value)
      PublishReader().check(value, configuration)
    }
    if let value = section.take("home_assistant") {
      let reader = HomeAssistantReader(
        zoneNames: Set(zones.compactMap(nameOf)), root: configuration.topics.root)
      configuration.homeAssistant = reader.read(value)
      reader.warnOfRooms(value, configuration)
    }
    if !calibrates, !configuration.rooms.isEmpty, let value = section.take("calibration"),
      let path = configuration.calibrationFile
    {
      CalibrationReader(check: files.check).read(value, path: path, into: &configuration)
    }
    UnmeasuredRooms(rooms: origins.rooms).warn(configuration, calibrates: calibrates)
    origins.warnOfStrangers(configuration)
    return configuration
  }

  private func readGateway(_ value: Value, into configuration: inout Configuration) {
    guard let section = value.section(hint: "for example { name: forecourt }") else { return }
    defer { section.finish() }
    section.take("name", into: &configuration.gatewayName, checkedName)
    configuration.stateDirectory = section.take("state_directory").flatMap {
      $0.newPath(in: files.directory)
    }
  }

  private func readTelemetry(_ value: Value?, ofFleet: Bool) -> TelemetrySettings {
    var settings = TelemetrySettings(ofFleet: ofFleet)
    guard let section = value?.section() else { return settings }
    defer { section.finish() }
    let day = TimeSpan.seconds(86400)
    section.take("beacon_state", into: &settings.beaconState) {
      readTime($0, from: .milliseconds(100), upTo: day)
    }
    section.take("health", into: &settings.health) { readTime($0, from: .seconds(1), upTo: day) }
    return settings
  }
}

/// The entries of a list. A list whose entries are all commented out counts as absent.
func entries(_ value: Value?) -> [Value] {
  guard let value, !value.isNull else { return [] }
  return value.list() ?? []
}

/// Reads `receivers:`.
struct ReceiverReader {
  func read(_ value: Value) -> ReceiverSettings? {
    guard let section = value.section(hint: "for example { name: hci0, exponent: 2.2 }") else { return nil }
    defer { section.finish() }
    let name = readName(section)
    let adapter = section.take("adapter").flatMap(readAddress)
    var calibration = Calibration()
    calibration.measuredPower = section.take("measured_power").flatMap(readMeasuredPower)
    section.take("exponent", into: &calibration.exponent) { $0.number(in: 1...6) }
    section.take("offset", into: &calibration.offset) { readGain($0, in: -40...40) }
    section.take("deviation", into: &calibration.deviation) { readGain($0, in: 0.5...20) }
    calibration.position = section.take("position").flatMap(readPosition)
    return name.map { ReceiverSettings(name: $0, adapter: adapter, calibration: calibration) }
  }

  private func readPosition(_ value: Value) -> Position? {
    let hint = "east, north and height, for example [3 m, 0.5 m, 2.2 m]"
    guard let entries = value.list(hint: hint) else { return nil }
    guard (2...3).contains(entries.count) else {
      return value.refused("\(value.name) has \(entries.count) coordinates", hint: hint)
    }
    let metres = entries.compactMap { $0.measure(.distance) }
    guard metres.count == entries.count else { return nil }
    return Position(x: metres[0], y: metres[1], z: metres.count > 2 ? metres[2] : Position.beaconHeight)
  }

  private func readGain(_ value: Value, in range: ClosedRange<Double>) -> Double? {
    guard let gain = value.measure(.gain) else { return nil }
    guard range.contains(gain) else {
      let (low, high) = (Measure(.gain, range.lowerBound), Measure(.gain, range.upperBound))
      return value.refused("\(value.name) cannot be \(Measure(.gain, gain))", hint: "from \(low) to \(high)")
    }
    return gain
  }
}

extension Value {
  /// The absolute path of a file or folder that is created if it is missing. A path that only a shell
  /// understands is refused, because its creation would go unnoticed.
  fileprivate func newPath(in directory: String) -> String? {
    guard let path = text() else { return nil }
    guard let first = path.first, first != "~", first != "$" else {
      return refused("\(quoted(path)) is no path", hint: "write it out, for example /var/lib/beaconkeeper")
    }
    return absolute(path, in: directory)
  }
}

/// Reads `metrics:`.
struct MetricsReader {
  /// The base of relative paths.
  var directory: String

  private static let hint =
    "a file in the folder of node_exporter's textfile collector, for example /var/lib/node_exporter/beaconkeeper.prom"

  func read(_ value: Value) -> MetricsSettings? {
    guard let section = value.section(hint: "for example { file: /var/lib/node_exporter/beaconkeeper.prom }")
    else { return nil }
    defer { section.finish() }
    let interval = section.take("every").flatMap { readTime($0, from: .seconds(1), upTo: .seconds(3600)) }
    guard let file = section.take("file") else { return value.refused("metrics needs file", hint: Self.hint) }
    guard let path = file.newPath(in: directory) else { return nil }
    guard path.hasSuffix(".prom") else {
      return file.refused("the file must end in .prom, or the collector ignores it", hint: Self.hint)
    }
    return MetricsSettings(file: path, interval: interval ?? .seconds(15))
  }
}

/// Reads `diary:`.
struct DiaryReader {
  private static let hint = "off, or for example { days: 30, size: 20 MB }"
  private static let longest = 3650
  /// In octets.
  private static let sizes = 1e6...1e9

  /// nil: it is off.
  func read(_ value: Value) -> DiarySettings? {
    if let word = value.scalar, !value.isNull {
      return readSwitch(value, word, hint: Self.hint) == true ? DiarySettings() : nil
    }
    guard let section = value.section(hint: Self.hint) else { return nil }
    defer { section.finish() }
    var settings = DiarySettings()
    if let days = section.take("days"), let count = days.integer(upTo: Self.longest) {
      if count == 0 { days.error("days cannot be 0", hint: "diary: off keeps nothing") }
      settings.days = max(count, 1)
    }
    if let size = section.take("size"), let octets = size.measure(.size) {
      if Self.sizes.contains(octets) {
        settings.size = Int(octets)
      } else {
        size.error("size cannot be \(Measure(.size, octets))", hint: "from 1 MB to 1 GB")
      }
    }
    return settings
  }
}

/// Reads `radio:`.
struct RadioReader {
  func read(_ value: Value) -> RadioSettings {
    var settings = RadioSettings()
    guard let section = value.section(hint: "for example { duty: full }") else { return settings }
    defer { section.finish() }
    section.take("duty", into: &settings.duty) { readChoice($0) }
    section.take("unblock", into: &settings.unblocks, readFlag)
    return settings
  }
}

/// Checks for errors that only show in combination.

func nameOf(_ entry: Value) -> String? { entry.node["name"]?.scalar }

private func namePosition(_ entry: Value) -> Diagnostic.Position {
  entry.node["name"]?.position ?? entry.position
}

/// Reports two entries with the same name.
func refuseTwins(_ entries: [Value], _ kind: String) {
  var lines: [String: Int] = [:]
  for entry in entries {
    guard let name = nameOf(entry) else { continue }
    let position = namePosition(entry)
    if let line = lines[name] {
      entry.diagnostics.error(
        "the \(kind) \(quoted(name)) is there already, on line \(line)", at: position,
        hint: "every \(kind) has a name of its own")
    } else {
      lines[name] = position.line
    }
  }
}

private struct Identity: Hashable {
  var pattern: BeaconPattern
  var key: String?
}

/// Reports two names for the same beacon, and a name that a region gives to one of its members.
func refuseEqualPatterns(_ entries: [Value], _ beacons: [BeaconSettings]) {
  var positions: [String: Diagnostic.Position] = [:]
  for entry in entries {
    if let name = nameOf(entry), positions[name] == nil { positions[name] = namePosition(entry) }
  }
  guard let diagnostics = entries.first?.diagnostics else { return }
  let regions = Set(beacons.filter(\.pattern.isRegion).map(\.name))
  var names: [Identity: String] = [:]
  for beacon in beacons {
    let identity = Identity(pattern: beacon.pattern, key: beacon.identityKey)
    let position = positions[beacon.name]
    if let other = names[identity], other != beacon.name {
      diagnostics.error(
        "\(quoted(beacon.name)) and \(quoted(other)) are the same beacon", at: position,
        hint: "keep one of them")
    }
    names[identity] = beacon.name
    if let colon = beacon.name.firstIndex(of: ":"), regions.contains(String(beacon.name[..<colon])) {
      diagnostics.error(
        "\(quoted(beacon.name)) may be a member of the region \(quoted(String(beacon.name[..<colon])))",
        at: position, hint: "give it a name without a colon")
    }
  }
}

/// Warns of beacons that no zone watches: their state is published, but they never cause a zone event.
func warnOfIdleBeacons(_ entries: [Value], _ zones: [ZoneSettings]) {
  // An unreadable zone or name might be the one that watches it.
  guard entries.first?.diagnostics.hasErrors == false, !zones.isEmpty,
    !zones.contains(where: { $0.beacons == nil })
  else {
    return
  }
  let watched = Set(zones.flatMap { $0.beacons ?? [] })
  for entry in entries {
    guard let name = nameOf(entry), !watched.contains(name) else { continue }
    entry.diagnostics.warning(
      "no zone watches the beacon \(quoted(name))", at: namePosition(entry),
      hint: "add it to the beacons of a zone, unless its readings are all that you want")
  }
}
