import ArgumentParser
import Configuration
import Core
import Gateway
import Phones
import Reports

struct DesignCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "design",
    abstract: "Which power, interval, regions and strategy serve an installation?",
    discussion: """
      Tries beacons in a row, such as those of exhibits, pumps or shelves, with visitors who stop at each. It tries transmit \
      powers, advertising intervals, one region for all places or one for each, distances at which the app fires and how long the \
      phone must be that near (dwell), with \
      every strategy of the systems that your visitors have. It shows the best choices, why the others fall out, and which \
      spacing would work. Phones differ by 9 dB up and down, for their model and the body that carries them.

      Each visitor walks past all places at each of the speeds. A trigger is right if the visitor is within --near of the \
      place then, or within half the spacing. It is wrong if the visitor is farther away, for instance still at the \
      neighbour. It is too late if it comes more than --within after the visitor's stop; simulate calls a trigger late from a \
      second after the crossing. "App's near" is the distance below which the app fires, as the phone believes it.

      --ci writes a visit with the best choice as a timeline that says what is expected, and prints the command that checks \
      it in your app's CI.

      Exit status: 0 an answer was found, 64 wrong usage, 73 a file cannot be written, 74 standard output cannot be \
      written, 78 a bad configuration.

      EXAMPLES
        Exhibits 5 m apart, for iPhones on iOS 17 and phones with Android 14:
          beaconkeeper design --places 6 --spacing 5m --near 2m \\
            --os ios17 --os android14
        The same, with pages for people and a check for your CI:
          beaconkeeper design --places 6 --spacing 5m --near 2m \\
            --os ios17 --os android14 --report museum.html --ci museum.jsonl
        One door, people who do not stop, an app that uses region events only:
          beaconkeeper design --places 1 --near 3m --stay 2s --os ios17 \\
            --strategy stock --strategy background-task
        Beacons that you already have, at -12 dBm and 1 s:
          beaconkeeper design --places 4 --spacing 8m --near 2m --os ios17 \\
            --power -12 --interval 1s
      """)

  @Option(help: ArgumentHelp("How many places there are, 1 to 100.", valueName: "number"))
  var places = 1
  @Option(help: ArgumentHelp("How far they are apart.", valueName: "distance"))
  var spacing = "5m"
  @Option(
    help: ArgumentHelp("Within this distance of a place a visitor counts as near.", valueName: "distance"))
  var near = "2m"
  @Option(help: ArgumentHelp("How near visitors stop.", valueName: "distance"))
  var stop = "1m"
  @Option(help: ArgumentHelp("How long they stay.", valueName: "duration"))
  var stay = "40s"
  @Option(help: ArgumentHelp("How long after a stop a trigger still helps.", valueName: "duration"))
  var within = "10s"
  @Option(
    help: ArgumentHelp(
      "How fast they walk; may be given several times. Default: 0.5m/s and 1.2m/s.", valueName: "speed"))
  var speed: [String] = []
  @Option(
    parsing: .unconditionalSingleValue,
    help: ArgumentHelp(
      "A transmit power in dBm to choose from, -40 to 10; may be given several times. Default: -20, -12, -4 and 4.",
      valueName: "dBm"))
  var power: [Int] = []
  @Option(
    help: ArgumentHelp(
      "An advertising interval to choose from, 20ms to 10s; may be given several times. Default: 100ms, 300ms and 1s.",
      valueName: "duration"))
  var interval: [String] = []
  @OptionGroup var profiles: ProfileOptions
  @Option(
    name: .shortAndLong, help: ArgumentHelp("A configuration with profiles of your own.", valueName: "file"))
  var config: String?
  @Option(help: ArgumentHelp("Write a page with the tables; - is standard output.", valueName: "file"))
  var report: String?
  @Option(help: ArgumentHelp("Write a timeline with expectations for your app's CI.", valueName: "file"))
  var ci: String?
  @Flag(
    help:
      "Print one JSON object; its schema is design.schema.json, in config/schemas or /usr/share/beaconkeeper/schemas."
  )
  var json = false

  private var variant: Variant { profiles.chosenVariant ?? .observed }
  /// The most work, in seconds of visits: 100 places, all systems and all choices would take too long.
  private static let mostWork = 10_000_000.0
  /// Constants that would change nothing here.
  private static let decided = [
    "advertising_interval": "design chooses the advertising interval, or takes yours: --interval 5s.",
    "heard_distance": "it follows from the beacons' power: --power -12.",
    "heard_distance_least": crowdOnly, "heard_distance_most": crowdOnly, "may_not_hear": crowdOnly,
    "near_spread": crowdOnly, "entry_latency_most": crowdOnly,
  ]
  private static let crowdOnly =
    "it is of the crowd that simulate --compare follows; here phones hear 9 dB less and 9 dB more."

  func validate() throws {
    if report == "-" && json { throw ValidationError("--report - and --json both write to standard output.") }
    guard !profiles.os.isEmpty else {
      throw ValidationError("Name the systems that your visitors have, such as --os ios17 --os android14.")
    }
    for name in profiles.set.map({ $0.prefix { $0 != "=" } }) {
      if let why = Self.decided[String(name)] { throw ValidationError("--set \(name): \(why)") }
    }
    guard (1...Installation.most).contains(places) else {
      throw ValidationError("--places \(places) is not from 1 to \(Installation.most).")
    }
    if let odd = power.first(where: { !(-40...10).contains($0) }) {
      throw ValidationError("--power \(odd) is not from -40 to 10.")
    }
    let site = try installation()
    guard site.stop <= site.near else {
      throw ValidationError("--stop \(stop) must not be farther than --near \(near).")
    }
    _ = try (speeds(), intervals())
  }

  func run() throws {
    let configuration =
      config == nil ? .builtIn(hostName: "") : try ConfigurationOption.load(config).configuration
    // `low-power` is `stock` with a low power, and here the power is chosen.
    let chosen = try profiles.announced(configuration.profiles, variant, Self.self).filter {
      $0.strategy.name != "low-power"
    }
    guard !chosen.isEmpty else {
      throw refusal("low-power is stock with beacons of low power: choose stock and --power.", Self.self)
    }
    try refuseTooMuch(chosen.count)
    let site = try installation()
    let design = InstallationDesign(
      site, speeds: try speeds(), profiles: chosen,
      powers: power.isEmpty ? InstallationDesign.powers : Set(power).sorted(), intervals: try intervals())
    let page = DesignReport(design, scenario: scenario, version: Gateway.version)
    if let report { try ReportFile(path: report).write(page.html) }
    let check = DesignCheck(design)
    if let ci { try ReportFile(path: ci).write(check.timeline) }
    if report == "-" { return }
    if json { return try tell(DesignDocument(design, variant).text) }
    let isIOS = chosen.contains { $0.os.family == .iOS }
    try tell(
      (isIOS ? "\(variant.words)\n\n" : "") + page.text
        + (ci == nil ? "" : check.dwellNote)
        + (ci.map { "\n\nIn your CI:\n  " + check.command($0, variant, profiles, config) } ?? ""))
  }

  private func refuseTooMuch(_ profiles: Int) throws {
    let site = try installation()
    // A place takes as much work as the time there, and from there to the next.
    let seconds = try speeds().reduce(0.0) {
      $0 + max(50, Double(site.stay) / 1000 + Double(site.spacing) / Double($1))
    }
    let powers = power.isEmpty ? InstallationDesign.powers.count : power.count
    // Two layouts of regions and six near distances.
    let choices = powers * (try intervals().count) * 2 * 6
    guard Double(profiles * choices * places) * seconds <= Self.mostWork else {
      throw refusal(
        "That is too much to try at once: name fewer places, systems, strategies or powers, or a shorter stay.",
        Self.self)
    }
  }

  private func installation() throws -> Installation {
    Installation(
      places: places,
      spacing: try amount(spacing, "--spacing", Amount.distance, 100_000...100_000_000, "0.1m to 100m"),
      near: try amount(near, "--near", Amount.distance, 100_000...50_000_000, "0.1m to 50m"),
      stop: try amount(stop, "--stop", Amount.distance, 0...50_000_000, "0 to 50m"),
      stay: try amount(stay, "--stay", Amount.duration, 0...3_600_000, "0 to 1h"),
      within: try amount(within, "--within", Amount.duration, 0...3_600_000, "0 to 1h"))
  }

  private func speeds() throws -> [Micrometres] {
    try (speed.isEmpty ? ["0.5m/s", "1.2m/s"] : speed).map {
      try amount($0, "--speed", Amount.speed, 100_000...50_000_000, "0.1m/s to 50m/s")
    }
  }

  private func intervals() throws -> [Milliseconds] {
    if interval.isEmpty { return InstallationDesign.intervals }
    return Set(
      try interval.map { try amount($0, "--interval", Amount.duration, 20...10_000, "20ms to 10s") }
    ).sorted()
  }

  private var scenario: [(name: String, value: String)] {
    [
      ("places", "\(places)"), ("spacing", spacing), ("near", near), ("visitors stop at", stop),
      ("and stay", stay), ("triggers within", within),
      ("speeds", (speed.isEmpty ? ["0.5m/s", "1.2m/s"] : speed).joined(separator: ", ")),
      ("power", power.map { "\($0) dBm" }.joined(separator: ", ")),
      ("interval", interval.joined(separator: ", ")), ("os", profiles.os.joined(separator: ", ")),
      ("strategy", profiles.strategy.joined(separator: ", ")), ("variant", variant.rawValue),
    ].filter { !$0.1.isEmpty } + profiles.scenario
  }
}

/// The best choice as a timeline that `simulate` checks: the first walk, on the typical phone.
struct DesignCheck {
  private let design: InstallationDesign
  private static let uuid = "2f234454-cf6d-4a0f-adf2-f4911ba9ffa6"

  init(_ design: InstallationDesign) { self.design = design }

  private var best: InstallationDesign.Option { design.options[0] }

  var timeline: String {
    let site = design.installation
    let regions = site.regions(ofEach: best.choice.hasRegionOfEach)
    let isSplit = best.choice.hasRegionOfEach
    var lines = Set(regions).sorted().map {
      "{\"region\":\"\(Self.uuid)\(isSplit ? "/\($0 + 1)" : "")\"}"
    }
    for point in site.visit(speed: design.speeds[0]).waypoints {
      var line = JSONWriter()
      line.object { json in
        json.field("t", Double(point.time) / 1000, decimals: 3)
        json.field("beacon", "place \(point.beacon + 1)")
        json.field("uuid", Self.uuid)
        json.field("major", regions[point.beacon] + 1)
        json.field("minor", point.beacon + 1)
        json.field("distance_m", point.distance.map { Double($0) / 1e6 }, decimals: 6)
      }
      lines.append(line.text)
    }
    let trial = InstallationTrial(site, speeds: design.speeds)
    for answer in best.answers {
      let result = trial.simulation(best.choice, answer.profile, offset: 0, walk: 0)
      let verdicts = result?.verdicts ?? []
      let isWhole = !verdicts.isEmpty && verdicts.allSatisfy { $0.outcome.isDelivered }
      // A second more, for the next callback.
      let seconds = (verdicts.compactMap(\.lateness).max() ?? 0) / 1000 + 2
      let expected =
        verdicts.isEmpty
        ? ["no trigger"]
        : isWhole
          ? ["delivered within \(seconds) s"]
          : verdicts.indices.map {
            "\(verdicts[$0].outcome.isDelivered ? "delivered within \(seconds) s" : "missed") of near \($0 + 1)"
          }
      for text in expected {
        lines.append(
          "{\"os\":\"\(answer.profile.os.name)\",\"strategy\":\"\(answer.profile.strategy.name)\",\"expect\":\"\(text)\"}"
        )
      }
    }
    return lines.joined(separator: "\n") + "\n"
  }

  /// A note on what the check leaves out.
  var dwellNote: String {
    let dwell = best.choice.dwell
    return dwell > 0
      ? "\n\nThe check ends where the app first ranges the beacon near; it fires \(Amount.seconds(dwell)) later, if it is still near."
      : ""
  }

  func command(_ path: String, _ variant: Variant, _ options: ProfileOptions, _ config: String?) -> String {
    let quoted = { (path: String) in
      path.allSatisfy { $0.isLetter || $0.isNumber || "/._-".contains($0) }
        ? path : "'\(path.replacing("'", with: "'\\''"))'"
    }
    let metres = { (distance: Micrometres) in "\(Double(distance) / 1e6)m" }
    let choice = best.choice
    var words = ["beaconkeeper simulate --timeline \(quoted(path)) --variant \(variant.rawValue)"]
    words.append("--near \(metres(choice.near)) --rearm \(metres(choice.near + choice.near / 2))")
    words.append("--set heard_distance=\(metres(choice.heard(offset: 0)))")
    // As in the trial: the callbacks that the interval loses, unless the phone loses more.
    let emptyTicks = best.answers.map { max($0.profile.os[.emptyTicksPerTen], choice.emptyTicks) }.max()
    words.append("--set empty_ticks_per_ten=\(emptyTicks ?? choice.emptyTicks)")
    // Shorter intervals make no difference to what is noticed.
    if choice.interval > 1000 { words.append("--set advertising_interval=\(choice.interval)ms") }
    if let config { words.append("--config \(quoted(config))") }
    words += options.scenario.filter { !$0.value.hasPrefix("empty_ticks_per_ten=") }
      .map { "--\($0.name) \($0.value)" }
    for answer in best.answers {
      words.append("--os \(answer.profile.os.name) --strategy \(answer.profile.strategy.name)")
    }
    return words.joined(separator: " \\\n    ")
  }
}

/// The same as JSON.
struct DesignDocument {
  let text: String

  init(_ design: InstallationDesign, _ variant: Variant) {
    var writer = JSONWriter()
    writer.object { json in
      json.field("version", 1)
      json.field("kind", "design")
      json.field("variant", variant.rawValue)
      json.objects("choices", design.options) { json, option in Self.write(option, into: &json) }
      json.objects("strategies", design.strategies) { json, answer in Self.write(answer, into: &json) }
      json.objects("changes", design.changes) { json, option in Self.write(option, into: &json) }
      json.objects("spacings", design.spacings) { json, wider in
        json.field("spacing_m", Double(wider.spacing) / 1e6, decimals: 3)
        Self.write(wider.option, into: &json)
      }
    }
    text = writer.text
  }

  private static func write(_ option: InstallationDesign.Option, into json: inout JSONWriter) {
    json.field("power_dbm", option.choice.power)
    json.field("interval_ms", Int(option.choice.interval))
    json.field("regions", option.choice.hasRegionOfEach ? "each" : "one")
    json.field("near_m", Double(option.choice.near) / 1e6, decimals: 3)
    json.field("dwell_s", Double(option.choice.dwell) / 1000, decimals: 3)
    json.field("right", option.right, decimals: 4)
    json.field("wrong", option.early, decimals: 4)
    json.field("late", option.late, decimals: 4)
    json.field("missed", option.missed, decimals: 4)
    json.field("right_typical_phone", option.typical, decimals: 4)
    json.field("right_worst_phone", option.worst, decimals: 4)
    json.field("latest_s", Double(option.latest) / 1000, decimals: 3)
    json.field("beacon_days", option.choice.beaconDays, decimals: 1)
    json.objects("profiles", option.answers) { json, answer in Self.write(answer, into: &json) }
  }

  private static func write(_ answer: InstallationDesign.Answer, into json: inout JSONWriter) {
    json.field("os", answer.profile.os.name)
    json.field("strategy", answer.profile.strategy.name)
    json.field("right", answer.tally.rightShare, decimals: 4)
    json.field("wrong", answer.tally.earlyShare, decimals: 4)
    json.field("late", answer.tally.lateShare, decimals: 4)
    json.field("missed", answer.tally.missedShare, decimals: 4)
    json.field("latest_s", Double(answer.tally.latest) / 1000, decimals: 3)
    json.field("battery_factor", answer.tally.battery, decimals: 4)
    if let day = answer.dayBattery { json.field("battery_factor_day", day, decimals: 4) }
  }
}
