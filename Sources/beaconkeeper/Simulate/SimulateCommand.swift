import ArgumentParser
import Configuration
import Gateway
import Phones
import Reports

struct SimulateCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "simulate",
    abstract: "Would a phone's own app have noticed the beacon?",
    usage: """
      beaconkeeper simulate --approach <50m@1m/s> ... [--near <distance>] [--os <name>] [--strategy <name>] …
      beaconkeeper simulate --timeline <file> …
      beaconkeeper simulate --capture <file> ... --config <file> …
      beaconkeeper simulate --list
      beaconkeeper simulate --explain <strategy> [--os <name>]
      """,
    discussion: """
      Follows a walk towards a beacon, a timeline of your own, or every approach in a recording. For each operating system \
      and background strategy it shows whether the app would have noticed the beacon, how late, or why not.

      --report F.html writes one page with a drawing for each profile. --compare ranks the strategies of each system: the \
      share of near triggers that each delivers, on a crowd of phones that differ as measured phones do, and its cost in \
      battery over a day. --explain prints what an app with \
      this strategy does, as pseudo-code, and the rules with their sources.

      A timeline has one JSON object per line: waypoints {"t":0,"distance_m":50}, between which the phone moves at \
      constant speed (null: out of range), and events {"t":3,"event":"background"}: foreground, background, region-enter, \
      region-exit, begin-task and end-task ("id"; "granted":false for one that is refused, "handler":true for one whose \
      expiration handler ends it), audio-on, audio-off, background-fetch, screen-on, screen-off, bluetooth-on, \
      bluetooth-off, permission ("value": always, when-in-use, denied, reduced-accuracy, …), location-start, \
      location-stop, force-quit, low-memory, reboot, user-launch, debugger ("value": true or false), location-services-on, \
      location-services-off, still, moving, bucket ("value": active, working-set, frequent, rare). Region events follow \
      from the distance unless the timeline has some of its own. A waypoint may name one of several beacons, and its identity: \
      {"t":0,"beacon":"door","uuid":"…","major":1,"minor":2,"distance_m":8}. {"region":"UUID/1/2"} is a region that the app \
      monitors, as --region; it may have twenty. With one region for all, only the first beacon of a row wakes the app; with \
      one for each, every beacon does.

      \(PlatformWords.ofEvents)

      In a recording, an approach lasts from the first sighting of a beacon to its loss. The configured zones decide near, \
      as in `replay`, unless --near gives a distance. Configured phones come first, each with its own profile and only for \
      the beacon that it carries.

      --expect says what must come true. --expect-file does so for certain profiles and approaches, with one JSON object \
      per line: {"os":"ios17","strategy":"background-task","approach":"50m@1m/s","expect":"delivered within 2 s"}. All \
      members except expect are optional. A timeline may contain such lines, too: {"expect":"delivered"} or, at a time, \
      {"t":50,"expect":"ranging"}, with os and strategy if needed. Failed expectations are printed to standard error with \
      the events that decided, and so are expectations that applied to nothing.

      Exit status: 0 simulated, 1 an expectation was not met, 64 wrong usage, 65 a bad line in a timeline or in \
      expectations, or a damaged recording, 73 a report cannot be written, 74 a file cannot be read or standard output \
      cannot be written, 78 a bad configuration.

      EXAMPLES
        beaconkeeper simulate --approach 50m@1m/s --near 4m
        beaconkeeper simulate --approach 50m@1.4m/s --near 4m --os ios13 \\
            --strategy background-task --json
        beaconkeeper simulate --timeline visit.jsonl --os ios17 --variant seed \\
            --report visit.html
        beaconkeeper simulate --approach 50m@1m/s --strategy task-list-sampled \\
            --set sample_interval=200s
        beaconkeeper simulate --capture monday.btsnoop --config site.yaml \\
            --report monday.html
        beaconkeeper simulate --explain background-task --os ios17
        beaconkeeper simulate --approach 50m@1m/s --os ios7 \\
            --strategy background-task --expect 'delivered within 2 s'
        beaconkeeper simulate --timeline visit.jsonl \\
            --expect-file expectations.jsonl --junit results.xml
        beaconkeeper simulate --compare --approach 50m@1m/s --approach 30m@0.3m/s \\
            --visits-per-day 4 --os ios17
        beaconkeeper simulate --compare --approach 50m@1m/s --os ios7 \\
            --device iphone-4s
        beaconkeeper simulate --approach 5m@1m/s --near 2m --os android14 --since 15s
      """)

  @OptionGroup var approaches: ApproachOptions
  @Option(
    help: ArgumentHelp(
      "A recording, in any format that replay reads; may be given several times.", valueName: "file"))
  var capture: [String] = []
  @Option(
    name: .shortAndLong,
    help: ArgumentHelp(
      "The configuration: zones and phones for a recording, profiles of your own.", valueName: "file"))
  var config: String?
  @Option(
    help: ArgumentHelp(
      "Only this beacon of the recording; may be given several times. Default: the beacons that phones carry, otherwise all.",
      valueName: "name"))
  var beacon: [String] = []
  @OptionGroup var profiles: ProfileOptions
  @Flag(help: "Rank the strategies of each system by what they deliver and what they cost.")
  var compare = false
  @Option(
    help: ArgumentHelp(
      "How many approaches there are in a day, for the battery cost of --compare.", valueName: "number"))
  var visitsPerDay = 1
  @Option(
    help: ArgumentHelp(
      "How many visits of different phones --compare and --json follow, 10 to 10000 in tens. Default with --compare: 200; in a recording 40 an approach.",
      valueName: "number"))
  var draws: Int?
  @Option(help: ArgumentHelp("Another seed, another crowd of phones. Default: 1.", valueName: "number"))
  var seed: UInt64 = 1
  @Option(help: ArgumentHelp("Write a page with drawings; - is standard output.", valueName: "file"))
  var report: String?
  @OptionGroup var expectations: ExpectationOptions
  @Flag(
    help:
      "Print one JSON object; its schema is simulation.schema.json, in config/schemas or /usr/share/beaconkeeper/schemas."
  )
  var json = false
  @Flag(help: "List the profiles and do nothing else.")
  var list = false
  @Option(
    help: ArgumentHelp(
      "Explain a strategy, as pseudo-code with its rules and their sources, and do nothing else.",
      valueName: "strategy"))
  var explain: String?

  private var variant: Variant { profiles.chosenVariant ?? .observed }

  func validate() throws {
    if explain != nil && json { throw ValidationError("--explain writes text; --json does not go with it.") }
    if list || explain != nil { return }
    let kinds = [!approaches.approach.isEmpty, approaches.timeline != nil, !capture.isEmpty]
    guard kinds.count(where: { $0 }) == 1 else {
      throw ValidationError(
        "Give one of --approach, such as 50m@1m/s, --timeline with a file, or --capture with a recording.")
    }
    if !beacon.isEmpty && capture.isEmpty { throw ValidationError("--beacon goes with --capture.") }
    if !capture.isEmpty && approaches.for != nil {
      throw ValidationError("--for does not go with --capture.")
    }
    guard (1...1000).contains(visitsPerDay) else {
      throw ValidationError("--visits-per-day \(visitsPerDay) is not from 1 to 1000.")
    }
    if let draws, !(10...10_000).contains(draws) || draws % 10 != 0 {
      throw ValidationError("--draws \(draws) is not one of 10, 20, 30 … 10000: each phone pays ten visits.")
    }
    try refuseSharedOutput()
    _ = try approaches.end()
    _ = try approaches.instants()
    _ = try approaches.regions()
    _ = try approaches.beginning(.pocket)
    if !approaches.at.isEmpty && (compare || !capture.isEmpty || approaches.approach.count > 1) {
      throw ValidationError("--at goes with a single approach or timeline, without --compare.")
    }
    _ = try approaches.nearRule(unlessGiven: capture.isEmpty ? "4m" : nil)
    _ = try approaches.walks()
    // The names in a configuration are not known yet.
    if config == nil { _ = try profiles.profiles(ProfileSettings(), variant) }
  }

  private func refuseSharedOutput() throws {
    let writers = [
      report == "-" ? "--report -" : nil, expectations.junit == "-" ? "--junit -" : nil,
      json ? "--json" : nil,
    ]
    let names = writers.compactMap(\.self)
    guard names.count < 2 else {
      throw ValidationError("\(names[0]) and \(names[1]) both write to standard output.")
    }
    if let report, report != "-", report == expectations.junit {
      throw ValidationError("--report and --junit both write to \(report).")
    }
    if approaches.timeline == "-" && expectations.expectFile == "-" {
      throw ValidationError("--timeline - and --expect-file - both read standard input.")
    }
  }

  func run() throws {
    let needsConfiguration = config != nil || !capture.isEmpty
    let configuration =
      needsConfiguration ? try ConfigurationOption.load(config).configuration : .builtIn(hostName: "")
    if list {
      let list = ProfileList(configuration.profiles, variant: variant)
      return try tell(json ? list.json : list.text)
    }
    if let explain { return try tell(explanation(of: explain, configuration.profiles)) }
    let chosen = try profiles.announced(configuration.profiles, variant, Self.self)
    let span = compare ? 86_400_000 / Milliseconds(visitsPerDay) : nil
    var asked = try expectations.asked()
    var account: SimulationAccount
    if capture.isEmpty {
      account = SimulationAccount(
        chosen, costSpan: span, crowd: crowd, lists: json, keepsCourses: keepsCourses)
      let story = try approaches.timeline.flatMap { try approaches.story($0, into: &asked) }
      account.book = book(asked, account)
      for approach in try story.map({ [$0] }) ?? approaches.walks() { account.add(approach) }
    } else {
      try refuseUnknown(configuration)
      account = SimulationAccount(
        chosen, phones: try phones(of: configuration), costSpan: span, crowd: crowd, lists: json,
        keepsCourses: keepsCourses)
      account.book = book(asked, account)
      let recorded = RecordedApproaches(
        configuration: configuration, captures: capture, beacons: beacon,
        near: try approaches.nearRule(unlessGiven: nil), since: try approaches.beginning(.pocket))
      do {
        try recorded.follow(into: &account)
      } catch {
        // The results before the fault are shown.
        if account.approaches > 0 { try conclude(&account) }
        throw error
      }
    }
    try conclude(&account)
    if account.book.expectations > 0 && account.book.missedCount > 0 { throw ExitCode(1) }
  }

  /// nil: only the typical phone is followed.
  private var crowd: (draws: Int, seed: UInt64)? {
    compare || draws != nil ? (draws ?? (capture.isEmpty ? PhoneSpread.usualDraws : 40), seed) : nil
  }

  private var keepsCourses: Bool { report != nil || json || !approaches.at.isEmpty }

  private func book(_ asked: [AskedExpectation], _ account: SimulationAccount) -> ExpectationBook {
    ExpectationBook(
      asked, systems: Set(account.tallies.map(\.profile.os.name)), checksTriggers: expectations.junit != nil)
  }

  /// Prints the results, then the expectations that failed.
  private func conclude(_ account: inout SimulationAccount) throws {
    account.finish()
    try tell(account)
    account.book.tellMissed(takesSpan: capture.isEmpty)
  }

  /// Each phone with its own profile, changed by the command line.
  private func phones(of configuration: Configuration) throws -> [PhoneSettings] {
    do {
      return try configuration.phones.map { phone in
        var phone = phone
        phone.profile = try profiles.changed(phone.profile)
        return phone
      }
    } catch let error as ValidationError {
      throw refusal(error.message, Self.self)
    }
  }

  private func refuseUnknown(_ configuration: Configuration) throws {
    guard !configuration.beacons.isEmpty else {
      throw failure(
        "no beacon is configured: name a configuration with beacons and zones by --config", .configuration)
    }
    for name in beacon {
      let region = name.split(separator: ":", maxSplits: 1).first.map(String.init) ?? name
      guard configuration.beacons.contains(where: { $0.name == name || $0.name == region }) else {
        let all = configuration.beacons.map(\.name).joined(separator: ", ")
        throw refusal("--beacon \(name) is none of \(all).", Self.self)
      }
    }
  }

  private func tell(_ account: SimulationAccount) throws {
    let comparisons = compare ? Comparison.ranking(account.tallies) : []
    if let report { try ReportFile(path: report).write(page(account, comparisons).html) }
    if let junit = expectations.junit { try ReportFile(path: junit).write(JUnitReport(account.book).xml) }
    if report == "-" || expectations.junit == "-" { return }
    if json {
      let comparison = compare ? (rankings: comparisons, visitsPerDay: visitsPerDay) : nil
      return try tell(
        SimulationDocument(
          variant: variant, account: account, instants: approaches.instants(), comparison: comparison
        ).text)
    }
    let since = try approaches.beginning(approaches.timeline == nil ? .pocket : .timeline)
    let single = capture.isEmpty && account.approaches == 1
    let note = approaches.approach.isEmpty ? "" : SimulationTable.note(on: try approaches.walks())
    if compare {
      try tell(note + SimulationTable(comparisons, variant, since, visitsPerDay: visitsPerDay).text)
    } else if single {
      try tell(note + SimulationTable(account.results, variant, since, at: approaches.instants()).text)
    } else {
      try tell(note + SimulationTable(account.tallies, variant, since).text)
    }
  }

  private func tell(_ text: String) throws { try beaconkeeper.tell(text) }

  private func page(_ account: SimulationAccount, _ comparisons: [Comparison]) throws -> Report {
    let given: [(name: String, values: [String?])] = [
      ("approach", approaches.approach), ("timeline", [approaches.timeline]), ("region", approaches.region),
      ("recording", capture),
      ("configuration", [config]), ("beacon", beacon),
      ("near", [approaches.near ?? (capture.isEmpty ? "4m" : "as the zones decide")]),
      ("re-arm", [approaches.rearm]), ("followed for", [approaches.for]), ("variant", [variant.rawValue]),
      ("in the pocket since", [approaches.since]),
      ("draws", [crowd.map { "\($0.draws)" }]), ("seed", [crowd.map { "\($0.seed)" }]),
    ]
    let scenario = given.flatMap { name, values in values.compactMap(\.self).map { (name: name, value: $0) } }
    var report = Report(
      scenario: scenario + profiles.scenario, tallies: account.tallies, examples: account.drawn,
      version: Gateway.version)
    report.comparisons = comparisons
    report.visitsPerDay = visitsPerDay
    return report
  }
}
