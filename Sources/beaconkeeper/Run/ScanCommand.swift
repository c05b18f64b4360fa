import Machine
import Captures
import ArgumentParser
import Beacons
import Dispatch
import Glibc
import Gateway
import Settings
import Radio
import Synchronization

struct ScanCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "scan",
    abstract: "Shows the beacons in range.",
    discussion: """
      On a terminal, scan shows a live table until Ctrl-C. Otherwise it prints what it heard in ten seconds. \
      Configured beacons appear under their names. Others appear under the name they send, in quotes, or a hash of \
      their address. RSSI and distance are smoothed.

      EXAMPLES
        beaconkeeper scan
        beaconkeeper scan --all --seconds 30 --json
        beaconkeeper scan --yaml
        beaconkeeper scan --capture monday.btsnoop
      """)

  @Option(
    name: .shortAndLong, help: ArgumentHelp("A configuration, for names and calibration.", valueName: "file"))
  var config: String?
  @Option(
    help: ArgumentHelp(
      "Read a recording instead of the radio; shows the table at its end.", valueName: "file"))
  var capture: [String] = []
  @Option(help: ArgumentHelp("How long to listen.", valueName: "s"))
  var seconds: Double?
  @Flag(help: "Also show devices that are not beacons: phones, headsets, watches.")
  var all = false
  @Flag(help: "Show addresses instead of hashes.")
  var showAddresses = false
  @Flag(help: "Print one JSON object per device.")
  var json = false
  @Flag(help: "Print configuration lines for every beacon that is not configured yet.")
  var yaml = false

  func validate() throws {
    if json, yaml { throw ValidationError("Either --json or --yaml.") }
  }

  func run() async throws {
    let configuration = try loadConfiguration(config)
    var table = ScanTable(salt: .random(in: .min ... .max))
    table.showsAll = all
    table.showsAddresses = showAddresses
    table.displayNames = configuration.displayNames
    if capture.isEmpty {
      try await listen(configuration, table)
    } else {
      let (survey, end) = try read(configuration)
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

  private func read(_ configuration: Configuration) throws -> (AirSurvey, MonotonicTime) {
    var survey = AirSurvey(configuration)
    var end = MonotonicTime.zero
    do throws(CaptureError) {
      var recording = try Recording(paths: capture)
      var receivers = ReceiverTable()
      var batch = AdvertisementBatch()
      while case let step = try recording.next(into: &batch, receiver: { receivers.index(of: $0) }),
        step != .end
      {
        batch.forEach { advertisement, payload in
          survey.observe(copy advertisement, payload: payload)
          end = advertisement.time
        }
      }
    } catch {
      throw failure(error)
    }
    return (survey, end)
  }

  private func listen(_ configuration: Configuration, _ table: ScanTable) async throws {
    let board = Board(configuration)
    let isLive = isatty(1) == 1 && !json && !yaml && seconds == nil
    do {
      let radio = try LiveRadio(LiveRadio.Options(configuration))
      let ended = AsyncStream.makeStream(of: RadioError?.self)
      try radio.start(
        LiveRadio.Handlers { batch, _ in
          board.survey.withLock { survey in batch.forEach { survey.observe(copy $0, payload: $1) } }
        }
      ) { error in
        ended.continuation.yield(error)
        ended.continuation.finish()
      }
      let limit = seconds ?? 10
      let clock = Task {
        var passed = 0.0
        while isLive || passed < limit {
          try await Task.sleep(for: .milliseconds(500))
          passed += 0.5
          if isLive { board.draw(table) }
        }
        radio.stop()
      }
      let interrupt = stopOnInterrupt(radio)
      defer { interrupt.cancel() }
      for await error in ended.stream {
        clock.cancel()
        if let error { throw error }
      }
      if !isLive { try show(table, board.survey.withLock { $0 }, at: LiveClock.now) }
    } catch let error as RadioError {
      throw failure("\(error)", .unavailable)
    }
  }

  /// Ctrl-C ends the scan as `--seconds` would, so that what was heard is shown and the radio left as it was.
  private func stopOnInterrupt(_ radio: LiveRadio) -> any DispatchSourceSignal {
    signal(SIGINT, SIG_IGN)
    let source = DispatchSource.makeSignalSource(signal: SIGINT, queue: .global())
    source.setEventHandler { radio.stop() }
    source.activate()
    return source
  }
}

/// The survey that the radio's thread fills and the table shows.
private final class Board: Sendable {
  let survey: Mutex<AirSurvey>

  init(_ configuration: Configuration) { survey = Mutex(AirSurvey(configuration)) }

  /// Writes the table over the one before.
  func draw(_ table: ScanTable) {
    var table = table
    var size = winsize()
    if ioctl(1, UInt(TIOCGWINSZ), &size) == 0, size.ws_row > 4 {
      table.height = Int(size.ws_row)
      table.width = Int(size.ws_col)
    }
    let lines = table.lines(survey.withLock { $0 }, at: LiveClock.now).map { $0 + "\u{1B}[K" }
    print("\u{1B}[H" + lines.joined(separator: "\n") + "\u{1B}[J", terminator: "")
    fflush(nil)
  }
}
