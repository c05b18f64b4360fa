import SettingsFile
import Outbox
import Captures
import ArgumentParser
import FoundationEssentials
import Gateway
import Settings
import Logging
import Mosquitto
import Radio

struct RunCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "run",
    abstract: "Runs the gateway.",
    discussion: """
      Without --config, run reads ./beaconkeeper.yaml or /etc/beaconkeeper/beaconkeeper.yaml. If neither exists, it \
      starts a private mosquitto on loopback and uses this machine's Bluetooth adapter. Without an adapter, it plays \
      a recorded walk in real time. SIGHUP reloads the configuration. Ctrl-C stops the gateway.

      EXAMPLES
        beaconkeeper run
        beaconkeeper run --demo
        beaconkeeper run --config my.yaml --capture monday.btsnoop
        beaconkeeper run --config /etc/beaconkeeper/beaconkeeper.yaml
        my-receiver | beaconkeeper run --config my.yaml --capture -
      """)

  @Option(name: .shortAndLong, help: ArgumentHelp("The configuration.", valueName: "file"))
  var config: String?
  @Flag(help: "Play the recorded walk, even if there is an adapter.")
  var demo = false
  @Option(
    help: ArgumentHelp(
      "Play this recording in real time, over and over, instead of the radio; - reads standard input as it arrives.",
      valueName: "file"))
  var capture: String?
  @Flag(
    name: .shortAndLong,
    help: "Also print every message that is published, and the log of the private mosquitto.")
  var verbose = false

  func validate() throws {
    if demo, config != nil {
      throw ValidationError("--demo brings its own configuration; leave out --config.")
    }
    if demo, capture != nil { throw ValidationError("Either --demo or --capture.") }
  }

  func run() async throws {
    var logger = Logger(label: "beaconkeeper") { StreamLogHandler.standardError(label: $0) }
    logger.logLevel = verbose ? .debug : .warning
    let (path, input) = try chooseInput()
    let reloads: ReloadRequests?
    if let path { reloads = await ReloadRequests(of: path) } else { reloads = nil }
    if reloads == nil { ReloadRequests.end() }
    let configuration = try loadConfiguration(path, connects: true)
    let console = Console()
    let listener = GatewayRun.Listener(
      onReady: { console.tell("watch: \($0)") },
      onTransition: { console.tell("\(TransitionLine($0))") },
      onVerdict: { console.tell("\(VerdictLine($0))") },
      onNotice: { console.say("beaconkeeper: \($0)") })
    let gateway = GatewayRun(
      configuration, reloads: reloads, input: input(configuration), listener: listener,
      logger: logger)
    do {
      try await gateway.run()
      console.say("beaconkeeper: stopped")
      await console.finish()
    } catch {
      await console.finish()
      throw failure("\(error)", status(of: error))
    }
  }

  private func status(of error: any Error) -> Status {
    switch error {
    case RadioError.missingRawCapability: .noPermission
    case let refusal as BrokerRefusal: Status(refusal.failure)
    case is RadioError, is EmbeddedBrokerError, is OutboxInUse, is GatewayNameInUse: .unavailable
    case is InvalidOptions: .configuration
    case is CaptureError: .dataError
    case is TransitionsLost: .inputOutput
    default: .software
    }
  }

  /// The configuration's file and where advertisements come from.
  private func chooseInput() throws -> (path: String?, (Configuration) -> GatewayRun.Input) {
    let path = config ?? Configuration.find()
    if capture == "-" { return (path, { _ in .standardInput }) }
    if let capture { return (path, { _ in .walk(path: capture, isDemonstration: false) }) }
    let hasAdapter = demo ? false : !((try? LiveRadio.adapters()) ?? []).isEmpty
    guard demo || (path == nil && !hasAdapter) else {
      return (path, { .radio(LiveRadio.Options($0)) })
    }
    guard let demonstration = Demonstration.find() else {
      throw failure(
        "cannot find config/walk.jsonl; run this in Beaconkeeper's folder",
        .unavailable)
    }
    let why = demo ? "" : "no Bluetooth adapter here; "
    say("beaconkeeper: \(why)plays the recorded walk \(demonstration.walk) in real time")
    return (demonstration.configuration, { _ in .walk(path: demonstration.walk, isDemonstration: true) })
  }
}

/// The recorded walk that shows the gateway where there is no radio.
private struct Demonstration {
  var configuration: String
  var walk: String

  /// In the working directory, beside the program's sources, or where a package puts it.
  static func find() -> Demonstration? {
    var folders = ["config"]
    var folder = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()
    for _ in 0..<4 {
      folders.append(folder.appendingPathComponent("config").path)
      folder.deleteLastPathComponent()
    }
    folders.append("/usr/share/beaconkeeper")
    return folders.lazy
      .map { Demonstration(configuration: $0 + "/demo.yaml", walk: $0 + "/walk.jsonl") }
      .first {
        FileManager.default.fileExists(atPath: $0.configuration)
          && FileManager.default.fileExists(atPath: $0.walk)
      }
  }
}
