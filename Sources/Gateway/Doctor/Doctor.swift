import Configuration
import Core
import FoundationEssentials
import Glibc
import Mosquitto
import Outbox

/// Checks everything that the gateway needs, and leaves nothing changed.
package struct Doctor: Sendable {
  let configuration: Configuration

  package init(_ configuration: Configuration) { self.configuration = configuration }

  /// All findings, in the order in which the gateway needs these things.
  package func examine() async -> [DoctorFinding] {
    if let fleet = configuration.fleet {
      return [clock(), library(), await broker().finding] + FleetDoctor(configuration, fleet).examine()
    }
    let findings = radio() + strangers() + [clock(), disk()] + state() + formerNames() + [library()]
    let (finding, options) = await broker()
    guard let options else { return findings + [finding] }
    return findings + [finding] + (await shortcomings(options)) + (await permissions(options))
      + (await remains(options))
  }

  /// What is true under any configuration.
  package func examineMachine() -> [DoctorFinding] { [kernel(), clock(), library()] }

  private func library() -> DoctorFinding {
    let name = "libmosquitto \(LibraryVersion.current)"
    guard ProtocolVersion.safest == .v311 else {
      return DoctorFinding("library", .ok, "\(name) speaks MQTT 5")
    }
    if case .remote(let remote) = configuration.broker, remote.version == .v5 {
      return DoctorFinding(
        "library", .warning,
        "\(name) is configured to use MQTT 5, but in this version an unknown property from the broker would end the gateway",
        remedy: "use 2.0.21 or newer (Debian 13), or remove protocol: from the configuration")
    }
    return DoctorFinding(
      "library", .ok,
      "\(name): uses MQTT 3.1.1, because an MQTT 5 packet may crash versions before 2.0.21. "
        + "With 3.1.1 a broker never says that it forbids a topic, so run asks separately, in MQTT 5")
  }

  private func clock() -> DoctorFinding {
    let remedy = "install systemd-timesyncd or chrony: transitions carry the time of this clock"
    // 2024-01-01: a board without a clock of its own starts long before.
    if LiveClock.wallNow.nanoseconds < 1_704_067_200_000_000_000 {
      return DoctorFinding("clock", .fault, "is at \(LiveClock.wallNow.rfc3339)", remedy: remedy)
    }
    // systemd-timesyncd creates the first; the others exist while they control the clock.
    let signs = [
      "/run/systemd/timesync/synchronized", "/run/chrony/chronyd.pid", "/run/chronyd.pid", "/run/ntpd.pid",
    ]
    let isSynchronised = signs.contains(where: FileManager.default.fileExists(atPath:))
    return isSynchronised
      ? DoctorFinding("clock", .ok, "\(LiveClock.wallNow.rfc3339), synchronised")
      : DoctorFinding(
        "clock", .warning, "\(LiveClock.wallNow.rfc3339); no time synchronisation was found", remedy: remedy)
  }

  /// With less, the outbox may not hold a long outage.
  private static let scarce: UInt64 = 256 << 20

  private func disk() -> DoctorFinding {
    let directory = StateDirectory(configured: configuration.stateDirectory)
    let remedy = "name a writable folder with gateway: { state_directory: … }"
    // The first start may have to create the directory.
    var place = directory.path
    while !FileManager.default.fileExists(atPath: place), place.count > 1 {
      place = URL(fileURLWithPath: place).deletingLastPathComponent().path
    }
    guard access(place, W_OK) == 0 else {
      return DoctorFinding(
        "disk", .warning, "\(directory.path) cannot be written; transitions would wait in memory only",
        remedy: remedy)
    }
    if let file = directory.unwritable(gateway: configuration.gatewayName) {
      return DoctorFinding(
        "disk", .warning, "\(file.path) belongs to another user; transitions would wait in memory only",
        remedy: file.remedy)
    }
    if MountTable.current.isInMemory(OpenOutbox.realPath(place)) {
      return DoctorFinding(
        "disk", .warning,
        "\(directory.path) is in memory: transitions that wait for the broker, and who is where, are lost when the machine restarts",
        remedy: "name a folder on a disk with gateway: { state_directory: … }")
    }
    var status = statvfs()
    guard statvfs(place, &status) == 0 else { return DoctorFinding("disk", .ok, directory.path) }
    let free = UInt64(status.f_bavail) * UInt64(status.f_frsize)
    let words = "\(directory.path), \(free >> 20) MiB free"
    return free < Self.scarce
      ? DoctorFinding(
        "disk", .warning, words, remedy: "free some space: messages of a long broker outage may not fit")
      : DoctorFinding("disk", .ok, words)
  }

  /// Whether one was cut, or the state is of a newer version.
  private func state() -> [DoctorFinding] {
    let directory = StateDirectory(configured: configuration.stateDirectory)
    do throws(UnfinishedRestore) {
      try UnfinishedRestore.refuse(in: directory, gateway: configuration.gatewayName)
      let newer = StoreCheck.newerOutbox(in: directory, gateway: configuration.gatewayName)
      return newer.map { [DoctorFinding("outbox", .fault, "\($0)")] } ?? []
    } catch {
      return [DoctorFinding("restore", .fault, error.what, remedy: UnfinishedRestore.remedy)]
    }
  }

  /// Outboxes of other gateway names that no process uses.
  private func formerNames() -> [DoctorFinding] {
    let directory = StateDirectory(configured: configuration.stateDirectory)
    return FormerOutbox.all(in: directory, besides: configuration.gatewayName).map { outbox in
      DoctorFinding(
        "former name", .warning, FormerNameService.words(on: outbox),
        remedy: FormerNameService.remedy(for: outbox, configuration))
    }
  }

  /// The finding about the broker, and the options for further questions; nil: it cannot be asked.
  ///
  /// - Parameter isAskedByGateway: this is the running gateway. Looking for it would release its locks of the outbox.
  func broker(isAskedByGateway: Bool = false) async -> (finding: DoctorFinding, options: Options?) {
    let mosquitto = try? EmbeddedBroker.mosquitto(in: EmbeddedBroker.searchPath)
    guard case .remote(let remote) = configuration.broker else {
      let finding =
        mosquitto.map { DoctorFinding("broker", .ok, "embedded: \($0)") }
        ?? DoctorFinding("broker", .fault, "mosquitto is not installed", remedy: "sudo apt install mosquitto")
      return (finding, nil)
    }
    let name = "\(remote.host):\(remote.port)"
    let gateway = Options(remote, gateway: configuration.gatewayName)
    let beside = gateway.beside()
    var outcome = await BrokerTrial(beside).run()
    if case .accepted = outcome {
      return (
        await will(gateway, name) ?? DoctorFinding("broker", .ok, "\(name) accepts the connection"), beside
      )
    }
    if case .refused(let failure) = outcome, failure.mayConcernTheVersion, beside.protocolVersion == .v5 {
      var older = beside
      older.protocolVersion = .v311
      if case .accepted = await BrokerTrial(older).run() {
        let finding = DoctorFinding(
          "broker", .fault, "\(name) speaks MQTT 3.1.1 only", remedy: "broker: { protocol: 3.1.1 }")
        return (finding, nil)
      }
    }
    if case .refused(let failure) = outcome, failure.kind == .closed, await expectsTLS(beside) {
      let finding = DoctorFinding(
        "broker", .fault, "\(name) expects TLS on this port",
        remedy: "broker: { url: \"mqtts://\(name)\" }, with ca_file: if its authority is one of your own")
      return (finding, nil)
    }
    if case .refused(let failure) = outcome, failure.mayConcernTheID, !isAskedByGateway {
      if isGatewayRunning {
        let isSeen = isOwnGatewayRunning == true
        let finding = DoctorFinding(
          "broker", isSeen ? .warning : .fault,
          "\(name) does not let anybody ask beside \(isSeen ? "the" : "a") running gateway, with another client id than \(gateway.clientID): \(failure)",
          remedy: isSeen
            ? "stop the gateway, and look again"
            : "if no gateway called \(configuration.gatewayName) runs here, \(Self.remedy(remote, outcome, hasMosquitto: mosquitto != nil)); else stop it, and look again"
        )
        return (finding, nil)
      }
      // The gateway does not run, so the test takes nobody's session.
      let itself = gateway.withoutWill()
      outcome = await BrokerTrial(itself).run()
      if case .accepted = outcome {
        let words = "\(name) accepts the connection, with no other client id than \(gateway.clientID)"
        return (DoctorFinding("broker", .ok, words), itself)
      }
    }
    let remedy = Self.remedy(remote, outcome, hasMosquitto: mosquitto != nil)
    return (Self.finding(name, outcome, remedy: remedy), nil)
  }

  static func finding(_ name: String, _ outcome: BrokerTrial.Outcome, remedy: String) -> DoctorFinding {
    guard case .refused(let failure) = outcome else {
      return DoctorFinding("broker", .fault, "\(name): \(outcome)", remedy: remedy)
    }
    var finding = DoctorFinding("broker", .fault, "\(name): \(failure.sentence)", remedy: remedy)
    finding.peersWords = failure.peersWords
    return finding
  }

  private func expectsTLS(_ options: Options) async -> Bool {
    guard options.tls == nil else { return false }
    var encrypted = options
    encrypted.tls = TLS(authority: .system)
    switch await BrokerTrial(encrypted).run() {
    case .accepted: return true
    // The broker has a certificate, whatever is wrong with it.
    case .refused(let failure):
      return [
        .certificateExpired, .certificateNotYetValid, .wrongHostName, .unknownAuthority, .clientCertificate,
      ]
      .contains(failure.kind)
    case .silent, .impossible: return false
    }
  }

  /// Tries the gateway's last will, because with MQTT 3.1.1 a broker that does not accept it just closes the connection. If this
  /// connection breaks before its end a moment later, the broker publishes the will; a running gateway corrects that.
  private func will(_ gateway: Options, _ name: String) async -> DoctorFinding? {
    guard let will = gateway.will else { return nil }
    var options = gateway.beside()
    options.will = will
    guard case .refused(var failure) = await BrokerTrial(options).run() else { return nil }
    options.protocolVersion = .v5
    if failure.kind == .closed, case .refused(let newer) = await BrokerTrial(options).run(),
      newer.kind == .lacksFeature
    {
      failure = newer
    }
    let words = failure.kind == .closed ? "the broker closed the connection" : "\(failure)"
    return DoctorFinding(
      "broker", .fault,
      "\(name) accepts a connection, but not with the gateway's last will, which is retained and of QoS 1: \(words)",
      remedy:
        "mosquitto.conf must not have retain_available false or max_qos 0, and the user must have the right to write to \(will.topic)"
    )
  }

  /// Whether this gateway runs on this machine; if that cannot be seen, whether any gateway runs here.
  var isGatewayRunning: Bool {
    isOwnGatewayRunning
      ?? OtherProcess.all.contains { $0.name == "beaconkeeper" && $0.arguments.dropFirst().first == "run" }
  }

  private var isOwnGatewayRunning: Bool? {
    StateDirectory(configured: configuration.stateDirectory).isInUse(gateway: configuration.gatewayName)
  }

  static func remedy(_ broker: RemoteBroker, _ outcome: BrokerTrial.Outcome, hasMosquitto: Bool) -> String {
    let usual = "look at broker: in the configuration"
    guard case .refused(let failure) = outcome else { return usual }
    switch failure.kind {
    case .badCredentials, .notAuthorised:
      return broker.username == nil
        ? "the broker may want a user: broker: { username: …, password_file: … }"
        : "look at username and the password in broker:, and at the user \(broker.username ?? "") in the broker's configuration"
    case .clientIDRejected: return "name one that the broker accepts: broker: { client_id: … }"
    case .lacksFeature:
      return "use a broker that does; mosquitto.conf must not have retain_available false or max_qos 0"
    case .unsupportedProtocol: return "remove protocol: from broker:, or name another one"
    case .connectionRefused where broker.port == 1883 && broker.isOnThisMachine:
      // Its mosquitto is switched off or missing.
      return hasMosquitto ? "sudo systemctl enable --now mosquitto" : "sudo apt install mosquitto"
    case .connectionRefused:
      return "see that the broker runs and listens on port \(broker.port), or correct broker: { url: … }"
    case .hostUnknown: return "correct the host in broker: { url: … }, or name its address"
    case .unreachable:
      return
        "see that \(broker.host) is on and in the same network, and that no firewall closes port \(broker.port)"
    case .serverUnavailable: return "look at the broker's log"
    case .certificateExpired: return "renew the broker's certificate"
    case .certificateNotYetValid: return "set this machine's clock, or wait"
    case .wrongHostName:
      return
        "name the host in broker: { url: … } as the broker's certificate does, or the certificate's name in broker: { server_name: … }"
    case .unknownAuthority:
      return broker.tls?.caFile == nil
        ? "name the certificate of the broker's authority: broker: { ca_file: … }"
        : "the ca_file in broker: is of another authority than the one that signed the broker's certificate"
    case .clientCertificate:
      return "look at cert_file and key_file in broker:, and at the authority that the broker trusts"
    case .ownCertificate: return "look at cert_file and key_file in broker:"
    case .tls:
      return
        "mqtts:// and mqtt:// have different ports; look at broker: { url: … }, and at the broker's TLS settings"
    case .closed: return "\(usual), and at the broker's log"
    case .noMQTT, .other: return usual
    }
  }
}

extension ConnectionFailure {
  /// Whether the same client could be accepted with another id. Brokers are unclear: some call it a wrong password, and some just
  /// close the connection.
  var mayConcernTheID: Bool {
    switch kind {
    case .badCredentials, .notAuthorised, .clientIDRejected, .closed, .other: true
    default: false
    }
  }
}

extension ConnectionFailure {
  /// Whether the broker could accept an older version of MQTT. Some say so, and some just close the connection (RabbitMQ 3).
  var mayConcernTheVersion: Bool { kind == .unsupportedProtocol || kind == .closed }
}

extension RemoteBroker {
  fileprivate var isOnThisMachine: Bool { ["localhost", "127.0.0.1", "::1"].contains(host) }
}

/// The processes of this machine that we may see, without this one (proc_pid_comm(5), proc_pid_cmdline(5)).
struct OtherProcess {
  let name: String
  let arguments: [String]

  static var all: [OtherProcess] {
    ((try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? [])
      .filter { $0 != "\(getpid())" && $0.allSatisfy(\.isNumber) }
      .compactMap { number in
        guard let name = try? String(contentsOfFile: "/proc/\(number)/comm", encoding: .utf8) else {
          return nil
        }
        let line = (try? String(contentsOfFile: "/proc/\(number)/cmdline", encoding: .utf8)) ?? ""
        return OtherProcess(
          name: String(name.prefix { !$0.isNewline }), arguments: line.split(separator: "\0").map(String.init)
        )
      }
  }
}
