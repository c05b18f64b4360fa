import ArgumentParser
import Phones

/// The approaches that `simulate` is given on the command line.
struct ApproachOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Approach from this distance at this speed; may be given several times.", valueName: "50m@1m/s"))
  var approach: [String] = []
  @Option(help: ArgumentHelp("Waypoints and events, JSON lines; - is standard input.", valueName: "file"))
  var timeline: String?
  @Option(
    help: ArgumentHelp(
      "Distance at which near fires. Default: 4m; with a recording, the zones decide.",
      valueName: "distance"))
  var near: String?
  @Option(
    help: ArgumentHelp(
      "Distance beyond which near re-arms. Default: the near distance.", valueName: "distance"))
  var rearm: String?
  @Option(
    name: [.long, .customLong("uuid")],
    help: ArgumentHelp(
      "A region that the app monitors; may be given up to 20 times. Each wakes the app by its own enter and exit, and the app sees no beacon of a timeline outside all of them. Default: the regions that the timeline names, or else its first UUID.",
      valueName: "uuid[/major[/minor]]"))
  var region: [String] = []
  @Option(
    help: ArgumentHelp(
      "Show the app's state and the remaining background time at this time; may be given several times.",
      valueName: "time"))
  var at: [String] = []
  @Option(
    help: ArgumentHelp(
      "How long before the walk the app went to the background. Default: an hour and a part of its schedule's period, spread over phones; with a timeline, what the file says.",
      valueName: "duration"))
  var since: String?
  @Option(help: ArgumentHelp("How long to simulate.", valueName: "duration"))
  var `for`: String?

  private static let longest: Milliseconds = 366 * 86_400_000

  /// nil: the rules come from elsewhere.
  func nearRule(unlessGiven usual: String?) throws -> NearDistances? {
    guard let near = near ?? usual else {
      if rearm != nil { throw ValidationError("--rearm goes with --near.") }
      return nil
    }
    let distance = try read(near, "--near", Amount.distance, "a distance such as 4m")
    let beyond =
      try rearm.map { try read($0, "--rearm", Amount.distance, "a distance such as 6m") } ?? distance
    guard beyond >= distance else {
      throw ValidationError("--rearm \(rearm ?? "") must not be nearer than --near \(near).")
    }
    return NearDistances(near: distance, rearm: beyond)
  }

  func end() throws -> Milliseconds? {
    try self.for.map { try read($0, "--for", Amount.duration, "a duration such as 10min") }
  }

  /// When the app went to the background, where a timeline does not say so.
  func beginning(_ usual: Since) throws -> Since {
    guard let since else { return usual }
    let time = try read(since, "--since", Amount.duration, "a duration such as 15min")
    guard time <= 7 * 86_400_000 else { throw ValidationError("--since \(since) is longer than a week.") }
    return .before(time)
  }

  /// The instants of --at.
  func instants() throws -> [Milliseconds] {
    try at.map { try read($0, "--at", Amount.duration, "a time such as 99s") }
  }

  func regions() throws -> [BeaconRegion] {
    guard region.isEmpty || timeline != nil else { throw ValidationError("--region goes with --timeline.") }
    guard region.count <= BeaconRegion.limit else {
      throw ValidationError("--region \(region.count) times: an app monitors at most \(BeaconRegion.limit).")
    }
    var regions: [BeaconRegion] = []
    for text in region {
      let region = try read(
        text, "--region", BeaconRegion.init, "2f234454-cf6d-4a0f-adf2-f4911ba9ffa6, /MAJOR or /MAJOR/MINOR")
      guard !regions.contains(region) else { throw ValidationError("--region \(text) is there twice.") }
      regions.append(region)
    }
    return regions
  }

  /// The straight walks.
  func walks() throws -> [Approach] {
    guard let near = try nearRule(unlessGiven: "4m") else { return [] }
    let end = try end()
    return try approach.map { text in
      let wanted = "a distance and a speed such as 50m@1m/s"
      let (distance, speed) = try read(text, "--approach", Amount.approach, wanted)
      var timeline = Timeline(approachFrom: distance, speed: speed)
      // Simulating an app's schedule over centuries would never end.
      guard timeline.end <= Self.longest else {
        throw ValidationError("--approach \(text) takes longer than a year.")
      }
      timeline.since = try beginning(.pocket)
      if let end { timeline.end = end }
      timeline.end = try instants().reduce(timeline.end, max)
      return Approach(name: text, near: near, timeline: timeline)
    }
  }

  /// The timeline in a file; its expectations are appended to `asked`.
  func story(_ path: String, into asked: inout [AskedExpectation]) throws -> Approach? {
    guard let near = try nearRule(unlessGiven: "4m") else { return nil }
    let text = InputText(path: path)
    let file = TimelineFile(try text.bytes())
    try text.refuse(file.faults)
    guard !file.isEmpty else { throw failure("\(path): there is nothing in this timeline", .dataError) }
    asked += file.expectations.map { AskedExpectation(scoped: $0, source: text.place($0)) }
    let name = path == "-" ? "standard input" : path
    var timeline = file.timeline(until: try end(), regions: try regions())
    timeline.since = try beginning(.timeline)
    guard timeline.since == .timeline || timeline.start == .background else {
      throw refusal(
        "--since does not go with \(path): there, the app is in the foreground at the start.",
        SimulateCommand.self)
    }
    timeline.end = try instants().reduce(timeline.end, max)
    return Approach(name: name, near: near, timeline: timeline)
  }

  private func read<Value>(
    _ text: String, _ option: String, _ parse: (String) -> Value?, _ wanted: String
  ) throws -> Value {
    guard let value = parse(text) else { throw ValidationError("\(option) \(text) is not \(wanted).") }
    return value
  }
}

/// Apple's and Google's names beside ours, for the help. Lines fit in 80 columns.
enum PlatformWords {
  /// The events of a timeline.
  static let ofEvents = """
    What those events are called on iOS:
      foreground             applicationWillEnterForeground(_:)
      background             applicationDidEnterBackground(_:)
      region-enter           locationManager(_:didEnterRegion:)
      region-exit            locationManager(_:didExitRegion:)
      begin-task             beginBackgroundTask(expirationHandler:)
      end-task               endBackgroundTask(_:)
      location-start, -stop  startUpdatingLocation(), stopUpdatingLocation()
      permission             CLAuthorizationStatus, CLAccuracyAuthorization
      bluetooth-on, -off     CBManagerState.poweredOn, .poweredOff
      screen-on              wakes the app with notifyEntryStateOnDisplay
      background-fetch       BGAppRefreshTask
      audio-on, -off         UIBackgroundModes: audio

    and on Android:
      foreground             Activity.onStart()
      background             Activity.onStop()
      permission             BLUETOOTH_SCAN, ACCESS_BACKGROUND_LOCATION
      location-services-off  LocationManager.isLocationEnabled() is false
      screen-off, still      lead to Doze: PowerManager.isDeviceIdleMode()
      bucket                 UsageStatsManager.getAppStandbyBucket()
      force-quit             Force stop
    """
}
