import Beacons
import Contract
import Core
import Proximity

/// A configuration that is being put together, answer by answer.
package struct Draft: Hashable, Sendable {
  package enum Broker: Hashable, Sendable {
    case embedded
    case remote(Remote)
  }

  package struct Remote: Hashable, Sendable {
    package var url: String
    package var username: String?
    /// As the configuration has it: a path, or a credential of the service.
    package var passwordFile: String?
    package var caFile: String?
    /// The name in the broker's certificate; nil: that of the URL.
    package var serverName: String?

    package init(url: String, caFile: String? = nil) {
      self.url = url
      self.caFile = caFile
    }
  }

  package struct Beacon: Hashable, Sendable {
    package var name: String
    package var pattern: BeaconPattern
    /// Signal in dBm when it was chosen.
    package var signal: Int?
  }

  package struct Zone: Hashable, Sendable {
    package var name: String
    /// nil: any signal is inside.
    package var enter: Limit?
  }

  /// The limit of a zone, as the user wrote it: `-70 dBm`, `3m`.
  package struct Limit: Hashable, Sendable {
    package enum Kind: String, Hashable, Sendable {
      case signal, distance
    }

    package var text: String
    /// nil: the unit decides.
    package var kind: Kind?

    package init(_ text: String, _ kind: Kind? = nil) {
      self.text = text
      self.kind = kind
    }
  }

  package struct Room: Hashable, Sendable {
    package var name: String
    package var receiver: String
  }

  /// Who may look at the dashboard.
  package enum Page: String, Hashable, Sendable {
    case here, everywhere, off
  }

  package static let pagePort = 8099

  package var gateway: String
  package var broker: Broker
  package var page = Page.off
  /// As the configuration has it.
  package var pagePasswordFile: String?
  /// The same for the password for changes; nil: the page only shows.
  package var writePasswordFile: String?
  /// Scanners that publish to the broker.
  package var scanners: [FoundScanner] = []
  /// Whether this machine listens itself.
  package var usesRadio = true
  package var rooms: [Room] = []
  package var beacons: [Beacon]
  package var zone: Zone?
  /// The path of the file, as its user names it.
  package var path = Placement.usualFile

  package init(
    gateway: String = "home", broker: Broker = .embedded, beacons: [Beacon] = [], zone: Zone? = nil
  ) {
    self.gateway = gateway
    self.broker = broker
    self.beacons = beacons
    self.zone = zone
  }

  /// The configuration in its text, read by the usual reader.
  ///
  /// - Parameter path: where the file will be; relative paths start there.
  package func read(
    path: String, environment: [String: String] = [:]
  ) throws(ConfigurationErrors) -> Configuration {
    try Configuration.read(
      Array(text.utf8), path: path, environment: environment, hostName: gateway, connects: false
    ).configuration
  }
}

extension Draft {
  /// The content of the file, with comments about what to edit next.
  package var text: String {
    let parts = [
      [head], gatewayLines, brokerLines, scannerLines, radioLines, beaconLines, roomLines, zoneLines,
      pageLines,
    ].filter { !$0.isEmpty }
    return parts.map { $0.joined(separator: "\n") }.joined(separator: "\n\n") + "\n"
  }

  private var head: String {
    """
    # Beaconkeeper: who is where. `beaconkeeper init` wrote this file. Edit it, then check what it will do:
    #   beaconkeeper check --config \(shellWord(path).printable)
    # A running gateway reloads it on SIGHUP. If the file has errors, the gateway keeps the old configuration.
    #
    # Every quantity needs its unit: 1.5 m, 150 cm, 2 s, 500 ms, 3 min, -72 dBm, 3 dB.
    """
  }

  private var gatewayLines: [String] {
    let base = Topics(gateway: gateway).base
    return ["gateway:", line("  name: \(yamlScalar(gateway))", "part of every topic: \(base)/…")]
  }

  private var brokerLines: [String] {
    guard case .remote(let remote) = broker else {
      return [
        "# Where messages go. \"embedded\" starts a private mosquitto on this machine. With your own broker:",
        "#   broker:",
        "#     url: mqtts://broker.lan                        # or mqtt://broker.lan:1883",
        "#     username: gateway",
        "#     password_file: /etc/beaconkeeper/password      # mode 0600",
        "broker: embedded",
      ]
    }
    var lines = [
      "# Where messages go. \"broker: embedded\" starts a private mosquitto on this machine.", "broker:",
      line("  url: \(yamlScalar(remote.url))", "mqtts:// for TLS"),
    ]
    lines.append(remote.username.map { "  username: \(yamlScalar($0))" } ?? "  # username: gateway")
    let named = remote.passwordFile.map { "  password_file: \(yamlScalar($0))" }
    lines.append(line(named ?? "  # password_file: password", "mode 0600"))
    if let caFile = remote.caFile { lines.append("  ca_file: \(yamlScalar(caFile))") }
    if let name = remote.serverName {
      lines.append(line("  server_name: \(yamlScalar(name))", "as its certificate says"))
    }
    return lines
  }

  private var scannerLines: [String] {
    if scanners.isEmpty { return [] }
    return ["# Receivers elsewhere, which publish to the same broker what they hear.", "scanners:"]
      + scanners.map { scanner in
        let heard = scanner.receivers.isEmpty ? nil : "heard: \(scanner.receiverWords)"
        return line("  - kind: \(scanner.kind.rawValue)", heard)
      }
  }

  private var radioLines: [String] {
    usesRadio ? [] : [line("radio: { duty: off }", "this machine had no Bluetooth adapter")]
  }

  private var pageLines: [String] {
    if page == .off { return [] }
    let head =
      "# The dashboard. Its manual page says how to reach it from elsewhere, and who may change this file there."
    let address = page == .here ? "127.0.0.1" : "0.0.0.0"
    return [head, "http:", "  listen: \"\(address):\(Self.pagePort)\""]
      + (pagePasswordFile.map { ["  password_file: \(yamlScalar($0))"] } ?? [])
      + (writePasswordFile.map { ["  write_password_file: \(yamlScalar($0))"] } ?? [])
  }

  private var roomLines: [String] {
    if rooms.isEmpty { return [] }
    let head = [
      "# Rooms, each with the receivers in it. A beacon is in one of them at a time. They become more exact if you draw them on the",
      "# dashboard's plan, or calibrate them by a walk: beaconkeeper calibrate --help",
      "rooms:",
    ]
    return head
      + rooms.map { "  - { name: \(yamlScalar($0.name)), receivers: [\(yamlScalar($0.receiver))] }" }
  }

  private var beaconLines: [String] {
    let head = "# What to watch. \"beaconkeeper scan --yaml\" prints lines to paste here."
    guard !beacons.isEmpty else {
      return [head, "# beacons:", "#   - name: key", "#     address: C1:00:00:00:00:01"]
    }
    return [head, "beacons:"]
      + beacons.flatMap { beacon in
        let signal = beacon.signal.map { "\($0) dBm when this was written" }
        return [line("  - name: \(yamlScalar(beacon.name))", signal), "    \(beacon.pattern.yaml)"]
      }
  }

  private var zoneLines: [String] {
    let head = [
      "# Places. A beacon enters when it is nearer than \"enter\" for the dwell time. It exits when it is farther than \"exit\" for the",
      "# dwell time, or silent.",
    ]
    guard let zone else {
      return head + [
        "# zones:", "#   - name: house", "#     enter: { distance: 6 m, dwell: 3 s }",
        "#     exit: { distance: 9 m, dwell: 10 s, lost: auto }",
      ]
    }
    var lines = head + ["zones:", "  - name: \(yamlScalar(zone.name))"]
    lines.append(line("    # beacons: [\(yamlScalar(beacons.first?.name ?? "key"))]", "default: all"))
    guard let enter = zone.enter else {
      return lines + [
        "    # enter: { signal: -70 dBm, dwell: 3 s }   # without it, any beacon that is heard is inside",
        "    exit: { lost: auto }          # auto: learned from the beacon's own interval",
      ]
    }
    lines += [
      "    enter: { \(enter.yaml), dwell: 3 s }",
      "    exit: { \(enter.farther.map { "\($0.yaml), " } ?? "")dwell: 10 s, lost: auto }   # auto: learned from the beacon's own interval",
    ]
    if let near = enter.nearer {
      lines.append(
        "    # near: { \(near.yaml), dwell: 2 s }   # once per approach; remove the # to enable it")
    }
    return lines
  }

  /// A line with a comment, in the same column as in the example.
  private func line(_ text: String, _ comment: String?) -> String {
    guard let comment else { return text }
    return text + String(repeating: " ", count: max(2, 34 - text.count)) + "# " + comment
  }
}

extension Draft.Limit {
  /// `signal: -70 dBm`; an invalid text stays as written, so that the reader reports it.
  fileprivate var yaml: String {
    guard let threshold = read else { return "\((kind ?? guess).rawValue): \(yamlScalar(text))" }
    return switch threshold {
    case .distance: "distance: \(threshold.words)"
    case .signal: "signal: \(threshold.words)"
    }
  }

  private var read: Threshold? {
    guard let threshold = Threshold(text) else { return nil }
    switch (threshold, kind) {
    case (.distance, .signal), (.signal, .distance): return nil
    default: return threshold
    }
  }

  /// The probable kind of an invalid text.
  private var guess: Kind { text.contains("-") || text.lowercased().contains("db") ? .signal : .distance }

  /// The reader's default for leaving; nil if that is more than a file may have.
  fileprivate var farther: Self? {
    switch read {
    case .distance(let metres)? where metres * 1.5 <= 1000: Self(Threshold.distance(metres * 1.5).words)
    case .signal(let strength)? where strength - 4 >= -127: Self(Threshold.signal(strength - 4).words)
    default: nil
    }
  }

  /// An example near rule for this zone.
  fileprivate var nearer: Self? {
    switch read {
    case .distance(let metres)? where metres >= 0.1: Self(Threshold.distance(metres / 3).words)
    case .signal(let strength)? where strength + 8 <= 20: Self(Threshold.signal(strength + 8).words)
    default: nil
    }
  }
}
