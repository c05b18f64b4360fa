import Testing

@testable import Phones

/// What people reported in public of phones in the field: the crowd's draws reach it, or the answer says that nobody measured.
@Suite struct PublicReportTests {
  struct Report: Sendable, CustomTestStringConvertible {
    var rule: String
    /// In the rule's own unit.
    var values: ClosedRange<Int64>
    /// System, strategy, and a device or a condition.
    var phone: String
    var source: String

    init(_ rule: String, _ values: ClosedRange<Int64>, _ phone: String, _ source: String) {
      self.rule = rule
      self.values = values
      self.phone = phone
      self.source = source
    }

    var testDescription: String { "\(rule), \(phone): \(source)" }
  }

  static let radius2015 = "Radius Networks (10 Jun 2015)"
  static let radius2017 = "Radius Networks, 2017 Update"
  static let reports: [Report] = [
    // Those from which the table was made.
    .init("entry_latency", 57_000...800_000, "ios7 stock iphone-4s", "Radius Networks (11 Mar 2014)"),
    .init("exit_latency", 803_000...1_546_000, "ios7 stock iphone-4s", "Radius Networks (11 Mar 2014)"),
    .init("exit_latency", 3000...3000, "ios7 stock", "AltBeacon #281 (Sep 2015)"),
    .init("entry_latency", 1000...12_000, "ios8 stock", radius2015),
    .init("exit_latency", 35_000...42_000, "ios8 stock", radius2015),
    .init("entry_latency", 2000...15_000, "ios9 stock", radius2017),
    .init("exit_latency", 20_000...120_000, "ios9 stock", radius2017),
    .init("grace", 5000...30_000, "ios13 stock", "Apple's developer forums 815618"),
    .init("empty_ticks_per_ten", 0...3, "ios9 background-task", "Open Radar 28608501 (Oct 2016)"),
    .init(
      "slow_slot_latency", 57_000...900_000, "ios9 stock no-hardware-slot",
      "Radius Networks, background monitoring of beacon regions (21 Apr 2015)"),
    .init("false_exit_length", 2000...60_000, "ios9 stock false-exits", "OwnTracks #537 (Jun 2018)"),
    .init("scan_interval", 660_000...1_200_000, "android12 altbeacon-job", "AltBeacon #1113 (Nov 2022)"),
    .init(
      "ends_app_after", 60_000...3_000_000, "android8 altbeacon-foreground-service oneplus",
      "AltBeacon #771 (Nov 2018)"),
    .init(
      "ends_app_after", 10_000...1_200_000, "android8 altbeacon-foreground-service xiaomi",
      "AltBeacon #1044 (Aug 2021)"),
    .init(
      "ends_app_after", 600_000...7_200_000, "android5 altbeacon-legacy samsung-android5",
      "AltBeacon #380 (May 2016)"),
    // Those that were looked up afterwards.
    .init("entry_latency", 10_000...850_000, "ios7.0 stock iphone-4s", "D. G. Young (13 Nov 2013)"),
    .init("exit_latency", 20_000...25_000, "ios7.0 stock", "Estimote iOS SDK #58 (Jan 2014)"),
    .init("entry_latency", 60_000...115_000, "ios9 stock", "cordova-plugin-ibeacon #259 (Nov 2016)"),
    .init("entry_latency", 30_000...30_000, "ios13 stock", "OwnTracks #688 (Oct 2021)"),
    .init("exit_latency", 30_000...300_000, "ios13 stock", "OwnTracks #688 (Oct 2021)"),
    .init("exit_latency", 30_000...30_000, "ios13 stock", "cordova-plugin-ibeacon #468 (Oct 2021)"),
    .init("grace", 10_000...10_000, "ios9 stock", "react-native-beacons-manager #71 (Feb 2018)"),
    .init(
      "false_exit_length", 5000...60_000, "ios9 stock false-exits", "homebridge-people #81 (Aug 2017)"),
    .init("hit_latency", 5000...5000, "android8 altbeacon-intent", "AltBeacon #868 (Apr 2019): Pixel 2"),
    .init(
      "hit_latency", 30_000...30_000, "android8 altbeacon-intent", "AltBeacon #680 (Apr 2018): Pixel 2"),
    .init(
      "scan_interval", 900_000...900_000, "android8 altbeacon-job", "AltBeacon #1050 (Aug 2021): Honor V9"),
    .init("scan_interval", 620_000...1_180_000, "android8 altbeacon-job", "AltBeacon #820 (Mar 2019)"),
    .init(
      "ends_app_after", 7_200_000...14_400_000, "android8 altbeacon-foreground-service",
      "AltBeacon #850 (Mar 2019): Galaxy S8"),
  ]

  private static func profile(_ phone: String) throws -> PhoneProfile {
    let words = phone.split(separator: " ").map(String.init)
    let profile = Walk(os: words[0], strategy: words[1], variant: .observed).profile
    return try words.count > 2 ? #require(profile.under(words[2], .observed)) : profile
  }

  /// What a thousand visits draw, ascending, without those in which it never comes.
  private static func draws(_ rule: String, _ profile: PhoneProfile) throws -> [Int64] {
    let place = try #require(PhoneProfile.rules.first { $0.name == rule }?.place)
    let crowd = PhoneSpread(of: profile, draws: 1000)
    return (0..<1000).compactMap { index in
      let draw = crowd.draw(phone: index / crowd.visitsPerPhone, visit: index % crowd.visitsPerPhone)
      guard case .number(let value) = draw.profile.value(at: place), value < 100_000_000 else { return nil }
      return value
    }.sorted()
  }

  @Test(arguments: reports) func `the interval reaches what was reported, or nobody knows`(
    _ report: Report
  ) throws {
    let profile = try Self.profile(report.phone)
    let draws = try Self.draws(report.rule, profile)
    // A thousand draws end a little before their ends.
    let isInside =
      draws.count > 200 && draws[0] <= report.values.lowerBound * 103 / 100
      && draws[draws.count - 1] >= report.values.upperBound * 97 / 100
    let walk = Simulation(
      profile, near: NearDistances(near: 4_000_000, rearm: 6_000_000),
      timeline: Timeline(approachFrom: 50_000_000, speed: 1_000_000))
    #expect(
      isInside || walk.unmeasured(report.rule) != nil,
      "\(draws.first ?? -1) to \(draws.last ?? -1), and not said to be unmeasured")
  }

  @Test(arguments: [
    ("ios8", 0.545, "\(radius2015): 18 of 33"), ("ios9", 0.1, "\(radius2017): some never"),
    ("ios13", 0.1, "BeaconEmitter #15 (Aug 2022): nearly ten percent"),
  ]) func `an exit that never came is within the stated share`(os: String, share: Double, source: String)
    throws
  {
    let spread = try #require(Self.profile("\(os) stock").spreads.first { $0.name == "exit_latency" })
    #expect(spread.never.contains(share), "\(source): \(spread.never)")
  }

  @Test func `a Samsung on Android 14 that hears nothing by intent is among the phones`() throws {
    let draws = try Self.draws(
      "hit_latency", Self.profile("android14 altbeacon-intent samsung-android14"))
    #expect(draws.count < 900)
  }

  /// AltBeacon #738 (Sep 2018).
  @Test func `a beacon at five seconds is not noticed, or nobody knows`() throws {
    var profile = try Self.profile("ios17 stock")
    profile.strategy[.advertisingInterval] = 5000
    let walk = Simulation(
      profile, near: NearDistances(near: 4_000_000, rearm: 6_000_000),
      timeline: Timeline(approachFrom: 50_000_000, speed: 1_000_000))
    #expect(walk.outcome == .notDetected && walk.unmeasured.contains { $0.rule == "unheard_interval" })
  }

  /// TiBeacons #45 (Mar 2016): "ranging always stops after 2-3 minutes".
  @Test func `a task of iOS 9 ranges for three minutes`() throws {
    var timeline = Timeline(approachFrom: 40_000_000, speed: 1_000_000, stay: 600_000)
    timeline.since = .pocket
    let walk = Simulation(
      try Self.profile("ios9 background-task"), near: NearDistances(near: 4_000_000, rearm: 6_000_000),
      timeline: timeline)
    #expect((120_000...190_000).contains(walk.totals.ranging))
  }

  /// The tails that --explain and JSON state are those of the crowd, on a system on which nobody measured, too.
  @Test(arguments: [("ios9", "entry_latency"), ("ios17", "entry_latency"), ("ios17", "exit_latency")])
  func `the stated spread is what the crowd draws`(os: String, rule: String) throws {
    let profile = try Self.profile("\(os) stock")
    let stated = try #require(profile.spreads.first { $0.name == rule })
    let came = try Self.draws(rule, profile)
    for (share, text) in [(0.05, stated.low), (0.5, stated.middle), (0.95, stated.high)] {
      let value = try #require(Amount.duration(text.replacing(" ", with: "")))
      let drawn = came[Int(Double(came.count) * share)]
      #expect(abs(drawn - value) <= max(value / 10, 200), "\(share): \(value), drawn \(drawn)")
    }
    #expect(stated.isElsewhere == (os == "ios17"))
  }
}
