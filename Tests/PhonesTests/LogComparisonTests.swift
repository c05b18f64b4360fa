import Phones
import TestSupport
import Testing

@Suite struct LogComparisonTests {
  let near = NearDistances(near: 4_000_000, rearm: 6_000_000)

  func profile(_ os: String, _ strategy: String) throws -> PhoneProfile {
    let system = try #require(Catalogue.system(named: os))
    let strategy = try #require(Catalogue.strategy(named: strategy))
    return try #require(PhoneProfile(os: system, strategy: strategy))
  }

  func log(_ text: String) -> SeenLog {
    var log = SeenLog()
    log.read(Array(text.utf8))
    return log
  }

  /// Lines in the form of NSLog, at these seconds after 13:49.
  func lines(_ texts: [(at: Double, text: String)], day: String = "2014-10-14") -> String {
    texts.sorted { $0.at < $1.at }.map { at, text in
      let time = Int((at * 1000).rounded())
      func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
      let thousandths = String(1000 + time % 1000).dropFirst()
      return
        "\(day) 13:\(two(49 + time / 60_000)):\(two(time / 1000 % 60)).\(thousandths) Demo[341:37691] \(text)\n"
    }.joined()
  }

  /// The times of the demo's log in S0: in the background at 33.808, the handler at 209.812, 180 s from 33.808 on.
  func demo(handler: Double = 209.812, until end: Double = 209.7) -> String {
    var texts: [(at: Double, text: String)] = [
      (25.594, "applicationDidFinishLaunching"), (25.893, "applicationDidBecomeActive"),
      (26.686, "locationManager didDetermineState INSIDE for region1"),
      (33.808, "applicationDidEnterBackground"), (handler, "Background task expired by iOS"),
    ]
    texts += stride(from: 26.69, to: end, by: 1).map { ($0, "locationManager didRangeBeacons") }
    texts += stride(from: 33.839, to: end, by: 1.1).map {
      ($0, "background time remaining: \(((180 - $0 + 33.808) * 100).rounded() / 100)")
    }
    return lines(texts)
  }

  @Test func `The public demo's device log agrees with the rules that were read from it`() throws {
    let comparison = try LogComparison(log(demo()), with: profile("ios8", "background-task"), near: near)
    #expect(comparison.divergences.isEmpty, "\(comparison.divergences)")
    #expect(comparison.compared > 300)
  }

  @Test func `An expiration in an app without a task hangs on no constant of tasks`() throws {
    let comparison = try LogComparison(log(demo()), with: profile("ios8", "stock"), near: near)
    let expiration = try #require(comparison.divergences.first { $0.kind == .expiration })
    #expect(expiration.predicted == "no expiration: stock begins no background task")
    #expect(expiration.constants.isEmpty)
  }

  @Test func `Another system's rules diverge from it first where its time would have run out`() throws {
    let comparison = try LogComparison(log(demo()), with: profile("ios13", "background-task"), near: near)
    let first = try #require(comparison.divergences.first)
    #expect(first.kind == .remaining)
    #expect(first.constants.contains("task_cap"))
    #expect(comparison.logTime(first.time) == 1_413_294_573_839)
    let ranged = try #require(comparison.divergences.first { $0.kind == .ranged })
    #expect(ranged.reason == .taskExpired)
    #expect(ranged.count > 100)
  }

  @Test func `An expiration at another time is a divergence of its own`() throws {
    let comparison = try LogComparison(
      log(demo(handler: 205, until: 204.9)), with: profile("ios8", "background-task"), near: near)
    #expect(comparison.divergences.map(\.kind) == [.expiration])
    #expect(comparison.divergences.first?.constants.contains("expiration_margin") == true)
  }

  @Test
  func
    `Silence while the app should have ranged is a divergence, unless lines were left out or the log ends`()
    throws
  {
    let rest = lines([(200, "locationManager didRangeBeacons"), (201, "locationManager didRangeBeacons")])
    let profile = try profile("ios8", "background-task")
    let early = lines(
      [(0, "applicationDidEnterBackground")] + (1...20).map { (Double($0), "didRangeBeacons") })
    let kept = try LogComparison(
      log(early + "...\n" + lines([(170, "didRangeBeacons")])), with: profile, near: near)
    #expect(kept.divergences.isEmpty)
    let ended = try LogComparison(log(early), with: profile, near: near)
    #expect(ended.divergences.isEmpty)
    let silent = try LogComparison(log(early + rest), with: profile, near: near)
    let first = try #require(silent.divergences.first)
    #expect(first.kind == .silent)
    #expect(first.time == 21_000)
    #expect(first.reason == .taskExpired)
  }

  /// An app's own log of a walk from 50 m at 1 m/s, which begins at 100 s on its clock.
  func walk(near: Double?, ahead: Double = 0, regionEnter: Double = 101) -> String {
    var lines = ["{\"time\":\(98 + ahead),\"event\":\"background\"}"]
    lines.append("{\"time\":\(regionEnter + ahead),\"event\":\"region-enter\",\"beacon\":\"pump\"}")
    if let near { lines.append("{\"time\":\(near + ahead),\"event\":\"near\",\"beacon\":\"pump\"}") }
    lines.append("{\"time\":\(160 + ahead),\"event\":\"foreground\"}")
    return lines.joined(separator: "\n")
  }

  var truth: Timeline {
    TimelineFile(
      Array(
        """
        {"t":0,"event":"background"}
        {"t":2,"beacon":"pump","distance_m":50}
        {"t":52,"beacon":"pump","distance_m":0}
        {"t":62,"event":"foreground"}
        """.utf8)
    ).timeline()
  }

  @Test(arguments: [0.0, 7200.4, -0.25])
  func `The clocks of phone and timeline are aligned, and how far they are apart is told`(ahead: Double)
    throws
  {
    let comparison = try LogComparison(
      log(walk(near: 146, ahead: ahead)), with: profile("ios9", "background-task"), near: near, truth: truth)
    let alignment = try #require(comparison.alignment)
    #expect(abs(alignment.offset - Int64((98 + ahead) * 1000)) <= 10)
    #expect(alignment.matches >= 3)
    #expect(alignment.spread <= 50)
    #expect(comparison.divergences.isEmpty, "\(comparison.divergences)")
    // The region enter and near.
    #expect(comparison.compared == 2)
  }

  @Test func `One event at a wrong time does not move the clock`() throws {
    let comparison = try LogComparison(
      log(walk(near: 146, regionEnter: 112)), with: profile("ios9", "background-task"), near: near,
      truth: truth)
    #expect(comparison.alignment?.offset == 98_000)
    #expect(comparison.divergences.map(\.kind) == [.region])
    #expect(comparison.divergences.first?.constants.contains("entry_latency") == true)
  }

  @Test func `A near that is missing, late or without reason is found`() throws {
    func divergences(_ near: Double?, _ os: String = "ios9") throws -> [Divergence] {
      try LogComparison(
        log(walk(near: near)), with: profile(os, "background-task"), near: self.near, truth: truth
      ).divergences
    }
    let missing = try divergences(nil)
    #expect(missing.map(\.kind) == [.near])
    #expect(missing.first?.seen == "no near of pump")
    #expect(try divergences(150).first?.seen == "near of pump at 52 s")
    // Its time runs out before the phone is near.
    let lucky = try divergences(146, "ios13")
    #expect(lucky.first?.reason == .taskExpired)
    // It is seen when the app is opened.
    #expect(try divergences(160, "ios13").isEmpty)
  }

  /// The demo's second and fourth experiment (S0): with a debugger nothing is killed, and a region event restarts the clock.
  @Test func `A debugger and a region event in the background are told from the log`() throws {
    var leaky = try profile("ios8", "background-task")
    leaky.set("ends_task", to: .flag(false), source: "the demo", confidence: .high)
    let ticks = stride(from: 24.54, to: 211, by: 1).map { ($0, "locationManager didRangeBeacons") }
    let text = lines(
      [(23.441, "applicationDidBecomeActive"), (27.05, "applicationDidEnterBackground")] + ticks)
    let killed = try #require(try LogComparison(log(text), with: leaky, near: near).divergences.first)
    #expect(killed.reason == .taskLeakKilled)
    #expect(killed.constants == ["task_cap", "kill_delay"])
    let debugged = log(#"{"time":"2014-10-14T13:49:20Z","event":"debugger"}"# + "\n" + text)
    let spared = try LogComparison(debugged, with: leaky, near: near).divergences
    // In the demo's log it ranged on, too, which the rules leave out.
    #expect(spared.map(\.kind) == [.ranged])
    #expect(spared.first?.predicted == "suspended: background time had run out")

    let unlimited = "background time remaining: 1\(String(repeating: "7", count: 308)).00"
    let again = lines([
      (0.663, unlimited), (0.681, "locationManager didDetermineState INSIDE for region1"), (1, unlimited),
      (10.549, unlimited), (11.553, "background time remaining: 179.10"),
      (15.855, "background time remaining: 174.80"),
    ])
    let comparison = try LogComparison(log(again), with: profile("ios8", "background-task"), near: near)
    #expect(comparison.divergences.isEmpty, "\(comparison.divergences)")
    var fit = LogFit()
    fit.add(log(again), comparison)
    let grace = try #require(fit.rows.first { $0.rule == "grace" })
    #expect(abs(grace.median - 9972) <= 10)
  }

  @Test func `A log that has nothing in common with the timeline is refused`() throws {
    let profile = try profile("ios9", "background-task")
    #expect(throws: LogComparison.Obstacle.empty) {
      try LogComparison(log("nothing\n"), with: profile, near: near)
    }
    #expect(throws: LogComparison.Obstacle.nothingInCommon) {
      try LogComparison(log(#"{"time":5,"event":"ranged"}"#), with: profile, near: near, truth: truth)
    }
    #expect(throws: LogComparison.Obstacle.tooLong) {
      try LogComparison(
        log("{\"time\":5,\"event\":\"near\"}\n{\"time\":50000000,\"event\":\"near\"}"), with: profile,
        near: near)
    }
  }

  @Test func `Constants are found in a log, with the number of observations`() throws {
    let log = log(demo())
    let comparison = try LogComparison(log, with: profile("ios13", "background-task"), near: near)
    var fit = LogFit()
    fit.add(log, comparison)
    let rows = Dictionary(uniqueKeysWithValues: fit.rows.map { ($0.rule, $0) })
    #expect(rows["task_cap"]?.count == 1)
    #expect(rows["task_cap"].map { abs($0.median - 180_000) <= 20 } == true)
    #expect(rows["expiration_margin"].map { abs($0.median - 3996) <= 20 } == true)
    #expect(rows["tick_period"]?.rounded == 1000)
    #expect((rows["tick_period"]?.count ?? 0) > 100)
  }

  @Test func `What belongs to the grace and what to the task is told apart`() throws {
    let log = log(
      lines([
        (0, "didEnterRegion"), (1, "background time remaining: 1\(String(repeating: "7", count: 308))"),
        (12, "background time remaining: 18"), (13, "background time remaining: 17"),
      ]))
    var fit = LogFit()
    fit.add(log, try LogComparison(log, with: profile("ios17", "background-task"), near: near))
    #expect(fit.rows.map(\.rule) == ["task_cap"])
    #expect(fit.rows.first?.rounded == 20_000)
  }

  @Test func `No bytes do harm`() throws {
    let profiles = [try profile("ios17", "location-always"), try profile("android14", "altbeacon-job")]
    let seeds = [
      Array(demo().utf8.prefix(1500)), Array(walk(near: 146).utf8),
      Array(
        "--- beginning of main\n02-29 16:51:18.810  188  188 D BeaconService: Beacon packet detected for: id1: a id2: 1 id3: 2 with rssi -39\n11-28 23:59:59.999 D/CycledLeScanner( 188): Done with scan cycle\n"
          .utf8),
      Array(
        "Oct 14 15:10:28 Betty Demo[352] <Warning>: background time remaining: 1.86\ndefault\t03:19:07.265515-0500\trunningboardd\trunning-suspended\n"
          .utf8),
    ]
    var random = SeededGenerator(61)
    for _ in 0..<400 {
      var bytes = random.pick(seeds)
      for _ in 0..<6 { bytes[random.pick(Array(bytes.indices))] = UInt8.random(in: 0...255, using: &random) }
      var log = SeenLog(app: Bool.random(using: &random) ? "Demo" : nil)
      log.read(bytes)
      let truth = Bool.random(using: &random) ? truth : nil
      guard let comparison = try? LogComparison(log, with: random.pick(profiles), near: near, truth: truth)
      else { continue }
      var fit = LogFit()
      fit.add(log, comparison)
      #expect(comparison.divergences.map(\.time) == comparison.divergences.map(\.time).sorted())
    }
  }
}
