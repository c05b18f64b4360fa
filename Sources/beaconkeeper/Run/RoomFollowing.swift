import ArgumentParser
import Beacons
import Captures
import Gateway
import JSON
import Proximity
import RoomReport
import Settings

/// What `replay` tells about one beacon's way through the rooms.
struct RoomFollowing: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Where the beacon really was, as CSV with the header time,room or time,room,x,y: tells how right the rooms were.",
      valueName: "file"))
  var truth: String?
  @Option(
    help: ArgumentHelp(
      "Write a page with the plan, the rooms over time and the signals; - is standard output, instead of the transitions.",
      valueName: "file"))
  var report: String?
  @Option(
    help: ArgumentHelp("The beacon for --truth and --report, if several are configured.", valueName: "name"))
  var beacon: String?
  @Option(
    help: ArgumentHelp(
      "With --truth: exit with status 1 if the rooms are right in less of the time.", valueName: "percent"))
  var expectRight: Double?

  /// Whether standard output gets the page and nothing else.
  var isPageOnly: Bool { report == "-" }

  func validate() throws {
    if beacon != nil, truth == nil, report == nil {
      throw ValidationError("--beacon goes with --truth or --report.")
    }
    guard let expectRight else { return }
    if truth == nil { throw ValidationError("--expect-right goes with --truth.") }
    if !(0...100).contains(expectRight) { throw ValidationError("--expect-right is 0 to 100 percent.") }
  }

  /// nil: nobody asked.
  func follower(_ configuration: Configuration) throws -> RoomFollower? {
    guard truth != nil || report != nil else { return nil }
    let beacon = try followed(configuration)
    let marks = try truth.map { try self.marks($0, configuration) }
    do {
      return try RoomFollower(configuration, beacon: beacon, marks: marks)
    } catch {
      throw failure("--truth and --report need `rooms:` in the configuration", .configuration)
    }
  }

  private func followed(_ configuration: Configuration) throws -> String {
    if let beacon {
      let entry = beacon.split(separator: ":", maxSplits: 1).first.map(String.init) ?? beacon
      guard configuration.beacons.contains(where: { $0.name == beacon || $0.name == entry }) else {
        throw failure("--beacon \(beacon): no such beacon is configured", .configuration)
      }
      return beacon
    }
    guard configuration.beacons.count == 1, let only = configuration.beacons.first else {
      throw refusal(
        "--beacon is missing: which of the \(configuration.beacons.count) beacons do --truth and --report follow?",
        ReplayCommand.self)
    }
    return only.name
  }

  private func marks(_ path: String, _ configuration: Configuration) throws -> RecordingMarks {
    let bytes = try InputText(path: path).bytes()
    guard bytes.count <= RecordingMarks.sizeLimit else {
      throw failure("\(path): longer than \(RecordingMarks.sizeLimit >> 20) MiB", .dataError)
    }
    let marks: RecordingMarks
    do throws(RecordingMarks.Fault) {
      marks = try RecordingMarks(bytes)
    } catch {
      throw failure("\(path): \(error)", .dataError)
    }
    let names = Set(configuration.rooms.map(\.name))
    if let mark = marks.marks.first(where: { $0.room.map { !names.contains($0) } ?? false }) {
      throw failure(
        "\(path): line \(mark.line): there is no room “\((mark.room ?? "").prefix(60))” in the configuration\n"
          + "  hint: the rooms are \(configuration.rooms.map(\.name).joined(separator: ", "))", .dataError)
    }
    return marks
  }

  /// Tells how it went; the page is written, too.
  ///
  /// - Parameter isJSON: whether the assessment is also a line on standard output.
  func tell(_ follower: RoomFollower, _ configuration: Configuration, isJSON: Bool) throws {
    guard follower.hasHeard, let start = follower.start else {
      throw failure(
        "no receiver of the rooms heard “\(follower.beacon)” in this recording\n"
          + "  hint: a member of a region is named as in transitions, for example fleet:1.2", .dataError)
    }
    if let assessment = follower.journey.assessment {
      guard assessment.confusion.contains(where: { $0.contains { $0 > 0 } }) else {
        throw failure(
          "\(truth ?? ""): no mark tells a room between \(start.rfc3339) and "
            + "\((start + (follower.journey.end - .zero)).rfc3339), when the recording was made", .dataError)
      }
      let table = AssessmentTable(
        assessment: assessment, errors: follower.journey.errors, rooms: follower.names.rooms)
      say(table.text)
      if isJSON, !isPageOnly { try put(table.json(beacon: follower.beacon) + [UInt8(ascii: "\n")]) }
    }
    if let report {
      let page = RoomReport(
        beacon: follower.beacon, gateway: configuration.gatewayName, plan: follower.plan,
        names: follower.names,
        journey: follower.journey, start: start, version: Gateway.version)
      try ReportFile(path: report).write(page.html)
    }
    if let expectRight, let right = follower.journey.assessment?.right, right * 100 < expectRight {
      say("beaconkeeper: the rooms are right in less than \(expectRight) % of the time")
      throw ExitCode(1)
    }
  }
}
