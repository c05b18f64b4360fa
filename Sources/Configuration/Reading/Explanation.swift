import Beacons
import Contract
import Core
import Phones
import Proximity

/// Describes in plain words what a configuration makes the gateway do. It contains no secrets: keys appear by name only.
package struct Explanation: Hashable, Sendable {
  /// A named item, and sentences about it.
  package struct Item: Hashable, Sendable {
    package var name: String
    package var sentences: [String]
  }

  package var broker: String
  package var radio: String
  package var receivers: [Item]
  package var scanners: [Item]
  package var keys: [String]
  package var beacons: [Item]
  package var zones: [Item]
  /// About the rooms together; nil: there are none.
  package var plan: String?
  package var rooms: [Item]
  package var phones: [Item]
  package var wake: [Item]
  package var homeAssistant: String
  /// nil: there is no server.
  package var http: String?
  /// nil: metrics are off.
  package var metrics: String?
  /// What the diary keeps.
  package var diary: String
  /// nil: no observations are published.
  package var observations: String?
  /// nil: this is one gateway.
  package var fleet: String?

  package init(_ configuration: Configuration) {
    broker = words(configuration.broker)
    radio = words(configuration.radio)
    receivers = configuration.receivers.map { Item(name: $0.name, sentences: [sentence($0)]) }
    scanners = configuration.scanners.map(item)
    keys = configuration.keys.keys.sorted()
    beacons = configuration.beacons.map { Item(name: $0.name, sentences: sentences($0)) }
    let known = configuration.beacons.map(\.name)
    zones = configuration.zones.map { Item(name: $0.name, sentences: sentences($0, known: known)) }
    let plan = RoomExplanation(configuration)
    self.plan = plan.summary
    rooms = plan.items
    phones = configuration.phones.map { Item(name: $0.name, sentences: sentences($0)) }
    wake = configuration.wake.map(items) ?? []
    homeAssistant = sentence(configuration.homeAssistant)
    http = configuration.http.map(sentence)
    let isFleet = configuration.fleet != nil
    metrics = configuration.metrics.map { metrics in
      let file = isFleet ? metrics.file.dropLast(".prom".utf8.count) + "-<worker>.prom" : metrics.file
      return "counters in \(file), every \(Int(metrics.interval.seconds)) s"
    }
    diary =
      configuration.diary.map {
        "what happened is kept on disk for \($0.days) days, in at most \(Measure(.size, Double($0.size)))"
      } ?? "off"
    observations = configuration.publish.observations.map(sentence)
    fleet = configuration.fleet.map(sentence)
  }
}

private func words(_ radio: RadioSettings) -> String {
  let duty =
    switch radio.duty {
    case .full: "listens all the time"
    case .balanced: "listens half the time"
    case .wifiFriendly: "listens a quarter of the time, and leaves the rest to Wi-Fi"
    case .off: "is not used: everything comes over MQTT"
    }
  return duty + (radio.unblocks ? "; an rfkill block is lifted" : "")
}

private func words(_ broker: BrokerSettings) -> String {
  guard case .remote(let remote) = broker else {
    return "a private mosquitto on this machine, which the gateway starts and stops"
  }
  let version = remote.version?.rawValue ?? "5 (3.1.1 with a libmosquitto before 2.0.21)"
  var parts = ["\(remote.host), port \(remote.port)", "MQTT \(version)"]
  if let tls = remote.tls {
    parts.append("encrypted, trusting \(tls.caFile ?? "the authorities that this machine trusts")")
    if let name = tls.serverName { parts.append("whose certificate is for \(name)") }
    if let certificate = tls.certFile { parts.append("with the certificate \(certificate)") }
  } else {
    parts.append("in the clear")
  }
  if let username = remote.username {
    parts.append("as \(quoted(username))\(remote.password == nil ? " without a password" : "")")
  }
  return parts.joined(separator: ", ")
}

private func sentence(_ receiver: ReceiverSettings) -> String {
  let calibration = receiver.calibration
  var parts = ["path-loss exponent \(calibration.exponent)"]
  if let power = calibration.measuredPower {
    parts.append("reads \(Measure(.signal, power)) at 1 m, replacing the value that beacons send")
  }
  if calibration.offset != 0 {
    let side = calibration.offset > 0 ? "stronger" : "weaker"
    parts.append("hears \(Measure(.gain, abs(calibration.offset))) \(side) than usual")
  }
  parts.append("signal fluctuates by \(Measure(.gain, calibration.deviation))")
  if let position = calibration.position {
    let place = [position.x, position.y, position.z].map { "\(Measure(.distance, $0))" }
    parts.append("at \(place.joined(separator: ", "))")
  }
  if let adapter = receiver.adapter { parts.insert("the adapter \(adapter)", at: 0) }
  return parts.joined(separator: ", ")
}

extension Explanation {
  /// For people.
  ///
  /// - Parameters:
  ///   - configuration: the one that is explained.
  ///   - path: its file; nil: it has none.
  package func text(_ configuration: Configuration, path: String? = nil) -> String {
    let topics = configuration.topics
    let withNear = Set(configuration.zones.filter { $0.near != nil }.map(\.name))
    let noZones = configuration.rooms.isEmpty ? "none yet, so nothing will enter or exit" : nil
    var lines = [
      "gateway \(configuration.gatewayName): publishes below \(topics.base)/", "broker: \(broker)",
      "radio: \(radio)",
    ]
    if !keys.isEmpty { lines.append("keys: \(keys.joined(separator: ", "))") }
    lines += Self.section("receivers", receivers) + Self.section("scanners", scanners)
    // To show what scanners hear, the command needs the file.
    let option = path.flatMap { configuration.scanners.isEmpty ? nil : " --config \(shellWord($0))" } ?? ""
    lines += Self.section(
      "beacons", beacons, none: "none yet; `beaconkeeper scan\(option) --yaml` gives lines to paste")
    lines += Self.section("zones", zones, none: noZones) { zone in
      let events = withNear.contains(zone) ? "enter, near, exit" : "enter, exit"
      return "\(topics.transition(zone: zone, event: events)) and occupancy"
    }
    if let plan { lines.append("\nplan: \(plan)") }
    lines += Self.section("rooms", rooms) {
      "\(topics.transition(room: $0, event: "enter, exit")) and occupancy"
    }
    lines += Self.section("phones", phones) {
      "\(topics.window(phone: $0)), verdict and record; in: \(topics.appReport(phone: $0)) and app/seen"
    }
    lines += Self.section("wake regions", wake)
    lines.append("\nhome assistant: \(homeAssistant)")
    for case (let name, let words?) in services { lines.append("\(name): \(words)") }
    return lines.joined(separator: "\n")
  }

  /// - Parameters:
  ///   - none: the text if there are no items.
  ///   - topics: those of an item.
  private static func section(
    _ title: String, _ items: [Item], none: String? = nil, topics: ((String) -> String)? = nil
  ) -> [String] {
    if items.isEmpty { return none.map { ["\n\(title): \($0)"] } ?? [] }
    return ["\n\(title):"]
      + items.map { item in
        let sentences = item.sentences + (topics.map { ["topics: \($0(item.name))"] } ?? [])
        return "  \(item.name): \(sentences.joined(separator: "\n    "))"
      }
  }

  private var services: [(name: String, words: String?)] {
    [
      ("http", http), ("metrics", metrics), ("diary", diary), ("observations", observations),
      ("fleet", fleet),
    ]
  }

  /// For programs: the members of an object.
  package func write(_ configuration: Configuration, into json: inout JSONWriter) {
    json.field("gateway", configuration.gatewayName)
    json.field("topics", configuration.topics.base)
    json.field("broker", broker)
    json.field("radio", radio)
    json.field("home_assistant", homeAssistant)
    for case (let name, let words?) in services + [("plan", plan)] {
      json.key(named: name)
      json.value(words)
    }
    json.array("keys", keys) { $0.value($1) }
    if let wake = configuration.wake { Self.write(wake, into: &json) }
    for (title, items) in [
      ("receivers", receivers), ("scanners", scanners), ("beacons", beacons), ("zones", zones),
      ("rooms", rooms), ("phones", phones), ("wake_regions", wake),
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

  private static func write(_ wake: WakeSettings, into json: inout JSONWriter) {
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
