import ArgumentParser
import Configuration
import FoundationEssentials
import Gateway
import Phones
import Reports

struct PlanCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "plan",
    abstract: "Which wake regions keep a phone's app listening, and when is each on air?",
    usage: """
      beaconkeeper plan --os <name> --strategy <name> [--reach <50m>] [--speed <1m/s>] …
      beaconkeeper plan [--os <name> ...] [--strategy <name> ...] …
      """,
    discussion: """
      Each enter and exit of a beacon region gives an app in the background some time to range. A gateway that broadcasts \
      regions in turns can renew that time again and again. `plan` searches for a rotation that leaves no gap for a phone \
      within reach, whatever its latencies, and that wakes the phone before it has walked from the edge of the reach to \
      the gateway. Of several, it chooses the one with the fewest regions, then the fewest wake-ups, then the least time on \
      air. Turns need not be equally long or evenly spaced. As a proof, the policy engine of `simulate` then follows \
      phones that arrive at every second of the period (at most 600 arrival times), with callbacks as early and as late as \
      possible, for an hour each. plan reports the worst case.

      If every rotation leaves a gap, plan says why, and what the best one covers. Latencies are those observed in the \
      field (--variant observed); --set changes any constant. On Android the scan schedule decides when an app listens, \
      and no rotation changes that.

      Wake-ups are a risk in app review: Apple says that an app should not use background tasks simply to keep running. \
      The review risk is never below that of the strategy. It is at least medium if a plan wakes the app more often than \
      the beacons themselves do, and high from 2 wake-ups a minute on. These limits are guesses; no source gives a number.

      For one system and one strategy, plan prints the whole plan with its timeline; for several, one line for each valid \
      pair. --report F.html writes one page with a drawing for each.

      Exit status: 0 at least one pair has a plan without a gap, or needs none; 1 no pair does; 64 wrong usage; 73 the \
      report cannot be written; 74 standard output cannot be written; 78 a bad configuration.

      EXAMPLES
        beaconkeeper plan --os ios13 --strategy background-task
        beaconkeeper plan --os ios7 --strategy background-task --reach 30m \\
            --speed 1.4m/s --json
        beaconkeeper plan --os ios17 --strategy stock --regions 3
        beaconkeeper plan --os ios7 --strategy stock --set exit_latency=30s
        beaconkeeper plan --report plans.html
      """)

  @OptionGroup var profiles: ProfileOptions
  @Option(
    help: ArgumentHelp(
      "How far the broadcasts are heard, 1m to 1km; default: the strategy's, mostly 50m.",
      valueName: "distance"))
  var reach: String?
  @Option(help: ArgumentHelp("How fast phones approach, 0.01m/s to 100m/s.", valueName: "speed"))
  var speed = "1m/s"
  @Option(help: ArgumentHelp("Regions that the app can spare, 1 to 20.", valueName: "number"))
  var regions = WakePlan.mostRegions
  @Option(
    help: ArgumentHelp("Advertising instances of the gateway's controller, 1 to 20.", valueName: "number"))
  var slots = 1
  @Option(
    help: ArgumentHelp("How far starts and ends of broadcasts may be off, 0s to 60s.", valueName: "duration"))
  var tolerance = "1s"
  @Option(help: ArgumentHelp("The UUID of the regions, for the output.", valueName: "UUID"))
  var uuid: String?
  @Option(
    name: .shortAndLong, help: ArgumentHelp("A configuration with profiles of your own.", valueName: "file"))
  var config: String?
  @Option(help: ArgumentHelp("Write a page with drawings; - is standard output.", valueName: "file"))
  var report: String?
  @Flag(help: "Print JSON: one object, or an array for several pairs.")
  var json = false

  private var variant: Variant { profiles.chosenVariant ?? .observed }

  func validate() throws {
    guard (1...WakePlan.mostRegions).contains(regions) else {
      throw ValidationError("--regions \(regions) is not from 1 to \(WakePlan.mostRegions).")
    }
    guard (1...WakePlan.mostRegions).contains(slots) else {
      throw ValidationError("--slots \(slots) is not from 1 to \(WakePlan.mostRegions).")
    }
    if let uuid, UUID(uuidString: uuid) == nil {
      throw ValidationError("--uuid \(uuid) is not a UUID such as F29DC74A-DBBD-12DE-318A-C8B046DD4425.")
    }
    if report == "-" && json { throw ValidationError("--report - and --json both write to standard output.") }
    _ = try request(reach: 1)
    // The names in a configuration are not known yet.
    if config == nil { _ = try profiles.profiles(ProfileSettings(), variant) }
  }

  func run() throws {
    let configuration =
      config == nil ? .builtIn(hostName: "") : try ConfigurationOption.load(config).configuration
    let chosen = try profiles.announced(configuration.profiles, variant, Self.self)
    let proposals = WakeProposal.all(
      for: try chosen.map { ($0, try request(reach: $0.strategy[.heardDistance])) })
    let uuid = uuid.map { $0.uppercased() }
    if let report {
      let page = PlanReport(scenario: scenario, proposals: proposals, uuid: uuid, version: Gateway.version)
      try ReportFile(path: report).write(page.html)
    }
    if report != "-" {
      if json {
        try tell(PlanJSON(variant: variant, uuid: uuid).text(proposals))
      } else {
        let isIOS = proposals.contains { $0.profile.os.family == .iOS }
        let text =
          proposals.count == 1 ? PlanText(proposals[0], uuid: uuid).text : PlanTable(proposals).text
        try tell((isIOS ? "\(variant.words)\n\n" : "") + text)
      }
    }
    if proposals.allSatisfy({ $0.verdict == .none }) { throw ExitCode(1) }
  }

  /// `reach`: the default.
  private func request(reach usual: Micrometres) throws -> WakeProposal.Request {
    let reach =
      try reach.map {
        try amount($0, "--reach", Amount.distance, 1_000_000...1_000_000_000, "1m to 1km")
      } ?? usual
    let speed = try amount(speed, "--speed", Amount.speed, 10_000...100_000_000, "0.01m/s to 100m/s")
    let tolerance = try amount(tolerance, "--tolerance", Amount.duration, 0...60_000, "0s to 60s")
    return WakeProposal.Request(
      visit: .init(reach: reach, speed: speed), regions: regions, slots: slots, tolerance: tolerance)
  }

  private var scenario: [(name: String, value: String)] {
    var scenario: [(name: String, value: String)] = [
      ("reach", reach ?? "as the strategy has it"), ("speed", speed), ("regions at most", "\(regions)"),
      ("advertising instances", "\(slots)"), ("broadcasts exact to", tolerance),
      ("variant", variant.rawValue),
    ]
    if let config { scenario.append(("configuration", config)) }
    if let uuid { scenario.append(("UUID", uuid)) }
    return scenario + profiles.scenario
  }
}
