import Beacons
import Configuration
import Contract
import Core
import FoundationEssentials
import Glibc
import Mosquitto
import Outbox
import Radio

/// Checks everything that the gateway needs, and changes nothing.
package struct Doctor: Sendable {
  let configuration: Configuration

  package init(_ configuration: Configuration) { self.configuration = configuration }

  /// All findings, in the order in which the gateway needs these things.
  package func examine() async -> [DoctorFinding] {
    if let fleet = configuration.fleet {
      return [clock(), library(), await broker()] + FleetDoctor(configuration, fleet).examine()
    }
    let findings = radio() + strangers() + [clock(), disk()] + formerNames() + [library(), await broker()]
    guard case .remote(let remote) = configuration.broker, findings.last?.state == .ok else {
      return findings
    }
    return findings + (await permissions(at: remote)) + (await silentReceivers(at: remote))
  }

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
    // It may be created at the first start.
    var place = directory.path
    while !FileManager.default.fileExists(atPath: place), place.count > 1 {
      place = URL(fileURLWithPath: place).deletingLastPathComponent().path
    }
    guard access(place, W_OK) == 0 else {
      return DoctorFinding(
        "disk", .warning, "\(directory.path) cannot be written; transitions would wait in memory only",
        remedy: remedy)
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

  /// Outboxes of other names that nobody uses.
  private func formerNames() -> [DoctorFinding] {
    let directory = StateDirectory(configured: configuration.stateDirectory)
    return FormerOutbox.all(in: directory, besides: configuration.gatewayName).map { outbox in
      DoctorFinding(
        "former name", .warning, FormerNameService.words(on: outbox),
        remedy: FormerNameService.remedy(for: outbox))
    }
  }

  private func broker() async -> DoctorFinding {
    guard case .remote(let remote) = configuration.broker else {
      let mosquitto = try? EmbeddedBroker.mosquitto(in: EmbeddedBroker.searchPath)
      return mosquitto.map { DoctorFinding("broker", .ok, "embedded: \($0)") }
        ?? DoctorFinding("broker", .fault, "mosquitto is not installed", remedy: "sudo apt install mosquitto")
    }
    let name = "\(remote.host):\(remote.port)"
    let outcome = await BrokerTrial(remote).run()
    guard case .accepted = outcome else {
      return DoctorFinding(
        "broker", .fault, "\(name): \(outcome)",
        remedy: Self.remedy(
          remote, outcome, hasMosquitto: (try? EmbeddedBroker.mosquitto(in: EmbeddedBroker.searchPath)) != nil
        ))
    }
    return DoctorFinding("broker", .ok, "\(name) accepts the connection")
  }

  /// If nothing listens on this machine, its mosquitto is switched off or missing.
  static func remedy(_ broker: RemoteBroker, _ outcome: BrokerTrial.Outcome, hasMosquitto: Bool) -> String {
    guard case .refused(let failure) = outcome, failure.kind == .connectionRefused,
      ["localhost", "127.0.0.1", "::1"].contains(broker.host), broker.port == 1883
    else { return "look at broker: in the configuration" }
    return hasMosquitto ? "sudo systemctl enable --now mosquitto" : "sudo apt install mosquitto"
  }
}
