import ArgumentParser
import Beacons
import Captures
import Configuration
import Core
import Gateway
import Glibc
import Proximity

struct CalibrateCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "calibrate",
    abstract: "Learns how receivers hear a beacon in each room.",
    usage: """
      beaconkeeper calibrate --config <file> [--beacon <name>] [--record <prefix>]
      beaconkeeper calibrate --config <file> [--beacon <name>] --marks <file> <capture> ...
      """,
    discussion: """
      Carry a beacon through all rooms and say where you are. Without captures, calibrate listens to the same receivers as \
      `run`, and shows a key for each room on the terminal. Press it when you enter the room, the space bar to pause, and \
      q when you are done. Walk about in each room for some 40 seconds.

      With captures it reads recordings, in any format that replay reads, and your marks: CSV with the header time,room \
      or, if you know the positions, time,room,x,y in metres and in the coordinates of the outlines. Between two points in \
      the same room you are assumed to walk in a straight line. An empty room ends a mark. A time is RFC 3339, Unix \
      seconds (100000000 and above) or seconds since the recording began (below).

        time,room
        0,kitchen
        45.5,hall
        90,

      calibrate learns each receiver's power and path-loss exponent, the loss per wall and maps of the signal; without \
      outlines, the levels in each room. It then shows how often the room would have been right on parts of the walk that \
      it did not learn from, step by step, and keeps what helps, if that is better than nothing measured and than the \
      calibration in use. It writes the result beside the configuration, for the \
      line `calibration: rooms.json`, and keeps up to five earlier results as rooms.json.1 (the latest) to rooms.json.5.

      Exit status: 0 calibrated, 64 wrong usage, 65 marks, a beacon or a recording that cannot be used, 69 nothing can be heard, 73 the \
      calibration cannot be written, 74 a file cannot be read, 78 a bad configuration, or one without rooms.

      EXAMPLES
        beaconkeeper calibrate --config home.yaml --beacon keys
        beaconkeeper calibrate --config home.yaml --beacon keys --record walk
        beaconkeeper calibrate --config home.yaml --marks walk.csv walk.jsonl
        beaconkeeper calibrate --config home.yaml \\
            --marks walk.csv hall.btsnoop attic.btsnoop --dry-run --json
      """)

  @OptionGroup var source: ConfigurationOption
  @Option(
    help: ArgumentHelp("The beacon that you carry. Default: the only one that is heard.", valueName: "name"))
  var beacon: String?
  @Argument(help: ArgumentHelp("Recordings of the walk; - is standard input.", valueName: "capture"))
  var captures: [String] = []
  @Option(help: ArgumentHelp("Where you were during the recordings: CSV.", valueName: "file"))
  var marks: String?
  @Option(
    name: .shortAndLong,
    help: ArgumentHelp(
      "Where to write. Default: the file that `calibration:` names, otherwise rooms.json beside the configuration, or NAME-rooms.json if that belongs to another configuration.",
      valueName: "file"))
  var output: String?
  @Option(
    help: ArgumentHelp(
      "Live: also write the walk to PREFIX.jsonl and its marks to PREFIX.csv.", valueName: "prefix"))
  var record: String?
  @Option(
    help: ArgumentHelp(
      "Live: play this recording in real time instead of the radio; - reads standard input as it arrives.",
      valueName: "file"))
  var play: String?
  @Flag(help: "Write no calibration.")
  var dryRun = false
  @Flag(help: "Print one JSON object instead of text.")
  var json = false

  func validate() throws {
    if !captures.isEmpty, record != nil || play != nil {
      throw ValidationError("--record and --play belong to a live walk; leave out the captures.")
    }
    if captures.isEmpty, marks != nil { throw ValidationError("--marks needs the recording that it marks.") }
    if !captures.isEmpty, marks == nil {
      throw ValidationError("A recording needs --marks: a file that says which room the beacon was in when.")
    }
  }

  func run() async throws {
    guard let path = source.path else {
      throw failure("\(ConfigurationOption.none); name one with --config", .configuration)
    }
    let configuration = try ConfigurationOption.load(path, calibrates: true).configuration
    guard !configuration.rooms.isEmpty else {
      throw failure(
        "\(path) has no rooms; name them under `rooms:`, each with its receivers or its outline",
        .configuration)
    }
    if let reason = configuration.isTooLargeToCalibrate { throw failure(reason, .configuration) }
    if let beacon { try check(beacon, configuration) }
    guard let (heard, placed) = try await captures.isEmpty ? live(configuration) : recorded(configuration)
    else {
      let recorded = record.flatMap { access($0 + ".jsonl", F_OK) == 0 ? $0 : nil }
      say(
        "beaconkeeper: given up; "
          + (recorded.map { "no calibration was written; the walk is in \($0).jsonl, its marks in \($0).csv" }
            ?? "nothing was written"))
      throw ExitCode(128 + SIGINT)
    }
    let usual = configuration.calibrationFile ?? CalibrationStore.usual(beside: path, of: configuration)
    let file = CalibrationStore(path: output ?? usual)
    let result = try calibrated(
      walk(heard, placed), configuration, replacing: CalibrationStore(path: usual).present(of: configuration))
    let mayWrite = result.calibration != nil && !dryRun
    if json {
      try tell(String(decoding: result.json, as: UTF8.self))
    } else {
      try tell(result.text)
    }
    if mayWrite { try write(result, to: file, configuration, path) }
    if let refusal = result.refusal {
      throw failure("no calibration was written: \(refusal)", .dataError)
    }
  }

  /// Refuses a name that is neither a beacon's nor a possible member's of a region.
  private func check(_ beacon: String, _ configuration: Configuration) throws(ExitCode) {
    let names = configuration.beacons.map(\.name)
    let region = beacon.firstIndex(of: ":").map { String(beacon[..<$0]) }
    guard !names.contains(beacon), !names.contains(where: { $0 == region }) else { return }
    let remedy =
      nearest(to: beacon, among: names).map { "did you mean \($0)?" }
      ?? (names.isEmpty ? "name it under beacons:" : "beacons: \(names.prefix(20).joined(separator: ", "))")
    throw failure("there is no beacon “\(beacon)” in the configuration; \(remedy)", .dataError)
  }

  private func calibrated(
    _ walk: WalkWithMarks, _ configuration: Configuration, replacing present: CalibrationFile?
  ) throws -> CalibrationResult {
    var line = ProgressLine()
    defer { line.finish() }
    do throws(UselessWalk) {
      return try Calibrating(walk, configuration, replacing: present).result { step in
        switch step {
        case .learning: line.show("learning from \(walk.sightings.count) sightings of \(walk.beacon)")
        case .trying(let part):
          line.show("trying it on stretches that it does not know: \(Int(part * 100)) %")
        }
      }
    } catch {
      line.finish()
      throw failure("\(error)", .dataError)
    }
  }

  private typealias Heard = (walk: HeardWalk, marks: [PlacedMark])

  private func live(_ configuration: Configuration) async throws -> Heard? {
    let input: LiveWalk.Input =
      switch play {
      case nil: .radio
      case "-"?: .standardInput
      case let path?: .recording(path: path)
      }
    return try await LiveCalibration(configuration, beacon: beacon, input: input, record: record).run()
  }

  private func recorded(_ configuration: Configuration) throws -> Heard {
    guard let marks else { throw failure("--marks is missing", .dataError) }
    let read = try MarksFile(path: marks).read(rooms: configuration.rooms.map(\.name))
    var heard = HeardWalk(configuration, beacon: beacon)
    var line = ProgressLine()
    let placed = try reading { () throws(CaptureError) in
      try heard.read(captures, marks: read) { offset, length, count in
        line.show(offset: offset, length: length, count: count, unit: "advertisements")
      }
    }
    line.finish()
    if heard.isFull { say("beaconkeeper: only the first \(HeardWalk.limit) sightings were used") }
    return (heard, placed)
  }

  /// The walk of one beacon.
  private func walk(_ heard: HeardWalk, _ marks: [PlacedMark]) throws(ExitCode) -> WalkWithMarks {
    do throws(UselessWalk) { return try heard.marked(marks) } catch {
      guard error.isSilent else { throw failure("\(error)", .dataError) }
      let isLive = captures.isEmpty
      throw failure(
        "\(error); `beaconkeeper scan\(isLive ? "" : " --capture")` shows what there is",
        isLive ? .unavailable : .dataError)
    }
  }

  private func write(
    _ result: CalibrationResult, to store: CalibrationStore, _ configuration: Configuration, _ path: String
  ) throws {
    guard let contents = result.file(version: version, time: LiveClock.wallNow) else { return }
    let isForeign = store.isForeign(to: configuration)
    let kept = try attempt(.cannotCreate, "\(store.path): cannot write the calibration") {
      try store.write(contents)
    }
    say("Written: \(store.path)\(kept ? "; the earlier one is \(store.path).1 now" : "")")
    if kept, isForeign {
      say(
        "The earlier one is of other rooms or receivers. If another configuration uses it, copy \(store.path).1 to a name of its own, and name that there under calibration:."
      )
    }
    if let named = configuration.calibrationFile, named != store.path {
      say(
        "\(path) names \(named), which stays in use. To use this one, name it there under calibration: and reload."
      )
      return
    }
    if configuration.calibrationFile == nil {
      say("Now add this line to \(path), at its left edge:\n  calibration: \(store.name(beside: path))")
    }
    say("A running gateway takes it up with `systemctl reload beaconkeeper` or SIGHUP.")
  }
}
