import Beacons
@testable import Configuration
import Core
import Phones
import Testing

@Suite struct WakeTests {
  static let uuid = "5AF13A5C-0000-4000-8000-000000000007"
  static let plan =
    "period: 60 s, broadcasts: [{ region: 1, start: 0 s, duration: 5 s }, { region: 2, start: 30 s, duration: 2500 ms }]"

  @Test func nothingIsBroadcastUnlessItIsAskedFor() throws {
    #expect(try read("gateway: {}").configuration.wake == nil)
    #expect(try read("wake:").configuration.wake == nil)
  }

  @Test func aPlanIsReadWithItsIdentities() throws {
    let wake = try #require(
      try read(
        "wake: { uuid: \(Self.uuid), major: 7, minor: 100, adapter: hci1, measured_power: -62 dBm, \(Self.plan) }"
      )
      .configuration.wake)
    #expect(wake.adapter == "hci1")
    #expect(wake.plan.period == 60_000)
    #expect(
      wake.plan.broadcasts == [
        WakePlan.Broadcast(region: 0, start: 0, duration: 5000),
        WakePlan.Broadcast(region: 1, start: 30_000, duration: 2500),
      ])
    #expect(wake.identities.map(\.minor) == [100, 101])
    #expect(wake.identities.allSatisfy { $0.major == 7 && $0.measuredPower == -62 })
  }

  @Test func aPlanIsWorkedOutForAPhone() throws {
    let yaml =
      "wake: { uuid: \(Self.uuid), os: ios13, strategy: background-task, reach: 50 m, speed: 3.6 km/h }"
    let loaded = try read(yaml)
    let wake = try #require(loaded.configuration.wake)
    #expect(wake.plan.mostAtOnce == 1)
    #expect(wake.identities.count == wake.plan.regions)
    #expect(
      wake.audience
        == "background-task on ios13 (observed), heard within 50 m by phones that come at 1 m/s")
    #expect(try read(yaml).configuration == loaded.configuration)
  }

  @Test func aPlanIsWorkedOutForASystemOfOnesOwn() throws {
    let yaml = """
      profiles: { os: [{ name: ios19, based_on: ios13, set: { task_cap: 60 s } }] }
      wake: { uuid: \(Self.uuid), os: ios19, strategy: background-task, variant: seed, slots: 4 }
      """
    #expect(try read(yaml).configuration.wake?.audience?.hasPrefix("background-task on ios19 (seed)") == true)
  }

  @Test func omittedKeysHaveDefaults() throws {
    let wake = try #require(try read("wake: { uuid: \(Self.uuid), \(Self.plan) }").configuration.wake)
    #expect(wake.adapter == nil)
    #expect(wake.measuredPower == -59)
    #expect(wake.regions == WakeRegions(uuid: wake.regions.uuid, major: 1, minors: 1...2))
  }

  @Test(arguments: [
    ("wake: {}", "uuid is missing here"),
    ("wake: { uuid: \(uuid) }", "what is to be broadcast?"),
    ("wake: { uuid: \(uuid), period: 60 s }", "broadcasts is missing here"),
    ("wake: { uuid: \(uuid), os: ios13 }", "strategy is missing here"),
    ("wake: { uuid: \(uuid), reach: 50 m }", "os is missing here"),
    ("wake: { uuid: \(uuid), os: ios5, strategy: background-task }", "there is no system"),
    ("wake: { uuid: \(uuid), os: ios13, strategy: altbeacon-job }", "altbeacon-job"),
    ("wake: { uuid: \(uuid), os: ios13, strategy: background-task, \(plan) }", "both say what to broadcast"),
    ("wake: { uuid: \(uuid), os: ios13, strategy: background-task, reach: 50 s }", "is a time"),
    ("wake: { uuid: \(uuid), os: ios13, strategy: background-task, reach: 5 km }", "reach cannot be 5000 m"),
    ("wake: { uuid: \(uuid), os: ios13, strategy: background-task, speed: 1 m }", "is a distance"),
    ("wake: { uuid: \(uuid), os: ios13, strategy: background-task, slots: 0 }", "slots cannot be 0"),
    ("wake: { uuid: \(uuid), os: ios13, strategy: location-always }", "needs no wake regions"),
    (
      "wake: { uuid: \(uuid), os: ios13, strategy: stock, regions: 1 }",
      "no rotation keeps an app with stock on ios13 listening: "
    ),
    (
      "wake: { uuid: \(uuid), broadcasts: [{ region: 1, start: 0 s, duration: 5 s }] }",
      "period is missing here"
    ),
    ("wake: { uuid: 12, \(plan) }", "is no UUID"),
    ("wake: { uuid: \(uuid), minor: 65535, \(plan) }", "leaves no room for 2 regions"),
    ("wake: { uuid: \(uuid), adapter: hcj0, \(plan) }", "hcj0” is not an adapter"),
    ("wake: { uuid: \(uuid), adaptor: hci0, \(plan) }", "adaptor” is not a known key of wake"),
    (
      "wake: { uuid: \(uuid), period: 60, broadcasts: [{ region: 1, start: 0 s, duration: 5 s }] }",
      "needs a unit"
    ),
    (
      "wake: { uuid: \(uuid), period: 60 s, broadcasts: [{ region: 0, start: 0 s, duration: 5 s }] }",
      "regions are counted from 1"
    ),
    (
      "wake: { uuid: \(uuid), period: 60 s, broadcasts: [{ region: 1, start: 61 s, duration: 5 s }] }",
      "starts within the period"
    ),
    ("wake: { uuid: \(uuid), period: 60 s, broadcasts: [] }", "is an empty list"),
    (
      """
      beacons: [{ name: van, ibeacon: { uuid: \(uuid), major: 1, minor: 2 } }]
      wake: { uuid: \(uuid), \(plan) }
      """, "van” is a wake region of this gateway"
    ),
  ])
  func faultsAreReportedWithTheirPositions(yaml: String, message: String) throws {
    let fault = try #require(diagnose(yaml).first { $0.severity == .error && $0.message.contains(message) })
    #expect(fault.position != nil)
  }

  @Test func aRegionOfBeaconsMayHoldTheWakeRegions() throws {
    let yaml = """
      beacons: [{ name: fleet, ibeacon: { uuid: \(Self.uuid) } }]
      zones: [{ name: z, enter: 5 m, exit: 9 m }]
      wake: { uuid: \(Self.uuid), \(Self.plan) }
      """
    #expect(diagnose(yaml) == [])
  }

  @Test func theExplanationListsTheBroadcastTimes() throws {
    let explanation = Explanation(try read("wake: { uuid: \(Self.uuid), \(Self.plan) }").configuration)
    #expect(explanation.wake.map(\.name) == ["plan", "region 1", "region 2"])
    #expect(
      explanation.wake.first?.sentences == [
        "As written in the configuration.", "Repeats every 60 s, one region on air at a time.",
      ])
    #expect(
      explanation.wake.last?.sentences == [
        "Broadcast as iBeacon \(Self.uuid), major 1, minor 2, by the first adapter that is found.",
        "On air at 30 s for 2.5 s.",
      ])
  }
}
