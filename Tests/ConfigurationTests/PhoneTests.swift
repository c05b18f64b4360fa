@testable import Configuration
@testable import Phones
import Testing

@Suite struct PhoneTests {
  static let site = """
    beacons:
      - { name: fleet, ibeacon: { uuid: F29DC74A-DBBD-12DE-318A-C8B046DD4425 } }
      - { name: van, ibeacon: { uuid: F29DC74A-DBBD-12DE-318A-C8B046DD4425, major: 1, minor: 2 } }
      - { name: key, address: "C1:00:00:00:00:01" }
    zones:
      - { name: pump, beacons: [fleet], near: { distance: 2 m, rearm: 5 m } }
      - { name: shop, near: { signal: -60 dBm, rearm: -70 dBm } }
      - { name: yard, enter: { distance: 20 m } }

    """

  static let everyKey =
    site + """
      phones:
        - { name: anna, beacon: "fleet:1.2", os: mine, strategy: careless, variant: observed, zones: [pump, shop],
            rearm: 6 m, regions: zones, countdown: true, set: { task_cap: 45 s, distance_filter: none, region_rank: 3 } }
      profiles:
        os: [{ name: mine, based_on: ios17, set: { grace: { value: 9 s, source: log, confidence: H } } }]
        strategies: [{ name: careless, based_on: background-task, set: { ends_task: false, risk: high } }]

      """

  @Test func everyKeyIsRead() throws {
    #expect(try read(Self.everyKey).warnings == [])
  }

  private func phone(_ keys: String, more: String = "") throws -> PhoneSettings {
    let loaded = try read("\(Self.site)phones: [{ name: anna, \(keys) }]\n\(more)")
    #expect(loaded.warnings == [])
    return try #require(loaded.configuration.phones.first)
  }

  @Test func takesItsNearRulesFromTheZonesThatWatchItsBeacon() throws {
    let anna = try phone("beacon: van, os: ios13, strategy: background-task")
    #expect(anna.profile.os == Catalogue.system(named: "ios13"))
    #expect(anna.profile.strategy.name == "background-task")
    #expect(anna.triggers.map(\.zone) == ["pump", "shop"])
    #expect(anna.triggers[0].near == NearDistances(near: 2_000_000, rearm: 5_000_000))
    #expect(anna.triggers[1].near.near == nil)
    #expect(anna.triggers[1].rearmSignal == -70)
    #expect(anna.near.near == 2_000_000)
    #expect(!anna.countdown)
  }

  @Test func mayCarryAMemberOfARegion() throws {
    #expect(try phone("beacon: \"fleet:7.9\", os: ios7, strategy: stock").beacon == "fleet:7.9")
    #expect(try phone("beacon: \"fleet:7.9\", os: ios7, strategy: stock").triggers.count == 2)
    #expect(try phone("beacon: key, os: ios7, strategy: stock").triggers.map(\.zone) == ["shop"])
  }

  @Test func mayNameItsZonesAndTheDistanceAtWhichItHasLeft() throws {
    let anna = try phone("beacon: van, os: ios7, strategy: stock, zones: [shop], rearm: 8 m, countdown: true")
    #expect(anna.triggers.map(\.zone) == ["shop"])
    #expect(anna.triggers[0].near.rearm == 8_000_000)
    #expect(anna.triggers[0].rearmSignal == nil)
    #expect(anna.countdown)
  }

  @Test func mayChangeConstantsOfItsOwn() throws {
    let anna = try phone(
      "beacon: van, os: ios13, strategy: background-task, set: { task_cap: 45 s, ends_task: false, "
        + "expiration_margin: { value: 500 ms, source: our log, confidence: H }, distance_filter: none }")
    let (cap, margin) = (anna.profile.told("task_cap"), anna.profile.told("expiration_margin"))
    #expect(cap?.value == "45 s" && cap?.source == .user("configuration") && cap?.confidence == .medium)
    #expect(margin?.value == "0.5 s" && margin?.source == .user("our log") && margin?.confidence == .high)
    #expect(anna.profile.strategy[.endsTask] == false)
    #expect(anna.profile.strategy[.distanceFilter] == nil)
  }

  @Test func theVariantIsThatOfTheProfileAlsoWhereItIsTheUsersOwn() throws {
    let more = "profiles: { os: [{ name: mine, based_on: ios13, set: { task_cap: 20 s } }] }"
    let seed = try phone("beacon: van, os: mine, strategy: stock, variant: seed", more: more)
    let observed = try phone("beacon: van, os: mine, strategy: stock", more: more)
    #expect(seed.profile.os[.exitLatency] == 0)
    #expect(observed.profile.os[.exitLatency] == 30_000)
    #expect(seed.profile.os[.taskCap] == 20_000)
    #expect(observed.profile.os.name == "mine")
  }

  @Test func aProfileOfTheNameOfAShippedOneChangesIt() throws {
    let more = """
      profiles:
        os: [{ name: ios17, set: { task_cap: 20 s } }, { name: ios20, based_on: ios17, set: { grace: 5 s } }]
        strategies: [{ name: careless, based_on: background-task, set: { ends_task: false, risk: high } }]
      """
    let anna = try phone("beacon: van, os: ios20, strategy: careless", more: more)
    #expect(anna.profile.os[.taskCap] == 20_000)
    #expect(anna.profile.os[.grace] == 5000)
    #expect(anna.profile.strategy[.risk] == .high)
    let profiles = try read("\(Self.site)\(more)").configuration.profiles
    #expect(profiles.systems(.seed).count == Catalogue.systems(.seed).count + 1)
    #expect(profiles.strategies().last?.name == "careless")
  }

  @Test func `a constant may be a distribution, of which the typical value counts for one phone`() throws {
    let set =
      "entry_latency: { values: \"57 s, 279 s, 800 s\", never: 1 of 4, trials: 3, source: my logs of S0, confidence: M }"
    let anna = try phone(
      "beacon: van, os: mine, strategy: stock",
      more: "profiles: { os: [{ name: mine, based_on: ios17, set: { \(set) } }] }")
    #expect(anna.profile.os[.entryLatency] == 279_000)
    let spread = try #require(anna.profile.spreads.first { $0.name == "entry_latency" })
    #expect(spread.values == "57 s, 279 s, 800 s, never 1 of 4, 3 trials" && spread.confidence == .medium)
    #expect(spread.source.inWords == "my logs of S0")
  }

  @Test func `a distribution's tails end where its rule does, and trials may be any number`() throws {
    let set = "tick_period: { values: \"20 ms, 100 ms\", trials: \(Int.max) }"
    let anna = try phone(
      "beacon: van, os: mine, strategy: stock",
      more: "profiles: { os: [{ name: mine, based_on: ios17, set: { \(set) } }] }")
    let spread = PhoneSpread(of: anna.profile, draws: 200)
    for visit in 0..<10 {
      for phone in 0..<20 { #expect(spread.draw(phone: phone, visit: visit).profile.os[.tickPeriod] > 0) }
    }
  }

  private static func fault(_ keys: String) -> String {
    "\(site)phones: [{ name: anna, \(keys) }]"
  }
  private static func profile(_ entry: String) -> String { "profiles: { os: [{ \(entry) }] }" }

  @Test(arguments: [
    Fault(
      profile("name: mine, based_on: ios17, set: { grace: { values: ▸\"9 s, 3 s\" } }"), "must ascend",
      "for example"),
    Fault(
      profile(
        "name: mine, based_on: ios17, set: { grace: { values: ▸\"120 % 5 s, 130 % 6 s\", trials: 3 } }"),
      "has no share"),
    Fault(
      profile("name: mine, based_on: ios17, set: { grace: ▸{ value: 9 s, trials: 3 } }"),
      "a value and a distribution", "keep value: or values:"),
    Fault(fault("beacon: ▸vam, os: ios7, strategy: stock"), "no beacon “vam”", "did you mean van?"),
    Fault(fault("beacon: ▸fleet, os: ios7, strategy: stock"), "a region of many", "fleet:1.2"),
    Fault(
      fault("beacon: ▸fleet:x, os: ios7, strategy: stock"), "not a member of the region", "like fleet:1.2"),
    Fault(fault("beacon: ▸fleet:1.70000, os: ios7, strategy: stock"), "not a member"),
    Fault(fault("beacon: ▸van:1.2, os: ios7, strategy: stock"), "is not a region", "write beacon: van"),
    Fault(fault("beacon: van, os: ▸ios5, strategy: stock"), "no system “ios5”"),
    Fault(fault("beacon: van, os: ▸symbian, strategy: stock"), "no system", "known: android12,"),
    Fault(fault("beacon: van, os: ios7, strategy: ▸stok"), "no strategy “stok”", "did you mean stock?"),
    Fault(
      fault("beacon: van, os: ios7, strategy: ▸altbeacon-job"), "is an Android strategy",
      "strategies on ios7: stock,"),
    Fault(fault("beacon: van, os: ios7, strategy: ▸activity-session"), "needs iOS 17"),
    Fault(fault("beacon: van, os: ios7, strategy: stock, variant: ▸real"), "must be seed or observed"),
    Fault(fault("beacon: van, os: ios7, strategy: stock, zones: [▸pumb]"), "no zone “pumb”", "mean pump?"),
    Fault(fault("beacon: van, os: ios7, strategy: stock, zones: [▸yard]"), "has no near rule", "2 m"),
    Fault(fault("beacon: key, os: ios7, strategy: stock, zones: [▸pump]"), "does not watch “key”"),
    Fault(fault("beacon: van, os: ios7, strategy: stock, zones: [shop, ▸shop]"), .warning, "listed twice"),
    Fault(fault("beacon: van, os: ios7, strategy: stock, rearm: ▸1 m"), "nearer than near (2 m)", "try 4 m"),
    Fault(fault("beacon: van, os: ios7, strategy: stock, rearm: ▸-70 dBm"), "must be a distance"),
    Fault(fault("beacon: van, os: ios7, strategy: stock, regions: ▸all"), "must be one or zones"),
    Fault(fault("beacon: van, os: ios7, strategy: stock, countdown: ▸yes"), "must be true or false"),
    Fault(
      fault("beacon: van, os: ios7, strategy: stock, set: { ▸task_cup: 45 s }"), "did you mean task_cap?"),
    Fault(fault("beacon: van, os: ios7, strategy: stock, set: { task_cap: ▸45 }"), "needs a unit: s", "45 s"),
    Fault(fault("beacon: van, os: ios7, strategy: stock, set: { task_cap: ▸45 m }"), "is a distance"),
    Fault(fault("beacon: van, os: ios7, strategy: stock, set: { region_rank: ▸0 }"), "from 1 to 1000"),
    Fault(fault("beacon: van, os: ios7, strategy: stock, set: { risk: ▸some }"), "low, medium or high"),
    Fault(
      fault("beacon: van, os: ios7, strategy: stock, set: { grace: { value: 1 s, confidence: ▸X } }"),
      "must be H, M or L"),
    Fault(
      fault("beacon: van, os: ios7, strategy: stock, set: { grace: ▸{ source: me } }"), "grace has no value"),
    Fault(fault("beacon: van, os: ios7, strategy: stock, ▸stratgy: stock"), "not a known key", "known here"),
    Fault("\(site)phones: [▸{ name: a, beacon: van, os: ios7 }]", "strategy is missing here"),
    Fault(
      "\(fault("beacon: van, os: ios7, strategy: stock").dropLast()), { name: ▸anna, beacon: van, os: ios7, strategy: stock }]",
      "the phone “anna” is there already"),
    Fault(
      "beacons: [{ name: k, address: C1:00:00:00:00:01 }]\nphones: [▸{ name: a, beacon: k, os: ios7, strategy: stock }]",
      .warning, "there will never be a verdict"),
    Fault(
      "profiles: { os: [▸{ name: ios13, based_on: ios7 }] }", .warning, "“ios13” is a system that ships"),
    Fault(profile("name: a, based_on: ▸ios14"), "no system “ios14”", "ios13"),
    Fault(
      "profiles: { os: [▸{ name: ios1 }] }", "there is no system “ios1” to change",
      "did you mean to change ios13?"),
    Fault(profile("name: ios7, set: { ▸begins_task: true }"), "no constant here", "belongs to a strategy"),
    Fault("profiles: { os: [{ name: ios7 }, { name: ▸ios7 }] }", "is there already"),
    Fault("profiles: { ▸systems: [] }", "not a known key of profiles", "os and strategies"),
  ])
  func aWrongPhoneIsToldLikeAWrongZone(_ fault: Fault) { expectOne(fault) }

  @Test func theSimulationIsExplained() throws {
    let loaded = try read(
      """
      \(Self.site)phones:
        - { name: anna, beacon: van, os: ios13, strategy: background-task, zones: [pump], countdown: true }
        - { name: dora, beacon: van, os: ios17, strategy: location-when-in-use, regions: zones }
        - { name: emil, beacon: van, os: ios17, strategy: live-updates }
        - { name: ben, beacon: van, os: ios7, strategy: stock }
        - { name: cleo, beacon: key, os: android8, strategy: altbeacon-job }
      """)
    let told = Explanation(loaded.configuration).phones.map { $0.sentences.joined(separator: " ") }
    #expect(told[0].contains("Carries van. Simulated as ios13"))
    #expect(told[0].contains("ranges for 36 s after the beacon is first heard or lost, and is suspended"))
    #expect(told[0].contains("for each near of pump, until it is beyond 5 m, or lost."))
    #expect(told[0].contains("every second"))
    #expect(told[0].contains("Its rules: iOS as observed in the field (observed)."))
    #expect(told[1].contains("LOCATION_CONFIG_REJECTED") && told[1].contains("its app never ranges"))
    #expect(told[1].contains("a region for each of these zones"))
    #expect(
      told[2].contains("Location pauses itself when the phone has lain still for 5 min, until it moves."))
    #expect(told[3].contains("ranges for 10 s"))
    #expect(told[3].contains("shop, until it is weaker than -70 dBm"))
    #expect(told[4].contains("scans for 10 s about every 15 min"))
  }
}
