import ArgumentParser
import Configuration
import Gateway
import Logging

struct FuseCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "fuse",
    abstract: "Decides for a site of many gateways, together with other workers.",
    discussion: """
      fuse reads the gateways' observations from RabbitMQ, decides which beacons are in which room and zone, and \
      publishes that as one gateway would. Start it on as many machines as you like: they share the work, and if one dies, others take \
      over. Each worker saves its state in RabbitMQ every few seconds. Ctrl-C stops it.

      EXAMPLES
        beaconkeeper check fleet.yaml
        beaconkeeper fuse --config fleet.yaml
        beaconkeeper fuse --config fleet.yaml --journal /var/lib/beaconkeeper/journal
      """)

  @Option(name: .long, help: ArgumentHelp("The configuration, with a `fleet` section.", valueName: "file"))
  var config: String
  @Option(
    name: .long,
    help: ArgumentHelp("The worker's name. Default: the machine's name and some digits.", valueName: "name"))
  var name: String?
  @Option(
    help: ArgumentHelp(
      "Write everything that is read from RabbitMQ into this folder, which must exist, for replay --journal. The files grow without limit.",
      valueName: "folder"))
  var journal: String?
  @Option(
    help: ArgumentHelp(
      "Log this level and those above: debug, info, notice, warning, error.", valueName: "level"))
  var logLevel = LogLevel.info
  @Option(
    help: ArgumentHelp(
      "text, json (one object per line, on standard output) or journal (systemd's). (default: journal under systemd, else text)",
      valueName: "format"))
  var logFormat: LogFormat?

  func run() async throws {
    let configuration = try ConfigurationOption.load(config, connects: true).configuration
    let log = RunLog(logFormat ?? .preferred, level: logLevel.level)
    let logger = Logger(label: "beaconkeeper") { _ in RunLogHandler(log) }
    do {
      try await FuseRun(configuration, name: name, journal: journal, logger: logger).run()
      logger.notice("stopped")
      await log.finish()
    } catch {
      await log.finish()
      throw failure("\(error)", status(of: error))
    }
  }

  private func status(of error: any Error) -> ExitStatus {
    switch error {
    case is FuseRun.NoFleet: .configuration
    case is FuseRun.NoJournal: .cannotCreate
    default: .unavailable
    }
  }
}
