import Testing

@testable import Phones

/// A crowd of phones: what was measured, drawn.
@Suite struct CrowdTests {
  private static func profile(_ os: String, _ strategy: String, _ device: String? = nil) throws
    -> PhoneProfile
  {
    let profile = Walk(os: os, strategy: strategy, variant: .observed).profile
    return try device.map { try #require(profile.under($0, .observed)) } ?? profile
  }

  /// An approach from 50 m, and how the crowd fared.
  private static func tally(
    _ profile: PhoneProfile, draws: Int = 200, seed: UInt64 = 1, stay: Milliseconds = 0
  ) -> Tally {
    let near = NearDistances(near: 4_000_000, rearm: 6_000_000)
    var timeline = Timeline(approachFrom: 50_000_000, speed: 1_000_000, stay: stay)
    timeline.since = .pocket
    let truth = Simulation(profile, near: near, timeline: timeline)
    var tally = Tally(profile)
    tally.add(truth)
    tally.addSpread(
      of: Approach(name: "walk", near: near, timeline: timeline), truth: truth, draws: draws, seed: seed)
    return tally
  }

  /// The latencies that a crowd draws, in seconds, without those that never come.
  private static func drawn(_ rule: NumberRule, _ profile: PhoneProfile) -> [Double] {
    let crowd = PhoneSpread(of: profile, draws: 1000)
    return (0..<crowd.phones).flatMap { phone in
      (0..<crowd.visitsPerPhone).map { Double(crowd.draw(phone: phone, visit: $0).profile[rule]) / 1000 }
    }
  }

  @Test func `the same seed is the same crowd and another seed another`() throws {
    let profile = try Self.profile("ios8", "stock")
    #expect(Self.tally(profile) == Self.tally(profile))
    #expect(Self.tally(profile) != Self.tally(profile, seed: 2))
  }

  @Test func `an iPhone 4S on iOS 7 may take a quarter of an hour`() throws {
    let phone = try Self.profile("ios7", "stock", "iphone-4s")
    let entries = Self.drawn(.entryLatency, phone).sorted()
    #expect(entries[50] < 57 && entries[950] > 800)
    #expect(abs(entries[500] - 279) < 20)
    let share = try #require(Self.tally(phone).meanShare)
    #expect(share < 0.3)
    // On iOS 8 the same device needs a second or two.
    #expect(Self.drawn(.entryLatency, try Self.profile("ios8", "stock", "iphone-4s")).sorted()[500] < 2)
  }

  @Test func `an exit that did not come in half of the trials does not come in half of the draws`() throws {
    let exits = Self.drawn(.exitLatency, try Self.profile("ios8", "stock"))
    let never = exits.count { $0 > 1_000_000 }
    #expect((450...650).contains(never))
    #expect(exits.filter { $0 < 1_000_000 }.sorted()[200] > 35)
  }

  @Test func `what somebody sets is the same on all phones`() throws {
    var profile = try Self.profile("ios8", "stock")
    profile.set("exit_latency", to: .number(7000), source: "test", confidence: .low)
    #expect(Set(Self.drawn(.exitLatency, profile)) == [7])
  }

  @Test func `a Samsung on Android 14 mostly hears nothing by intent`() throws {
    let samsung = Self.tally(try Self.profile("android14", "altbeacon-intent", "samsung-android14"))
    let pixel = Self.tally(try Self.profile("android14", "altbeacon-intent", "pixel-8"))
    let (low, high) = (try #require(samsung.meanShare), try #require(pixel.meanShare))
    #expect(low < 0.5 && high > 0.9)
  }

  @Test func `a share comes with the interval of nine of ten phones and with its lateness`() throws {
    let tally = Self.tally(try Self.profile("ios9", "stock"))
    let (share, interval) = (try #require(tally.meanShare), try #require(tally.shareInterval))
    #expect(interval.contains(share) && interval.lowerBound < interval.upperBound)
    let (half, most) = (tally.lateness(of: 0.5) ?? 0, tally.lateness(of: 0.95) ?? 0)
    #expect(half <= most)
  }

  @Test func `where nobody measured the answer says so`() throws {
    let rules = Self.tally(try Self.profile("ios17", "stock")).unmeasured
    #expect(rules.contains(Unmeasured(rule: "entry_latency", phone: "ios17", elsewhere: "ios9")))
    #expect(!Self.tally(try Self.profile("ios9", "stock")).unmeasured.contains { $0.rule == "entry_latency" })
    #expect(Self.tally(try Self.profile("ios7", "stock")).unmeasured.contains { $0.rule == "entry_latency" })
  }

  @Test func `where phones are known to differ and none is named the answer says so`() throws {
    func hangs(_ os: String, _ strategy: String, _ device: String? = nil) throws -> [String: String?] {
      let rules = Self.tally(try Self.profile(os, strategy, device)).unmeasured
      return Dictionary(rules.map { ($0.rule, $0.elsewhere) }) { first, _ in first }
    }
    let service = try hangs("android14", "altbeacon-foreground-service")
    #expect(service == ["ends_app_after": "samsung-android5", "filters_scans": "samsung-android8"])
    #expect(try hangs("android14", "altbeacon-intent")["hit_latency"] == "samsung-android14")
    #expect(try hangs("android14", "altbeacon-intent", "samsung-android14")["hit_latency"] == nil)
    #expect(try hangs("ios13", "background-task")["task_cap"] == .some(nil))
    #expect(try hangs("ios9", "background-task")["task_cap"] == nil)
    var slow = try Self.profile("ios17", "activity-session")
    slow.set("advertising_interval", to: .number(5000), source: "test", confidence: .low)
    let lateness = Self.tally(slow)
    #expect(try #require(lateness.lateness(of: 0.1)) < 2000 && #require(lateness.lateness(of: 0.9)) > 3000)
    #expect(lateness.unmeasured.map(\.rule).contains("unheard_interval"))
    for strategy in ["activity-session", "live-updates"] {
      #expect(try hangs("ios17", strategy)["has_activity_session"] == .some(nil))
    }
    #expect(try hangs("ios17", "background-task")["has_activity_session"] == nil)
    let oneplus = Self.tally(try Self.profile("android8", "altbeacon-foreground-service", "oneplus"))
    #expect(try #require(oneplus.meanShare) < 0.6)
  }

  @Test func `as many draws as asked come to about the same share`() throws {
    let profile = try Self.profile("ios9", "stock")
    let few = try #require(Self.tally(profile, draws: 100).meanShare)
    let many = try #require(Self.tally(profile, draws: 2000).meanShare)
    #expect(abs(few - many) < 0.08)
  }
}
