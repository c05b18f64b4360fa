import ArgumentParser
import Captures
import Configuration
import Contract
import Core
import Gateway
import Mosquitto
import Pipeline

struct ReplayCommand: AsyncParsableCommand {
  enum Speed: String, ExpressibleByArgument, CaseIterable { case real, max }
  enum Format: String, ExpressibleByArgument, CaseIterable { case json, text, mqtt }

  static let configuration = CommandConfiguration(
    commandName: "replay",
    abstract: "Runs a recording through the decisions of the gateway.",
    discussion: """
      Reads btsnoop (btmon, Android), pcap, pcapng and text (one JSON object per line); `-` is standard input. Several \
      captures are merged by time. Transitions go to standard output, with the same bytes on every run.

      A line of text needs these keys (the manual's page Recordings has them all):
        {"t": 1700000000.125, "receiver": "hci0",
         "address": "C1:00:00:00:00:01", "address_type": "random",
         "rssi": -72, "payload": "02011a0303aafe"}

      --publish sends transitions and retained states to the configured broker, below the gateway's own topics, with the \
      status online until the recording ends, then offline: what stays retained no longer counts. If that gateway is \
      running, give another name with --gateway; otherwise the recording's last state overwrites the real one.

      --truth compares the rooms with where the beacon really was. Standard error shows how often they were right, how \
      many changes were reported or missed, how late, which rooms were mistaken for each other, and how far positions were \
      off. With JSON lines, the last line of standard output has the same figures. A mark holds until the next one; times \
      are RFC 3339, Unix seconds or seconds since the recording began. --report draws the result.

      --journal replays what `fuse --journal` wrote; the output is identical, byte for byte.

      EXAMPLES
        beaconkeeper replay --config site.yaml --capture monday.btsnoop
        beaconkeeper replay --config site.yaml --capture hall.jsonl \\
            --capture door.jsonl --format text
        beaconkeeper replay --config house.yaml --capture hall=hall.btsnoop \\
            --capture attic=attic.btsnoop
        beaconkeeper replay --config site.yaml --capture hall.jsonl --speed real \\
            --publish --gateway rehearsal
        beaconkeeper replay --config phones.yaml --capture monday.btsnoop \\
            --verdicts | jq 'select(.outcome)'
        beaconkeeper replay --config flat.yaml --capture walk.jsonl \\
            --truth marks.csv --report walk.html
        beaconkeeper replay --config site.yaml --capture monday.btsnoop --http
        beaconkeeper replay --config fleet.yaml \\
            --journal /var/lib/beaconkeeper/journal
        btmon -w /dev/stdout | beaconkeeper replay --config site.yaml --capture -
      """)

  @OptionGroup var source: ConfigurationOption
  @Option(help: ArgumentHelp("A recording; may be given several times.", valueName: "file"))
  var capture: [String] = []
  @Option(
    help: ArgumentHelp(
      "Instead of a recording: the files of fuse --journal, or their folder; may be given several times.",
      valueName: "path"))
  var journal: [String] = []
  @Option(help: "As fast as possible, or in real time.")
  var speed = Speed.max
  @Option(help: "Transitions as JSON lines, transitions as text, or every message with its topic.")
  var format = Format.json
  @Flag(
    help:
      "With JSON lines, also print the verdicts on phones, each after the transition or event that decided it."
  )
  var verdicts = false
  @Flag(
    help:
      "The configuration is of another machine, as in CI: files that it names and that are not here are warnings. Without its keys and its calibration, decisions may differ from the gateway's."
  )
  var elsewhere = false
  @Flag(help: "Also send everything to the configured broker.")
  var publish = false
  @Option(help: ArgumentHelp("Use this name instead of the configured gateway's.", valueName: "name"))
  var gateway: String?
  @Flag(help: "Show the recording in the dashboard until Ctrl-C, with a bar to go to any time.")
  var http = false
  @Option(
    help: ArgumentHelp(
      "With --http: where to serve the dashboard. Default: as the configuration says, on 127.0.0.1.",
      valueName: "address:port"))
  var listen: String?
  @OptionGroup var rooms: RoomFollowing

  func validate() throws {
    if capture.isEmpty, journal.isEmpty {
      throw ValidationError("Name a recording with --capture, or - for standard input.")
    }
    if !journal.isEmpty { try validateJournal() }
    if let gateway, gateway.isEmpty { throw ValidationError("--gateway needs a name.") }
    if http, capture.contains("-") {
      throw ValidationError("--http needs a file: it goes back and forth in it.")
    }
    if elsewhere, publish || http { throw ValidationError("--elsewhere only prints.") }
    if http, publish { throw ValidationError("Either --http or --publish.") }
  }

  func run() async throws {
    var configuration = try source.load(connects: publish, check: elsewhere ? .elsewhere : nil)
    if let gateway { configuration.gatewayName = gateway }
    if !journal.isEmpty { return try replayJournal(configuration) }
    if http { return try await show(configuration) }
    let follower = try rooms.follower(configuration)
    var replay = try reading { () throws(CaptureError) in
      try Replay(configuration, captures: capture, following: follower)
    }
    let publisher = publish ? try await connect(configuration) : nil
    var pace = Pace()
    var progress = ProgressLine()
    var output = Pipeline.Output()
    var fault: CaptureError?
    while true {
      do throws(CaptureError) {
        guard try replay.next(into: &output) else { break }
      } catch {
        fault = error
        break
      }
      for notice in replay.takeNotices() { say("beaconkeeper: \(notice)") }
      if speed == .real { try? await pace.wait(until: replay.time) }
      if !rooms.isPageOnly { try write(output, replay.topics) }
      try? await publisher?.send(output)
      let (offset, length) = replay.progress
      progress.show(
        offset: offset, length: length, count: replay.counts.advertisements, unit: "advertisements")
    }
    progress.finish()
    let left = await publisher?.finish() ?? 0
    if left > 0 { say("beaconkeeper: the broker did not acknowledge \(left) messages") }
    for words in replay.timeWords { say("beaconkeeper: \(words)") }
    try report(replay.counts, replay.malformedEvents, gainWords(replay.receiverGains), fault)
    if left > 0 { throw ExitCode(ExitStatus.unavailable.rawValue) }
    if let follower = replay.follower {
      try rooms.tell(follower, configuration, captures: capture, isJSON: format == .json)
    }
  }

  /// Serves the dashboard over the recording.
  private func show(_ configuration: Configuration) async throws {
    var settings = HTTPSettings()
    // The dashboard of a recording has no passwords, so it is for this machine alone.
    if let own = configuration.http {
      settings.port = own.port
      if own.isLoopback { settings.address = own.address }
    }
    do throws(SettingFault) { if let listen { settings.listen(to: try ListenAddress(listen)) } } catch {
      throw ValidationError("--listen: \(error)")
    }
    guard settings.isLoopback else {
      throw ValidationError("--listen must be a loopback address with a port, for example 127.0.0.1:8099.")
    }
    let stage = try reading { () throws(CaptureError) in
      try ReplayStage(configuration, captures: capture, configurationFile: source.config)
    }
    let server = ReplayDashboard(stage, settings)
    do {
      try await server.run { port in
        say("beaconkeeper: the recording plays at http://\(settings.host):\(port)/; Ctrl-C ends it")
      }
    } catch {
      throw failure("\(error)", .unavailable)
    }
  }

  private func write(_ output: Pipeline.Output, _ topics: Topics) throws(ExitCode) {
    var lines: [UInt8] = []
    for item in output.items {
      switch (item, format) {
      case (.transition(let transition), .json): lines += transition.json
      case (.transition(let transition), .text): lines += TransitionLine(transition).dated.utf8
      case (.transition(let transition), .mqtt): lines += line(transition.message(topics: topics))
      case (.verdict(let verdict), .json):
        guard verdicts else { continue }
        lines += verdict.json
      case (.verdict(let verdict), .text): lines += VerdictLine(verdict).dated.utf8
      case (.verdict(let verdict), .mqtt): lines += line(verdict.message(topics: topics))
      case (.state(let state), .mqtt): lines += line(state.message(topics: topics))
      case (.roomPresence(let room), .mqtt): lines += line(room.message())
      case (.state, _), (.roomPresence, _): continue
      }
      lines.append(UInt8(ascii: "\n"))
    }
    try put(lines)
  }

  /// In the format of `mosquitto_sub -v`.
  func line(_ message: Message) -> [UInt8] {
    message.topic.utf8 + [UInt8(ascii: " ")] + message.payload
  }

  private func report(
    _ counts: Pipeline.Counts, _ malformed: Int64, _ gains: [String], _ fault: CaptureError?
  ) throws {
    let damage = malformed > 0 ? ", \(malformed) malformed reports" : ""
    say(
      "\(counts.advertisements) advertisements, \(counts.sightings) of known beacons, "
        + "\(counts.transitions) transitions\(damage)")
    if !gains.isEmpty {
      say(
        "receivers, compared with what rooms expect of them: \(gains.joined(separator: ", ")) (learned)"
      )
    }
    if let fault { throw failure(fault) }
  }

  private func connect(_ configuration: Configuration) async throws -> ReplayPublisher {
    do {
      guard let publisher = try ReplayPublisher(configuration) else {
        throw failure("--publish needs an external broker; name one under `broker:`", .configuration)
      }
      try await publisher.connect()
      return publisher
    } catch let error as BrokerRefusal {
      throw failure("\(error)", .unavailable)
    } catch let error as InvalidOptions {
      throw failure("\(error)", .configuration)
    }
  }
}

/// Waits, so that the time between events is as recorded.
private struct Pace {
  private let clock = ContinuousClock()
  private var start: ContinuousClock.Instant?

  mutating func wait(until time: MonotonicTime) async throws {
    let start = self.start ?? clock.now
    self.start = start
    try await clock.sleep(until: start + .nanoseconds(time.nanoseconds))
  }
}

/// `replay --journal`: repeats a fleet's decisions.
extension ReplayCommand {
  func validateJournal() throws {
    if !capture.isEmpty { throw ValidationError("Either --capture or --journal.") }
    if publish || http || speed == .real || rooms.truth != nil || rooms.report != nil {
      throw ValidationError(
        "--journal only prints: --publish, --http, --speed, --truth and --report need --capture.")
    }
    if format == .text { throw ValidationError("--journal prints --format json or mqtt.") }
  }

  func replayJournal(_ configuration: Configuration) throws {
    guard configuration.fleet != nil else {
      throw failure("the configuration has no section fleet, so the journal is not its own", .configuration)
    }
    var replay: FleetReplay
    do throws(JournalError) { replay = try FleetReplay(configuration, journals: journal) } catch {
      throw failure("\(error)", error.isUnreadable ? .inputOutput : .dataError)
    }
    var progress = ProgressLine()
    var messages: [Message] = []
    var notices: [String] = []
    var transitions = 0
    while true {
      do throws(JournalError) {
        guard try replay.next(into: &messages, notices: &notices) else { break }
      } catch {
        throw failure("\(error)", .dataError)
      }
      for notice in notices { say("beaconkeeper: \(notice)") }
      notices.removeAll()
      var lines: [UInt8] = []
      for message in messages {
        // JSON lines are transitions and events, without retained states and momentary messages (QoS 0).
        let isKept = !message.retained && message.qos != .atMostOnce
        let isVerdict = message.topic.hasSuffix("/verdict")
        if isKept, !isVerdict { transitions += 1 }
        guard format == .mqtt || isKept && (verdicts || !isVerdict) else { continue }
        lines += format == .mqtt ? line(message) : message.payload
        lines.append(UInt8(ascii: "\n"))
      }
      try put(lines)
      progress.show(
        offset: Int64(replay.messages), length: Int64(replay.total), count: replay.observations,
        unit: "observations")
    }
    progress.finish()
    say("\(replay.messages) messages, \(replay.observations) observations, \(transitions) transitions")
  }
}
