import JSON
import ArgumentParser
import Settings
import SettingsFile
import Messages
import Beacons
import WakePlanner

struct CheckCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "check",
    abstract: "Validates a configuration and explains what happens in each zone.",
    discussion: """
      All errors are reported together, each with its position and a likely fix. Keys and passwords are never shown. \
      Without --config, check reads the file that `run` would read. Exit status: 0 if it is valid, 78 if not.

      EXAMPLES
        beaconkeeper check --config /etc/beaconkeeper/beaconkeeper.yaml
        beaconkeeper check site.yaml --json | jq .diagnostics
      """)

  @OptionGroup var source: ConfigurationOption
  @Argument(help: ArgumentHelp("The configuration, instead of --config.", valueName: "file"))
  var file: String?
  @Flag(help: "Print one JSON object instead of text.")
  var json = false

  func validate() throws {
    if let config = source.config, let file {
      throw ValidationError("Name one file, not both \(config) and \(file).")
    }
  }

  func run() throws {
    let path = file ?? source.path
    let loaded: Configuration.Loaded?
    do throws(ConfigurationErrors) {
      loaded = try path.map { path throws(ConfigurationErrors) in
        try Configuration.load(path: path, connects: false)
      }
    } catch {
      if json {
        try tell(Report(path: path, diagnostics: error.diagnostics, configuration: nil).text)
      } else {
        say("\(error)")
        say("\n\(path ?? ""): not usable, \(count(error.diagnostics))")
      }
      throw ExitCode(ConfigurationErrors.exitCode)
    }
    let configuration = loaded?.configuration ?? .builtIn()
    let warnings = loaded?.warnings ?? []
    if json {
      try tell(Report(path: path, diagnostics: warnings, configuration: configuration).text)
    } else {
      for warning in warnings { say("\(warning)") }
      try explain(configuration)
      try tell("\n\(path ?? "built-in configuration"): usable, \(count(warnings))")
    }
  }

  private func explain(_ configuration: Configuration) throws(ExitCode) {
    let explanation = Explanation(configuration)
    let topics = Topics(gateway: configuration.gatewayName)
    try tell("gateway \(configuration.gatewayName): publishes below \(topics.base)/")
    try tell("broker: \(explanation.broker)")
    try tell("radio: \(explanation.radio)")
    if !explanation.keys.isEmpty { try tell("keys: \(explanation.keys.joined(separator: ", "))") }
    try show("receivers", explanation.receivers)
    try show("scanners", explanation.scanners)
    try show(
      "beacons", explanation.beacons, none: "none yet; `beaconkeeper scan --yaml` gives lines to paste")
    let withNear = Set(configuration.zones.filter { $0.near != nil }.map(\.name))
    let noZones = configuration.rooms.isEmpty ? "none yet, so nothing will enter or exit" : nil
    try show("zones", explanation.zones, none: noZones) { zone in
      let events = withNear.contains(zone) ? "enter, near, exit" : "enter, exit"
      return "\(topics.transition(zone: zone, event: events)) and occupancy"
    }
    if let plan = explanation.plan { try tell("\nplan: \(plan)") }
    try show("rooms", explanation.rooms) { room in
      "\(topics.transition(room: room, event: "enter, exit")) and occupancy"
    }
    try show("phones", explanation.phones) { phone in
      "\(topics.window(phone: phone)) and verdict; in: \(topics.appReport(phone: phone))"
    }
    try show("wake regions", explanation.wake)
    try tell("\nhome assistant: \(explanation.homeAssistant)")
    if let http = explanation.http { try tell("http: \(http)") }
    if let metrics = explanation.metrics { try tell("metrics: \(metrics)") }
    if let observations = explanation.observations { try tell("observations: \(observations)") }
    if let fleet = explanation.fleet { try tell("fleet: \(fleet)") }
  }

  /// - Parameters:
  ///   - none: the text if there are no items.
  ///   - topics: those of an item.
  private func show(
    _ title: String, _ items: [Explanation.Item], none: String? = nil, topics: ((String) -> String)? = nil
  ) throws(ExitCode) {
    if items.isEmpty {
      if let none { try tell("\n\(title): \(none)") }
      return
    }
    try tell("\n\(title):")
    for item in items {
      let sentences = item.sentences + (topics.map { ["topics: \($0(item.name))"] } ?? [])
      try tell("  \(item.name): \(sentences.joined(separator: "\n    "))")
    }
  }

  private func count(_ diagnostics: [Diagnostic]) -> String {
    let errors = diagnostics.count { $0.severity == .error }
    let warnings = diagnostics.count - errors
    return "\(errors) error\(errors == 1 ? "" : "s"), \(warnings) warning\(warnings == 1 ? "" : "s")"
  }
}

/// The output of `check --json`.
private struct Report {
  var path: String?
  var diagnostics: [Diagnostic]
  var configuration: Configuration?

  var text: String {
    let bytes = JSONWriter.object { json in
      json.field("usable", configuration != nil)
      if let path { json.field("file", path) }
      json.field("errors", diagnostics.count { $0.severity == .error })
      json.field("warnings", diagnostics.count { $0.severity == .warning })
      json.objects("diagnostics", diagnostics) { json, diagnostic in
        json.field("severity", diagnostic.severity.rawValue)
        json.field("file", diagnostic.file)
        if let position = diagnostic.position {
          json.field("line", position.line)
          json.field("column", position.column)
        }
        json.field("message", diagnostic.message)
        if let hint = diagnostic.hint { json.field("hint", hint) }
      }
      if let configuration { explain(configuration, in: &json) }
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  private func explain(_ configuration: Configuration, in json: inout JSONWriter) {
    let explanation = Explanation(configuration)
    json.field("gateway", configuration.gatewayName)
    json.field("topics", Topics(gateway: configuration.gatewayName).base)
    json.field("broker", explanation.broker)
    json.field("radio", explanation.radio)
    json.field("home_assistant", explanation.homeAssistant)
    if let http = explanation.http { json.field("http", http) }
    if let metrics = explanation.metrics { json.field("metrics", metrics) }
    if let observations = explanation.observations { json.field("observations", observations) }
    if let fleet = explanation.fleet { json.field("fleet", fleet) }
    if let plan = explanation.plan { json.field("plan", plan) }
    json.array("keys", explanation.keys) { $0.value($1) }
    if let wake = configuration.wake { write(wake, in: &json) }
    for (title, items) in [
      ("receivers", explanation.receivers), ("scanners", explanation.scanners),
      ("beacons", explanation.beacons), ("zones", explanation.zones), ("rooms", explanation.rooms),
      ("phones", explanation.phones), ("wake_regions", explanation.wake),
    ] {
      json.key(named: title)
      json.array(items) { json, item in
        json.object { json in
          json.field("name", item.name)
          json.array("explained", item.sentences) { $0.value($1) }
        }
      }
    }
  }

  private func write(_ wake: WakeSettings, in json: inout JSONWriter) {
    json.object("wake") { json in
      json.field("uuid", uuidText(wake.regions.uuid))
      json.field("major", wake.regions.major)
      json.array("minors", Array(wake.regions.minors)) { $0.value($1) }
      json.field("period_s", Double(wake.plan.period) / 1000, decimals: 3)
      json.objects("broadcasts", wake.plan.broadcasts) { json, broadcast in
        json.field("region", broadcast.region + 1)
        json.field("start_s", Double(broadcast.start) / 1000, decimals: 3)
        json.field("duration_s", Double(broadcast.duration) / 1000, decimals: 3)
      }
    }
  }
}
