import ArgumentParser
import Captures
import Configuration
import Core
import Gateway
import Phones

/// Where the beacons were, for `compare-log`: a timeline or a recording of the gateway.
struct TruthOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Where the beacons were, and what the log does not tell, as JSON lines; see simulate.",
      valueName: "file"))
  var timeline: String?
  @Option(
    help: ArgumentHelp(
      "A recording of the gateway, in any format that replay reads; may be given several times.",
      valueName: "file"))
  var capture: [String] = []
  @Option(
    name: .shortAndLong,
    help: ArgumentHelp(
      "The configuration, with the beacons of a recording, phones, and profiles.", valueName: "file"))
  var config: String?
  @Option(
    help: ArgumentHelp(
      "The configured phone that wrote the log; instead of --os and --strategy.", valueName: "name"))
  var phone: String?
  @Option(
    help: ArgumentHelp(
      "Only this beacon of the recording. Default: the one that --phone carries.", valueName: "name"))
  var beacon: String?
  @Option(
    help: ArgumentHelp(
      "Distance at which near fires. Default: that of the first zone of --phone, otherwise 4m.",
      valueName: "distance"))
  var near: String?

  /// Where the beacons were, known from elsewhere than the log.
  struct Truth {
    var timeline: Timeline
    var near: NearDistances
    /// The time of the timeline's zero, in milliseconds since 1970; nil: the timeline has no date.
    var begin: Milliseconds?
  }

  var needsConfiguration: Bool { config != nil || !capture.isEmpty || phone != nil }

  func check() throws {
    guard timeline == nil || capture.isEmpty else {
      throw ValidationError("Give --timeline or --capture, not both.")
    }
    if let near, Amount.distance(near) == nil {
      throw ValidationError("--near \(near) is not a distance such as 4m.")
    }
    if beacon != nil && capture.isEmpty { throw ValidationError("--beacon goes with --capture.") }
  }

  func nearRule(_ configuration: Configuration) -> NearDistances {
    let carrier = phone.flatMap { name in configuration.phones.first { $0.name == name } }
    if near == nil, let rule = carrier?.triggers.lazy.map(\.near).first(where: { $0.near != nil }) {
      return rule
    }
    let distance = near.flatMap(Amount.distance) ?? 4_000_000
    return NearDistances(near: distance, rearm: distance)
  }

  func read(_ configuration: Configuration) throws -> Truth? {
    if let timeline {
      let text = InputText(path: timeline)
      let file = TimelineFile(try text.bytes())
      try text.refuse(file.faults)
      guard !file.isEmpty else { throw failure("\(timeline): there is nothing in this timeline", .dataError) }
      return Truth(timeline: file.timeline(), near: nearRule(configuration), begin: nil)
    }
    return capture.isEmpty ? nil : try recording(configuration)
  }

  /// All approaches of a recording to one beacon, on one clock.
  private func recording(_ configuration: Configuration) throws -> Truth {
    let carried = phone.flatMap { name in configuration.phones.first { $0.name == name }?.beacon }
    guard
      let name = beacon ?? carried ?? (configuration.beacons.count == 1 ? configuration.beacons[0].name : nil)
    else {
      throw failure(
        "name the beacon of the recording by --beacon, or the phone that carries it by --phone",
        .configuration)
    }
    var finder = try reading { () throws(CaptureError) in
      try ApproachFinder(configuration, captures: capture, beacons: [name])
    }
    var all: [RecordedApproach] = []
    var found: [RecordedApproach] = []
    while try reading({ () throws(CaptureError) in try finder.next(into: &found) }) { all += found }
    finder.finish(into: &found)
    all += found
    guard let first = all.map(\.start).min() else {
      throw failure("\(name) is not in the recording", .dataError)
    }
    let pieces = all.map { approach in
      (
        (approach.start - first).nanoseconds / 1_000_000,
        approach.measured(near: nearRule(configuration)).timeline
      )
    }
    return Truth(
      timeline: Timeline(joining: pieces, beacon: name), near: nearRule(configuration),
      begin: first.nanoseconds / 1_000_000)
  }
}
