import ArgumentParser
import Captures
import Configuration
import Core
import Gateway
import Glibc

struct ScanCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "scan",
    abstract: "Shows the beacons in range.",
    discussion: """
      On a terminal, scan shows a live table until Ctrl-C. Otherwise it prints what it heard in ten seconds. \
      Configured beacons appear under their names. Strangers appear under the name that they send, in quotes, and a \
      mark that the dashboard shows, too. Signal and distance are smoothed. With a configuration that has scanners, it hears what they hear, \
      too: add --config.

      EXAMPLES
        beaconkeeper scan
        beaconkeeper scan --all --seconds 30 --json
        beaconkeeper scan --yaml
        beaconkeeper scan --config site.yaml --yaml
        beaconkeeper scan --capture monday.btsnoop
      """)

  @Option(
    name: .shortAndLong,
    help: ArgumentHelp("A configuration, for names, calibration and scanners.", valueName: "file"))
  var config: String?
  @Option(
    help: ArgumentHelp(
      "Read a recording instead of the radio; shows the table at its end.", valueName: "file"))
  var capture: [String] = []
  @Option(help: ArgumentHelp("How long to listen.", valueName: "s"))
  var seconds: Double?
  @Flag(help: "Also show devices that are not beacons: phones, headsets, watches.")
  var all = false
  @Flag(help: "Show addresses instead of marks.")
  var showAddresses = false
  @Flag(help: "Print one JSON object per device.")
  var json = false
  @Flag(help: "Print configuration lines for every beacon that is not configured yet.")
  var yaml = false

  func validate() throws {
    if json, yaml { throw ValidationError("Either --json or --yaml.") }
  }

  func run() async throws {
    let configuration = try ConfigurationOption.load(config).configuration
    var table = ScanTable()
    table.showsAll = all
    table.showsAddresses = showAddresses
    table.displayNames = configuration.displayNames
    if capture.isEmpty {
      try await listen(configuration, table)
    } else {
      let (survey, end) = try reading { () throws(CaptureError) in
        try AirSurvey.ofRecordings(capture, configuration)
      }
      try show(table, survey, at: end)
    }
  }

  private func show(_ table: ScanTable, _ survey: AirSurvey, at time: MonotonicTime) throws(ExitCode) {
    let lines =
      if yaml {
        table.configuration(survey, at: time)
      } else if json {
        table.objects(survey, at: time)
      } else {
        table.lines(survey, at: time)
      }
    for line in lines { try tell(line) }
  }

  private func listen(_ configuration: Configuration, _ table: ScanTable) async throws {
    let ear = LiveSurvey(configuration)
    let isLive = isatty(1) == 1 && !json && !yaml && seconds == nil
    do {
      try await ear.listen(
        for: isLive ? nil : .seconds(seconds ?? 10),
        onNotice: { if !isLive { say("beaconkeeper: \($0)") } }
      ) { if isLive { draw(table, $0) } }
    } catch {
      throw failure("\(error)", .unavailable)
    }
    if !isLive { try show(table, ear.survey, at: LiveClock.now) }
  }

  /// Draws the table over the previous one.
  private func draw(_ table: ScanTable, _ survey: AirSurvey) {
    var table = table
    if let size = KeyTerminal.size(of: 1), size.height > 4 {
      (table.height, table.width) = (size.height, size.width)
    }
    let lines = table.lines(survey, at: LiveClock.now).map { $0 + "\u{1B}[K" }
    _ = StandardStream.output.write(("\u{1B}[H" + lines.joined(separator: "\n") + "\u{1B}[J").utf8)
  }
}
