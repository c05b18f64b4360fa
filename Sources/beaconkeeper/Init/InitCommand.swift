import ArgumentParser
import Configuration
import FoundationEssentials
import Glibc

struct InitCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "init",
    abstract: "Asks a few questions and writes a configuration.",
    discussion: """
      init looks for an MQTT broker, tries the connection, looks there for boards (ESPresense, Theengs, OpenMQTTGateway) and \
      other Beaconkeepers that publish what they hear, listens for beacons, and asks which of them you want to watch, and for \
      rooms, the name of a zone, and who may see and change what on the dashboard. It writes a configuration with comments, checks it, and offers to \
      start the service. Each answer can be given as an option. Without a terminal, or with --no-input, init asks nothing \
      and requires --broker, --beacon (or --no-beacons) and --zone (or --no-zone).

      An IDENTITY is an address (C1:00:00:00:00:01), an iBeacon's UUID, UUID:MAJOR or UUID:MAJOR:MINOR, Eddystone's \
      NAMESPACE or NAMESPACE:INSTANCE, an AltBeacon's id, or an Eddystone URL.

      The file goes to /etc/beaconkeeper/beaconkeeper.yaml if you may write there, otherwise to ./beaconkeeper.yaml. A \
      password goes into a file of its own, with mode 0600. An existing configuration is replaced only if you say so, or if \
      it is the package's and nobody edited it. It is kept as beaconkeeper.yaml.old. Exit status: 0 if the configuration was written, 1 if you stopped before, 64 if an \
      answer is missing or invalid, 69 or 77 if the broker does not accept the connection, 73 if a file exists or cannot \
      be written.

      EXAMPLES
        sudo beaconkeeper init
        beaconkeeper init --output my.yaml
        beaconkeeper init --broker broker.lan --user gateway --password-file pw \\
          --beacon key=C1:00:00:00:00:01 --zone house --signal -75dBm --no-input
        beaconkeeper init --broker embedded --no-zone --no-input \\
          --beacon van=F29DC74A-DBBD-12DE-318A-C8B046DD4425:1:2
        beaconkeeper init --no-input --broker embedded --no-beacons --force --start
      """)

  @Option(help: ArgumentHelp("The MQTT broker, or embedded for a private one.", valueName: "URL"))
  var broker: String?
  @Option(help: ArgumentHelp("The user name at the broker.", valueName: "name"))
  var user: String?
  @Option(help: ArgumentHelp("A file with the password in its first line.", valueName: "file"))
  var passwordFile: String?
  @Option(
    help: ArgumentHelp(
      "The authority to trust with mqtts://, in PEM; default: the system's.", valueName: "file"))
  var caFile: String?
  @Option(
    help: ArgumentHelp("The name in the broker's certificate; default: that of the URL.", valueName: "name"))
  var serverName: String?
  @Flag(help: "Do not try the connection to the broker.")
  var skipBrokerTest = false
  @Option(help: ArgumentHelp("The gateway's name in every topic; default: the machine's.", valueName: "name"))
  var gateway: String?
  @Option(
    help: ArgumentHelp(
      "Boards that publish to the broker what they hear: espresense, theengs or beaconkeeper; may be repeated.",
      valueName: "kind"))
  var scanner: [String] = []
  @Flag(help: "No boards for now.")
  var noScanners = false
  @Option(help: ArgumentHelp("A beacon to watch; may be repeated.", valueName: "NAME=IDENTITY"))
  var beacon: [String] = []
  @Flag(help: "No beacon for now.")
  var noBeacons = false
  @Option(help: ArgumentHelp("The name of the zone around this machine.", valueName: "name"))
  var zone: String?
  @Flag(help: "No zone for now.")
  var noZone = false
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("A beacon is in the zone at this signal, for example -75dBm.", valueName: "dBm"))
  var signal: String?
  @Option(
    help: ArgumentHelp("A beacon is in the zone within this distance, for example 3m.", valueName: "m"))
  var distance: String?
  @Option(
    help: ArgumentHelp(
      "Who may look at the dashboard: here, everywhere (with a new password) or off; default: here.",
      valueName: "who"))
  var page: String?
  @Flag(
    inversion: .prefixedNo,
    help: "Whether the dashboard may change beacons, zones and rooms, with a new password; default: it may.")
  var pageChanges: Bool?
  @Option(help: ArgumentHelp("How long to listen for beacons.", valueName: "s"))
  var seconds = 10.0
  @Option(help: ArgumentHelp("Read a recording instead of the radio.", valueName: "file"))
  var capture: [String] = []
  @Option(name: .shortAndLong, help: ArgumentHelp("Where to write the configuration.", valueName: "file"))
  var output: String?
  @Flag(help: "Replace existing files.")
  var force = false
  @Flag(inversion: .prefixedNo, help: "Start the service, now and at boot.")
  var start: Bool?
  @Flag(help: "Ask nothing.")
  var noInput = false

  func validate() throws {
    if noScanners, !scanner.isEmpty { throw ValidationError("Either --scanner or --no-scanners.") }
    if noBeacons, !beacon.isEmpty { throw ValidationError("Either --beacon or --no-beacons.") }
    if page == "off", pageChanges == true { throw ValidationError("--page-changes needs a dashboard.") }
    if noZone, zone != nil { throw ValidationError("Either --zone or --no-zone.") }
    if signal != nil, distance != nil { throw ValidationError("Either --signal or --distance.") }
    if signal != nil || distance != nil, zone == nil {
      throw ValidationError("--signal and --distance need --zone.")
    }
    if !(0...3600).contains(seconds) { throw ValidationError("--seconds: from 0 to 3600.") }
    if output?.isEmpty == true { throw ValidationError("--output needs a file.") }
  }

  func run() async throws {
    let path = output ?? Self.usualPath
    let placement = Placement(path: path, hasService: Service.isInstalled)
    if start == true, placement.unit == nil {
      throw refusal("--start: no service reads \(path)", Self.self)
    }
    if start == true, !Service.canBeStarted {
      throw failure(
        "the service cannot be started: systemd does not run here, or you are not root; nothing was written",
        .unavailable)
    }
    let surroundings = InitSurroundings(
      conversation: Conversation(isAllowed: !noInput), captures: capture, seconds: seconds)
    let writer = SetupWriter(placement: placement, isForced: force, surroundings: surroundings)
    var interview = Interview(answers, path: path, hostName: machineName(), in: surroundings)
    do throws(SetupFault) {
      greet(path, surroundings)
      try writer.askToReplace(path, keeping: "it is kept as \(path).old")
      try await interview.run()
      let files = try interview.files(at: placement, passwordFile: passwordFile.map(Self.absolute))
      if files.password != nil {
        try writer.askToReplace(placement.passwordPath, keeping: "the old password is lost")
      }
      if files.page != nil {
        try writer.askToReplace(placement.pagePath, keeping: "the dashboard's old password is lost")
      }
      if files.write != nil {
        try writer.askToReplace(placement.writePath, keeping: "the old password for changes is lost")
      }
      try writer.write(files)
      try startService(placement, interview.draft, surroundings)
      tellPage(interview.draft)
    } catch {
      throw stop(error)
    }
  }

  private func greet(_ path: String, _ surroundings: InitSurroundings) {
    guard surroundings.isAnswered else { return }
    say(
      "Answer a few questions, and init writes \(path). Enter accepts the value in brackets; Ctrl-C writes nothing."
    )
    if output == nil, path == Placement.usualFile, Service.isInstalled {
      say("This is not the service's configuration, which only root may write: sudo beaconkeeper init")
    }
  }

  private static var usualPath: String {
    access(Placement.folder, W_OK) == 0
      ? "\(Placement.folder)/\(Placement.usualFile)" : Placement.usualFile
  }

  private static func absolute(_ path: String) -> String {
    path.hasPrefix("/") ? path : "\(FileManager.default.currentDirectoryPath)/\(path)"
  }

  private var answers: GivenAnswers {
    var answers = GivenAnswers()
    answers.gateway = gateway
    answers.broker = broker
    answers.username = user
    answers.passwordFile = passwordFile
    answers.caFile = caFile.map(Self.absolute)
    answers.serverName = serverName
    answers.skipsBrokerTest = skipBrokerTest
    if noScanners || !scanner.isEmpty { answers.scanners = scanner }
    if noBeacons || !beacon.isEmpty { answers.beacons = beacon }
    if noZone { answers.zone = .some(nil) } else if let zone { answers.zone = zone }
    answers.page = page
    answers.pageChanges = pageChanges
    answers.limit = signal.map { Draft.Limit($0, .signal) } ?? distance.map { Draft.Limit($0, .distance) }
    return answers
  }

  /// Starts the service if the user wants that; otherwise explains how.
  private func startService(
    _ placement: Placement, _ draft: Draft, _ surroundings: InitSurroundings
  ) throws(SetupFault) {
    guard let unit = placement.unit else {
      // The service waits, too.
      let waiting = draft.usesRadio && surroundings.adapter == nil ? " --wait-for-adapter" : ""
      say("What it does: beaconkeeper check \(placement.path)")
      say("Start it:     beaconkeeper run\(waiting) --config \(placement.path)")
      return
    }
    let service = Service(unit: unit)
    let byHand = "sudo systemctl enable \(unit) && sudo systemctl restart \(unit)"
    guard Service.canBeStarted else {
      if start == nil { say("Start it: \(byHand)") }
      return
    }
    var wants = start ?? false
    if start == nil, surroundings.isAnswered {
      let question = Question("Start the service now and at boot?", usual: "yes", option: "--start")
      wants = (try? surroundings.agreed(question)) ?? false
    }
    guard wants else {
      say("Start it: \(byHand)")
      return
    }
    guard service.start() else { throw .undone("the service does not start; look at: journalctl -u \(unit)") }
    say("The service \(unit) runs. What it says: journalctl -f -u \(unit)")
  }

  private func tellPage(_ draft: Draft) {
    switch draft.page {
    case .off: return
    case .here: say("Dashboard:    http://127.0.0.1:\(Draft.pagePort) on this machine")
    case .everywhere: say("Dashboard:    http://\(machineName()):\(Draft.pagePort), with the password")
    }
    if draft.writePasswordFile != nil { say("To set up more there, log in with the password for changes.") }
  }

  /// Prints why it ends, and returns the exit code.
  private func stop(_ fault: SetupFault) -> ExitCode {
    switch fault {
    case .missing, .unusable: return refusal("\(fault)", Self.self)
    case .broker(_, let refusal):
      return failure("\(fault)", refusal.concernsCredentials ? .noPermission : .unavailable)
    case .exists, .unwritable: return failure("\(fault)", .cannotCreate)
    case .undone: return failure("\(fault)", .unavailable)
    case .givenUp:
      say("beaconkeeper: \(fault)")
      return ExitCode.failure
    }
  }
}
