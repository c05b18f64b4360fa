import ArgumentParser
import Core
import Gateway

@main
struct Beaconkeeper: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "beaconkeeper",
    abstract: "Receives Bluetooth beacons, decides which are near, and publishes that over MQTT.",
    version: Gateway.version,
    subcommands: [
      InitCommand.self, RunCommand.self, FuseCommand.self, ScanCommand.self, EnrolCommand.self,
      DecodeCommand.self, CheckCommand.self,
      ReplayCommand.self, RecordCommand.self, CalibrateCommand.self, SimulateCommand.self, DesignCommand.self,
      PlanCommand.self, CompareLogCommand.self, CrowdCommand.self, DoctorCommand.self,
      TopCommand.self, VisitsCommand.self, ForgetCommand.self, BackupCommand.self, RestoreCommand.self,
      HealthCommand.self, AskBrokerCommand.self, UndoPairingCommand.self,
    ]
  )

  static func main() async {
    StandardStream.fillGaps()
    Capabilities.raisePermitted()
    // A reload request (SIGHUP) that comes before the gateway handles it must not end the gateway.
    if CommandLine.arguments.dropFirst().first == "run" { ReloadRequests.ignore() }
    await main(nil)
  }
}

/// Started by `run` to find out which topics the broker forbids: see `AccessQuestions`.
struct AskBrokerCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "ask-broker",
    abstract: "Asks a broker what it allows; called by run.",
    shouldDisplay: false)

  func run() async throws {
    try await AccessQuestions.answer { print($0) }
  }
}
