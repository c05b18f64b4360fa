import ArgumentParser
import Captures
import Configuration
import Core
import FoundationEssentials
import Gateway
import Logging
import Mosquitto
import Outbox
import Radio

struct RunCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "run",
    abstract: "Runs the gateway.",
    discussion: """
      Without --config, run reads ./beaconkeeper.yaml or /etc/beaconkeeper/beaconkeeper.yaml. If neither exists, it \
      starts a private mosquitto on loopback and uses this machine's Bluetooth adapter. Without an adapter, it plays \
      the demo: a recorded walk in real time, with a copy of a configuration that its page may change. SIGHUP reloads \
      the configuration. Ctrl-C stops the gateway.

      EXAMPLES
        beaconkeeper run
        beaconkeeper run --demo
        beaconkeeper run --config my.yaml --capture monday.btsnoop
        beaconkeeper run --config /etc/beaconkeeper/beaconkeeper.yaml
        my-receiver | beaconkeeper run --config my.yaml --capture -
        beaconkeeper run --config my.yaml --record monday.jsonl
      """)

  @OptionGroup var source: ConfigurationOption
  @Flag(help: "Play the recorded walk, even if there is an adapter.")
  var demo = false
  @Option(
    help: ArgumentHelp(
      "Play this recording in real time, over and over, instead of the radio; - reads standard input as it arrives.",
      valueName: "file"))
  var capture: String?
  @Option(
    help: ArgumentHelp(
      "Record what adapters and scanners hear, one JSON object a line, for replay.", valueName: "file"))
  var record: String?
  @Flag(help: "Without an adapter, wait for one instead of giving up.")
  var waitForAdapter = false
  @Option(
    help: ArgumentHelp(
      "Log this level and those above: debug (every published message, and the private mosquitto's log), info (transitions and verdicts), notice, warning, error.",
      valueName: "level"))
  var logLevel = LogLevel.info
  @Option(
    help: ArgumentHelp(
      "text, json (one object per line, on standard output) or journal (systemd's, with fields BEACON, ZONE and RECEIVER). (default: journal under systemd, else text)",
      valueName: "format"))
  var logFormat: LogFormat?
  @Flag(name: .shortAndLong, help: "The same as --log-level debug.")
  var verbose = false

  func validate() throws {
    if demo, source.config != nil {
      throw ValidationError("--demo brings its own configuration; leave out --config.")
    }
    if demo, capture != nil { throw ValidationError("Either --demo or --capture.") }
  }

  /// With fewer open files a gateway does not start; a page and its connections need some hundreds.
  private static let fewestFiles: UInt = 64

  func run() async throws {
    let files = allowOpenFiles(512)
    guard files >= Self.fewestFiles else {
      throw failure(
        "at most \(files) files may be open here, and a gateway needs \(Self.fewestFiles): see ulimit -n",
        .unavailable)
    }
    let demonstration = try isDemonstration ? Demonstration() : nil
    defer { demonstration?.folder.remove() }
    if let demonstration { say("beaconkeeper: \(demo ? "" : "no Bluetooth adapter here; ")\(demonstration)") }
    let path = demonstration?.configuration ?? source.path
    var reloads: ReloadRequests?
    if let path { reloads = await ReloadRequests(of: path) } else { ReloadRequests.end() }
    let loaded = try ConfigurationOption.load(path, connects: true)
    reloads?.revision.set(loaded.revision)
    var configuration = loaded.configuration
    if configuration.fleet != nil {
      throw failure(
        "this is the configuration of a fleet's workers; start beaconkeeper fuse, or remove the section fleet",
        .configuration)
    }
    // A user without a configuration wants to look around.
    if path == nil { configuration.http = HTTPSettings() }
    let log = RunLog(logFormat ?? .preferred, level: verbose ? .debug : logLevel.level)
    let logger = Logger(label: "beaconkeeper") { _ in RunLogHandler(log) }
    var listener = GatewayRun.Listener()
    listener.onReady = { log.tell(.hint("watch: \($0)")) }
    listener.onTransition = { log.tell(LogEntry($0)) }
    listener.onVerdict = { log.tell(LogEntry($0)) }
    listener.onDashboard = { log.tell(.hint("dashboard: \($0)")) }
    let environment = ProcessInfo.processInfo.environment
    let recorder = try record.map { path in
      do throws(SystemError) { return try Recorder(path: path, format: .text) } catch {
        throw failure("\(path): \(error)", .inputOutput)
      }
    }
    let gateway = GatewayRun(
      configuration, reloads: reloads, input: demonstration?.input ?? input(configuration),
      listener: listener, logger: logger, notifier: ServiceNotifier(environment: environment),
      alive: AliveFile(environment: environment), recorder: recorder)
    do {
      try await gateway.run()
      logger.notice("stopped")
      await log.finish()
    } catch {
      await log.finish()
      throw failure("\(error)\(remedy(for: error, configuration))", status(of: error))
    }
  }

  /// A configuration with scanners may need no radio.
  private func remedy(for error: any Error, _ configuration: Configuration) -> String {
    switch error {
    case RadioError.noBluetooth, RadioError.noAdapter:
      configuration.scanners.isEmpty ? "" : "; \(Configuration.radioOffHint)"
    default: ""
    }
  }

  private func status(of error: any Error) -> ExitStatus {
    switch error {
    case RadioError.missingRawCapability: .noPermission
    case let refusal as BrokerRefusal: ExitStatus(refusal.failure)
    case is RadioError, is EmbeddedBrokerError, is OutboxInUse, is GatewayNameInUse: .unavailable
    case is InvalidOptions: .configuration
    case is CaptureError, is NewerOutbox, is UnfinishedRestore: .dataError
    case is TransitionsLost: .inputOutput
    default: .software
    }
  }

  /// Without an adapter and without a configuration, there is nothing else to show.
  private var isDemonstration: Bool {
    demo
      || (source.path == nil && capture == nil && !waitForAdapter
        && ((try? LiveRadio.adapters()) ?? []).isEmpty)
  }

  /// The source of advertisements.
  private func input(_ configuration: Configuration) -> GatewayRun.Input {
    if capture == "-" { return .standardInput }
    if let capture { return .walk(path: capture, sandbox: nil) }
    var options = LiveRadio.Options(configuration)
    options.waitsForAdapter = waitForAdapter
    return .radio(options)
  }
}
