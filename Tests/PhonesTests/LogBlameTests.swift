import Phones
import Testing

/// After a divergence the phone is taken as its log shows it.
@Suite struct LogBlameTests {
  private let near = NearDistances(near: 4_000_000, rearm: 6_000_000)

  private func blame(_ lines: [(at: Double, text: String)], _ os: String) throws -> LogBlame {
    let tests = LogComparisonTests()
    return try LogBlame(
      tests.log(tests.lines(lines)), with: tests.profile(os, "background-task"), near: near)
  }

  /// Three times in the background, each of 20 s instead of 30.
  private var shortTasks: [(at: Double, text: String)] {
    [0.0, 100, 200].flatMap { start -> [(at: Double, text: String)] in
      let ranging = stride(from: start + 10.5, to: start + 26, by: 1).flatMap { time in
        [
          (at: time, text: "didRangeBeacons"),
          (at: time + 0.1, text: "background time remaining: \(start + 30 - time - 0.1)"),
        ]
      }
      return [(start, "applicationDidBecomeActive"), (start + 10, "applicationDidEnterBackground")] + ranging
        + [(start + 26, "Background task expired by iOS")]
    }
  }

  @Test func `One wrong constant is one divergence, however often it shows`() throws {
    let blame = try blame(shortTasks, "ios13")
    #expect(blame.comparison.divergences.count > 3)
    #expect(blame.causes.count == 1, "\(blame.causes.map(\.divergence))")
    #expect(blame.causes.first?.corrected.map(\.rule) == ["task_cap"])
    #expect(blame.causes.first?.corrected.first?.rounded == 20_000)
    #expect(blame.causes.first?.followers == blame.comparison.divergences.count - 1)
  }

  @Test func `A later divergence of its own is not hidden by an earlier one`() throws {
    // At the last time the handler runs 3 s too early.
    let planted = shortTasks.filter { $0.at < 222.9 } + [(223, "Background task expired by iOS")]
    let blame = try blame(planted, "ios13")
    #expect(blame.causes.count == 2, "\(blame.causes.map(\.divergence))")
    #expect(blame.causes.last?.divergence.kind == .expiration)
    #expect(blame.causes.last.map { $0.divergence.time > 200_000 } == true)
  }

  @Test func `Constants that make nothing else agree are blamed for nothing`() throws {
    // As an app without a background task writes it, read as one with: the log's own grace mends no other line.
    let lines: [(at: Double, text: String)] =
      [(0, "applicationDidBecomeActive"), (10, "applicationDidEnterBackground")]
      + stride(from: 10.5, to: 20, by: 1).flatMap { time in
        [
          (at: time, text: "didRangeBeacons"),
          (at: time + 0.1, text: "background time remaining: \(20 - time - 0.1)"),
        ]
      }
    let blame = try blame(lines, "ios8")
    #expect(!blame.causes.isEmpty)
    for cause in blame.causes { #expect(cause.corrected.isEmpty == (cause.followers == 0)) }
  }

  @Test func `What a dead process does not do is no divergence`() throws {
    let ranging = stride(from: 10.5, to: 20, by: 1).map { (at: $0, text: "didRangeBeacons") }
    let blame = try blame(
      [(0, "applicationDidBecomeActive"), (10, "applicationDidEnterBackground")] + ranging + [
        (20, "applicationWillTerminate"), (200, "applicationDidBecomeActive"), (201, "didRangeBeacons"),
        (202, "didRangeBeacons"),
      ], "ios8")
    #expect(blame.causes.map(\.divergence.kind) == [.state], "\(blame.causes.map(\.divergence))")
  }
}

/// Distributions from logs.
@Suite struct LogSpreadTests {
  @Test func `A few observations are written each, many as quantiles, and how many they are`() throws {
    let few = try spread([57, 279, 800], never: 1)
    #expect(few.values == "57 s, 279 s, 800 s" && few.never == "1 of 4" && few.trials == "3")
    let many = try spread((0..<40).map { Double($0) / 2 + 1 }, never: 0)
    #expect(many.values == "1 s, 10 % 2.5 s, 25 % 5.5 s, 50 % 10.5 s, 75 % 15.5 s, 90 % 18.5 s, 20.5 s")
    #expect(many.never.isEmpty && many.trials == "40")
  }

  @Test func `A log without an observation of a constant says nothing about it`() throws {
    let tests = LogComparisonTests()
    var fit = LogFit()
    let empty = tests.lines([(0, "applicationDidEnterBackground")])
    for text in [
      tests.lines([(0, "applicationDidEnterBackground"), (1, "didRangeBeacons"), (2, "didRangeBeacons")]),
      empty, empty,
    ] {
      let log = tests.log(text)
      fit.add(log, try LogComparison(log, with: tests.profile("ios17", "stock"), near: tests.near))
    }
    #expect(fit.rows.map { [$0.rule: $0.logs] } == [["tick_period": 1]])
  }

  /// Visits to one beacon, each with an enter after so many seconds, or without one.
  private func spread(
    _ delays: [Double], never: Int
  ) throws -> (values: String, never: String, trials: String) {
    var waypoints: [Timeline.Waypoint] = []
    var events: [Timeline.Entry] = []
    var lines: [(at: Double, text: String)] = []
    var time = 10.0
    for delay in delays.map(Optional.some) + Array(repeating: nil, count: never) {
      waypoints += [
        .init(time: ms(time - 1), distance: nil), .init(time: ms(time), distance: 10_000_000),
        .init(time: ms(time + 1300), distance: nil),
      ]
      events += [
        .init(time: ms(time - 5), event: .foreground), .init(time: ms(time - 4), event: .background),
      ]
      lines += [(time - 5, "applicationDidBecomeActive"), (time - 4, "applicationDidEnterBackground")]
      if let delay { lines.append((time + delay, "didEnterRegion")) }
      time += 2000
    }
    events.append(.init(time: ms(time), event: .foreground))
    lines.append((time, "applicationDidBecomeActive"))
    let tests = LogComparisonTests()
    let text = lines.map { line in
      "\(1_700_000_000 + Int(line.at)).\(String(1000 + ms(line.at) % 1000).dropFirst())   188   191 D App: \(line.text)\n"
    }
    let comparison = try LogComparison(
      tests.log(text.joined()), with: tests.profile("ios17", "stock"), near: tests.near,
      truth: Timeline(events: events, waypoints: waypoints, end: ms(time + 10)))
    var fit = LogFit()
    fit.add(tests.log(text.joined()), comparison)
    let row = try #require(fit.rows.first { $0.rule == "entry_latency" })
    #expect(row.isSpread && row.count == delays.count)
    return row.spread
  }
}
