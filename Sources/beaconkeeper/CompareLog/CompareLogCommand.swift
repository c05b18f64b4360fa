import ArgumentParser
import Configuration
import Core
import Phones

struct CompareLogCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "compare-log",
    abstract: "Did a phone do what its profile predicts? Its log shows where not.",
    usage: """
      beaconkeeper compare-log <log> ... --os <name> --strategy <name> …
      beaconkeeper compare-log <log> ... … --timeline <file>
      beaconkeeper compare-log <log> ... … --capture <file> --config <file>
      beaconkeeper compare-log <log> ... … --fit <file>
      beaconkeeper compare-log --record <file>
      """,
    discussion: """
      Reads what a phone wrote, predicts from the same events what its app should have done, and shows where the two part: \
      the first divergence first, each with what was predicted, what was seen, and the rule and constants that decided.

      A log is a file, or - for standard input, with lines of any of these kinds:
        our own       {"time":"2026-11-28T10:00:03Z","event":"near","beacon":"pump"}
        iOS, macOS    NSLog and Xcode; `log show`, also with --style syslog,
                      compact, json or ndjson; what Console copies; idevicesyslog
        Android       logcat in the formats threadtime, time, long, year, epoch;
                      Android Studio
      In foreign lines the names of callbacks count: didEnterRegion, didExitRegion, didDetermineState, didRange, \
      didEnterBackground, didBecomeActive, "background time remaining", "task expired", what iOS writes about a process that \
      it suspends or ends, and what AltBeacon writes. All other lines are skipped. Of lines whose time names no year or \
      no day, --date says near which day the log begins.

      The events of our own format are those of a timeline (see simulate --help) and near, ranged ("distance_m", \
      "rssi"), launched, suspended, resumed, terminated, expiration, remaining ("value": seconds, or null), scan-start, \
      scan-stop. An app writes them with ten lines: see config/examples/app-log or /usr/share/doc/beaconkeeper/examples/app-log.

      Where the beacons were comes from --timeline or --capture. The phone's clock is then compared with that clock by the \
      events that both tell, and how far it is off is printed. Without them, region events, and distances that the app wrote, \
      come from the log itself.

      A divergence that an earlier one explains is counted there: after it, the phone is taken as the log shows it, with \
      the log's constants and region events.

      --record reads out what a gateway keeps about a phone whose app reports what it noticed: the retained message of \
      phone/<phone>/record. It needs no log.

      --fit writes what the logs say about the constants as a profile for `profiles:`. A constant with fewer than \
      --fit-least observations is shown, but not written. What differs from visit to visit is written as a distribution.

      Exit status: 0 the log agrees, 1 it diverges, 64 wrong usage, 65 there is nothing to compare or a line of our own format \
      is malformed, 73 the profile cannot be written, 74 a file cannot be read, 78 a bad configuration.

      EXAMPLES
        beaconkeeper compare-log a.log --os ios8 --strategy background-task
        beaconkeeper compare-log a.log --os ios17 --strategy stock --timeline a.jsonl
        beaconkeeper compare-log a.log --phone anna --capture a.btsnoop -c my.yaml
        beaconkeeper compare-log *.log --os ios17 --strategy stock --fit mine.yaml
        mosquitto_sub -C 1 -t beaconkeeper/forecourt/phone/anna/record | \\
          beaconkeeper compare-log --record -
        idevicesyslog -p Shop >a.log
        beaconkeeper compare-log a.log --os ios17 --strategy stock --app Shop
        adb logcat -d --pid=$(adb shell pidof -s com.example.shop) >a.log
        beaconkeeper compare-log a.log --os android14 --strategy altbeacon-intent
      """)

  @Argument(help: ArgumentHelp("A log of the phone; - is standard input.", valueName: "log"))
  var logs: [String] = []
  @Option(
    help: ArgumentHelp(
      "A message of phone/<phone>/record instead of a log; - is standard input.", valueName: "file"))
  var record: String?
  @Option(
    help: ArgumentHelp("Only foreign lines that contain this: the app's name or process.", valueName: "text"))
  var app: String?
  @Option(
    help: ArgumentHelp(
      "A day near the beginning of the log, for lines without year or day.", valueName: "2026-11-28"))
  var date: String?
  @Option(
    help: ArgumentHelp("The zone of lines that name none, for --capture. Default: UTC.", valueName: "+01:00"))
  var zone: String?
  @OptionGroup var truth: TruthOptions
  @OptionGroup var profiles: ProfileOptions
  @Option(help: ArgumentHelp("How far apart times may be.", valueName: "duration"))
  var tolerance = "1s"
  @OptionGroup var fit: FitOptions
  @Flag(
    help:
      "Print one JSON object; its schema is log-comparison.schema.json, in config/schemas or /usr/share/beaconkeeper/schemas."
  )
  var json = false

  func validate() throws {
    if record != nil {
      guard logs.isEmpty, !json, fit.fit == nil else {
        throw ValidationError(
          "--record goes with neither a log nor --json nor --fit: the message is JSON itself.")
      }
      return
    }
    guard !logs.isEmpty else { throw ValidationError("Name a log of the phone, or a message by --record.") }
    guard logs.count(where: { $0 == "-" }) < 2 else { throw ValidationError("- is given twice.") }
    _ = try times()
    try truth.check()
    try fit.check()
    if truth.phone != nil {
      guard profiles.os.isEmpty, profiles.strategy.isEmpty, profiles.device == nil,
        profiles.condition.isEmpty,
        profiles.chosenVariant == nil
      else {
        throw ValidationError(
          "--phone has a profile of its own; leave out --os, --strategy, --device, --condition, and --variant."
        )
      }
    }
    if truth.config == nil, truth.phone == nil { _ = try profile(Configuration.builtIn(hostName: "")) }
  }

  func run() throws {
    if let record {
      guard let account = RecordAccount(try InputText(path: record).bytes()) else {
        throw failure("\(record): this is no message of phone/<phone>/record", .dataError)
      }
      try tell(account.text)
      if !account.agrees { throw ExitCode(1) }
      return
    }
    let configuration =
      truth.needsConfiguration
      ? try ConfigurationOption.load(truth.config).configuration : .builtIn(hostName: "")
    let profile = try chosenProfile(configuration)
    let (tolerance, zone, date) = try times()
    let known = try truth.read(configuration)
    var blames: [LogBlame] = []
    var observed = LogFit()
    var faults = 0
    for path in logs {
      let file = InputText(path: path)
      var log = SeenLog(app: app, zone: zone, date: date ?? known?.begin)
      log.read(try file.bytes())
      for fault in log.faults { say("\(path):\(fault.line):\(fault.column): error: \(fault.message)") }
      faults += log.faults.count
      tellWhatWasRead(log, path)
      do throws(LogComparison.Obstacle) {
        let blame = try LogBlame(
          log, with: profile, near: known?.near ?? truth.nearRule(configuration), truth: known?.timeline,
          tolerance: tolerance)
        observed.add(log, blame.comparison)
        blames.append(blame)
      } catch {
        throw failure("\(path): \(error.words)", .dataError)
      }
    }
    let account = LogAccount(
      blames: blames, paths: logs, fit: observed.rows, profile: profile, begin: known?.begin)
    try fit.write(observed, profile: profile)
    if fit.fit != "-" { try tell(json ? account.json : account.text) }
    if faults > 0 { throw failure("\(faults) lines cannot be used", .dataError) }
    if blames.contains(where: { !$0.causes.isEmpty }) { throw ExitCode(1) }
    if let empty = blames.firstIndex(where: { $0.comparison.compared == 0 }) {
      throw failure("\(logs[empty]): nothing that this log tells could be compared", .dataError)
    }
  }

  private func tellWhatWasRead(_ log: SeenLog, _ path: String) {
    var line = "\(path): \(log.events.count) events in \(log.lines) lines"
    if log.leftOut > 0 { line += ", \(log.leftOut) left out: they have no time, or are too many" }
    if log.skipped > 0 { line += ", \(log.skipped) JSON \(log.skipped == 1 ? "line" : "lines") skipped" }
    say(line)
    if log.isTurnedBack {
      say(
        "  its times step back by up to an hour, as at the end of summer time: take a log whose lines have offsets"
      )
    }
    if !log.unknownWords.isEmpty {
      let words = log.unknownWords.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.prefix(5)
      say("  not understood: " + words.map { "\($0.key) (\($0.value))" }.joined(separator: ", "))
    }
  }

  private func times() throws -> (tolerance: Milliseconds, zone: Milliseconds, date: Milliseconds?) {
    guard let span = Amount.duration(tolerance), span <= 60_000 else {
      throw ValidationError("--tolerance \(tolerance) is not a duration such as 1s, of at most 60s.")
    }
    var east: Milliseconds = 0
    if let zone {
      guard let utc = WallTime(rfc3339: "2000-01-01T00:00:00Z"),
        let there = WallTime(rfc3339: "2000-01-01T00:00:00" + zone)
      else { throw ValidationError("--zone \(zone) is not one such as +01:00.") }
      east = (utc.nanoseconds - there.nanoseconds) / 1_000_000
    }
    let day = try date.map { date in
      guard let time = WallTime(rfc3339: date + "T12:00:00Z") else {
        throw ValidationError("--date \(date) is not a day such as 2026-11-28.")
      }
      return time.nanoseconds / 1_000_000
    }
    return (span, east, day)
  }

  /// The one profile that is asked for.
  private func profile(_ configuration: Configuration) throws -> PhoneProfile {
    if let name = truth.phone {
      guard let phone = configuration.phones.first(where: { $0.name == name }) else {
        let all = configuration.phones.map(\.name).joined(separator: ", ")
        throw ValidationError(
          "--phone \(name) is none of the configured ones: \(all.isEmpty ? "there is none" : all).")
      }
      return try profiles.changed(phone.profile)
    }
    guard profiles.os.count == 1, profiles.strategy.count == 1 else {
      throw ValidationError("Name one --os and one --strategy of the phone, or a configured --phone.")
    }
    guard
      let profile = try profiles.profiles(configuration.profiles, profiles.chosenVariant ?? .observed).first
    else {
      throw ValidationError("--strategy \(profiles.strategy[0]) does not fit --os \(profiles.os[0]).")
    }
    return profile
  }

  private func chosenProfile(_ configuration: Configuration) throws -> PhoneProfile {
    do {
      let chosen = try profile(configuration)
      for line in profiles.substitutions(configuration.profiles, profiles.chosenVariant ?? .observed) {
        say("beaconkeeper: \(line)")
      }
      return chosen
    } catch let error as ValidationError {
      throw refusal(error.message, Self.self)
    }
  }
}

extension LogComparison.Obstacle {
  fileprivate var words: String {
    switch self {
    case .empty: "there is no event with a time in this log; --help says which lines are read"
    case .nothingInCommon:
      "the log tells nothing that is told elsewhere, too, so that the clocks cannot be compared"
    case .tooLong: "there is more than a year between its first event and its last; --date may be wrong"
    }
  }
}
