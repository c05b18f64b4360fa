import Beacons
import Configuration
import Contract
import Core
import InMemoryLogging
import Logging
import Mosquitto
import Phones
import Scenes
import Synchronization
import Testing

@testable import Gateway
@testable import Pipeline
@testable import Radio

/// What the gateway sends itself is no beacon of its, whoever hears it.
@Suite struct WakeTests {
  private static let rules =
    Scene.rules + """

      wake:
        uuid: F29DC74A-DBBD-12DE-318A-C8B046DD4425
        major: 1
        minor: 10
        period: 60 s
        broadcasts:
          - { region: 1, start: 0 s, duration: 5 s }
          - { region: 2, start: 58 s, duration: 4 s }
      """

  @Test func itsOwnRegionsAreNeverReported() throws {
    var scene = try Scene(Self.rules)
    let second = scene.pipeline.receiver("hci1")
    // They belong to the region `fleet`, which every zone watches.
    try scene.hear(Scene.iBeacon(minor: 10), rssi: -50, for: 5, at: second)
    try scene.hear(Scene.iBeacon(minor: 11), rssi: -50, for: 5)
    scene.pass(60)
    #expect(scene.story == [])
    #expect(scene.pipeline.beaconCount == 0)
    #expect(scene.pipeline.takeNews().isEmpty)
    #expect(!scene.states.contains { $0.topic.contains("/beacon/") })
    // They prove that the receiver hears, and no more.
    #expect(scene.pipeline.counts.advertisements == 100)
    #expect(scene.pipeline.counts.sightings == 0)
  }

  @Test func theNextMinorIsABeaconAsEver() throws {
    var scene = try Scene(Self.rules)
    try scene.hear(Scene.iBeacon(minor: 12), rssi: -50, for: 5)
    try scene.hear(Scene.iBeacon(minor: 9), rssi: -50, for: 5)
    #expect(scene.pipeline.beaconCount == 2)
  }

  /// A change of `wake:` counts from the next start on.
  @Test func `health tells of the broadcast that began, whatever the file says meanwhile`() throws {
    let configuration = try Scene.configuration(Self.rules)
    let wake = try #require(configuration.wake)
    let log = InMemoryLogHandler()
    let logger = Logger(label: "test") { _ in log }
    let pipeline = Pipeline(configuration)
    let delivery = try Delivery(
      try Client(Options(host: "127.0.0.1", port: 1)), pipeline.topics, listener: GatewayRun.Listener(),
      logger: logger)
    let decisions = DecisionLoop(pipeline, delivery: delivery, logger: logger)
    let radio = try RadioService(LiveRadio.Options(configuration), decisions, configuration, logger)
    decisions.reporters.withLock { $0 = [delivery, radio] }
    #expect(decisions.currentHealth.wake == nil, "nothing is known yet")
    let began = LiveClock.now - .seconds(5)
    let status = BroadcastStatus(state: .on, reason: "", adapter: "hci0", onAir: [1], began: began)
    radio.tell(status, of: wake)
    decisions.configure(try Scene.configuration(Scene.rules))
    let told = try #require(decisions.currentHealth.wake)
    #expect(told.state == "on" && told.adapter == "hci0" && told.onAir == [11])
    let age = try #require(told.began.map { LiveClock.wallNow - $0 })
    #expect(age >= .seconds(4) && age < .seconds(600))
    // The next turn of the rotation is no news.
    radio.tell(BroadcastStatus(state: .on, reason: "", adapter: "hci0", onAir: [], began: began), of: wake)
    #expect(log.entries.count { "\($0.message)".contains("broadcasting wake regions") } == 1)
    _ = decisions.close()
  }

  @Test func scanDoesNotListThem() throws {
    var survey = AirSurvey(try Scene.configuration(Self.rules))
    for minor in [9, 10, 11] as [UInt8] {
      let advertisement = Advertisement(
        receiver: ReceiverIndex(rawValue: 0), address: DeviceAddress(bits: UInt64(minor), kind: .random),
        rssi: -60,
        time: .zero, wallTime: WallTime(nanoseconds: 0))
      survey.observe(advertisement, payload: Scene.iBeacon(minor: minor).span)
    }
    #expect(survey.listing(at: .zero).map(\.device.address.bits) == [9])
  }

  @Test func broadcastsContinueThroughAReload() throws {
    var scene = try Scene(Self.rules)
    let next = scene.pipeline.reconfigured(try Scene.configuration(Scene.rules), into: &scene.output)
    scene.replace(next, receiver: scene.receiver)
    try scene.hear(Scene.iBeacon(minor: 10), rssi: -50, for: 5)
    #expect(scene.pipeline.beaconCount == 0)
  }

  @Test func thePlanIsHandedToTheRadioAsItIs() throws {
    let wake = try #require(try Scene.configuration(Self.rules).wake)
    let plan = BroadcastPlan(wake)
    #expect(plan.identities.map(\.minor) == [10, 11])
    #expect(plan.mostAtOnce == 2)
    for (second, regions, until) in [
      (0.0, [0, 1], 2.0), (1.9999, [0, 1], 2), (2, [0], 5), (5, [], 58), (59, [1], 60), (60, [0, 1], 62),
      (-0.5, [], 0),
    ] {
      let now = plan.onAir(.seconds(second))
      #expect(now == BroadcastPlan.OnAir(identities: regions, until: .seconds(until)), "at \(second) s")
    }
  }
}
