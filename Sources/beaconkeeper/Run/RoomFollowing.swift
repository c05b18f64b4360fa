import ArgumentParser
import Configuration
import Core
import Gateway
import Proximity
import Reports

/// The options of `replay` about one beacon's way through the rooms.
struct RoomFollowing: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Where the beacon really was, as CSV with the header time,room or time,room,x,y. Shows how often the rooms were right.",
      valueName: "file"))
  var truth: String?
  @Option(
    help: ArgumentHelp(
      "Write a page with the plan, the rooms over time and the signals; - is standard output, instead of the transitions.",
      valueName: "file"))
  var report: String?
  @Option(
    help: ArgumentHelp(
      "The beacon for --truth and --report. Default: the only one that is heard.", valueName: "name"))
  var beacon: String?
  @Option(
    help: ArgumentHelp(
      "With --truth: exit with status 1 if the rooms are right less of the time than this.",
      valueName: "percent"))
  var expectRight: Double?

  /// Whether standard output gets only the page.
  var isPageOnly: Bool { report == "-" }

  func validate() throws {
    if beacon != nil, truth == nil, report == nil {
      throw ValidationError("--beacon goes with --truth or --report.")
    }
    guard let expectRight else { return }
    if truth == nil { throw ValidationError("--expect-right goes with --truth.") }
    if !(0...100).contains(expectRight) { throw ValidationError("--expect-right is 0 to 100 percent.") }
  }

  /// nil: not requested.
  func follower(_ configuration: Configuration) throws -> RoomFollower? {
    guard truth != nil || report != nil else { return nil }
    if let beacon {
      let entry = beacon.split(separator: ":", maxSplits: 1).first.map(String.init) ?? beacon
      guard configuration.beacons.contains(where: { $0.name == beacon || $0.name == entry }) else {
        throw failure("--beacon \(beacon): no such beacon is configured", .configuration)
      }
    }
    let marks = try truth.map { try MarksFile(path: $0).read(rooms: configuration.rooms.map(\.name)) }
    do {
      return try RoomFollower(configuration, beacon: beacon, marks: marks)
    } catch {
      throw failure("--truth and --report need `rooms:` in the configuration", .configuration)
    }
  }

  /// Prints the assessment, and writes the page.
  ///
  /// - Parameters:
  ///   - captures: paths of the recordings.
  ///   - isJSON: whether the assessment is also printed as a line on standard output.
  func tell(
    _ follower: RoomFollower, _ configuration: Configuration, captures: [String], isJSON: Bool
  ) throws {
    guard let beacon = follower.beacon, follower.hasHeard, let start = follower.start else {
      throw failure(
        "no receiver of the rooms heard \(self.beacon.map { "“\($0)”" } ?? "a configured beacon") in this recording",
        .dataError)
    }
    guard follower.others.isEmpty else {
      throw failure(
        "several beacons were heard: \(([beacon] + follower.others).joined(separator: ", ")); name one with --beacon",
        .dataError)
    }
    if let assessment = follower.journey.assessment {
      guard assessment.confusion.contains(where: { $0.contains { $0 > 0 } }) else {
        throw failure(
          "\(truth ?? ""): no mark gives a room between \(start.rfc3339) and "
            + "\((start + (follower.journey.end - .zero)).rfc3339), when the recording was made", .dataError)
      }
      let table = AssessmentTable(
        assessment: assessment, errors: follower.journey.errors, unheard: follower.journey.unheard,
        rooms: follower.names.rooms)
      say(table.text)
      if isJSON, !isPageOnly { try put(table.json(beacon: beacon) + [UInt8(ascii: "\n")]) }
    }
    if let report {
      let page = RoomReport(
        beacon: beacon, gateway: configuration.gatewayName,
        recordings: captures.map { $0 == "-" ? "standard input" : Self.fileName($0) },
        calibration: Self.calibration(configuration), plan: follower.plan, names: follower.names,
        journey: follower.journey, start: start, version: Gateway.version)
      try ReportFile(path: report).write(page.html)
    }
    if let expectRight, let right = follower.journey.assessment?.right, right * 100 < expectRight {
      say(
        "beaconkeeper: the rooms are right in less than \(decimal(expectRight, decimals: 3)) % of the time"
      )
      throw ExitCode(1)
    }
  }

  /// Its file, when it was made, and with which beacon.
  private static func calibration(_ configuration: Configuration) -> String? {
    guard let path = configuration.calibrationFile else { return nil }
    guard let account = configuration.calibrationAccount else { return fileName(path) }
    let carried = account.beacon.isEmpty ? "" : " with \(account.beacon)"
    return "\(fileName(path)) of \(account.time.rfc3339.prefix(10))\(carried)"
  }

  private static func fileName(_ path: String) -> String {
    path.split(separator: "/").last.map(String.init) ?? path
  }
}
