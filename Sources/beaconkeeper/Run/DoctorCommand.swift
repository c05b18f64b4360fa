import ArgumentParser
import Configuration
import Gateway
import Outbox

struct DoctorCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "doctor",
    abstract: "Checks everything the gateway needs and suggests fixes.",
    discussion: """
      Prints one line for each of these: configuration, kernel, adapter, rfkill, bluetoothd, capabilities, receive path, \
      other users of the radio, clock, disk, broker, each topic that the broker forbids, and receivers that send nothing. \
      It changes nothing and can run beside a gateway. For the package's service use sudo: the adapter needs root, and so do \
      the passwords. Exit status: 0 if all is well, 69 if something is wrong, 78 if the configuration has errors.

      EXAMPLES
        beaconkeeper doctor
        sudo beaconkeeper doctor \\
            --config /etc/beaconkeeper/beaconkeeper.yaml
        beaconkeeper doctor --fleet --config fleet.yaml
        beaconkeeper doctor --json | jq '.checks[] | select(.state != "ok")'
      """)

  @OptionGroup var source: ConfigurationOption
  @Flag(
    help:
      "Check a fleet: RabbitMQ's nodes, queues and streams, the workers and their clocks. This is the default if the configuration has a `fleet` section."
  )
  var fleet = false
  @Flag(help: "Print one JSON object.")
  var json = false

  func run() async throws {
    let path = source.path
    var findings: [DoctorFinding] = []
    var configuration = Configuration.builtIn()
    var isUsable = true
    do throws(ConfigurationErrors) {
      if let path {
        let loaded = try Configuration.load(path: path, check: .here)
        configuration = loaded.configuration
        let warnings = loaded.warnings.count
        findings.append(
          DoctorFinding(
            "configuration", warnings == 0 ? .ok : .warning,
            warnings == 0
              ? "\(path) is usable"
              : "\(path) is usable, with \(warnings == 1 ? "a warning" : "\(warnings) warnings")",
            remedy: warnings == 0 ? nil : "beaconkeeper check \(path)"))
      } else {
        findings.append(
          DoctorFinding(
            "configuration", .warning, "none; the built-in configuration has no beacons",
            remedy: "write one with: beaconkeeper init; `beaconkeeper scan --yaml` gives lines for it"))
      }
    } catch {
      isUsable = false
      let errors = error.diagnostics.filter { $0.severity == .error }
      let only = errors.count == 1 ? errors.first : nil
      findings.append(
        DoctorFinding(
          "configuration", .fault,
          "\(path ?? "") has \(only.map { "an error: \($0.message)" } ?? "\(errors.count) errors"); what depends on it is not checked",
          remedy: (only?.hint.map { "\($0): " } ?? "") + "beaconkeeper check \(path ?? "")"))
      if let cut = UnfinishedRestore.any(in: StateDirectory(configured: nil)) {
        findings.append(DoctorFinding("restore", .fault, cut.what, remedy: UnfinishedRestore.remedy))
      }
    }
    if fleet, isUsable, configuration.fleet == nil {
      throw failure("the configuration has no section fleet", .configuration)
    }
    let doctor = Doctor(configuration)
    findings += isUsable ? await doctor.examine() : doctor.examineMachine()
    if json {
      try tell(DoctorFinding.json(findings))
    } else {
      for finding in findings { try tell(finding.text) }
    }
    if !isUsable { throw ExitCode(ExitStatus.configuration.rawValue) }
    if findings.contains(where: { $0.state == .fault }) { throw ExitCode(ExitStatus.unavailable.rawValue) }
  }
}
