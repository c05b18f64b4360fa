import Beacons
import Contract
import Core
import Scenes
import Testing

@testable import Pipeline

/// Whatever is published at most once in a while is published in the end, heard again or not.
@Suite struct HeldBackTests {
  private static let alone = """
    gateway: { name: forecourt }
    beacons: [{ name: meter, address: "C1:00:00:00:00:05" }]

    """
  private static let house = alone + "zones: [{ name: house, exit: { lost: 2 h } }]"
  private let address = 0xC100_0000_0005 as UInt64

  /// BTHome: a packet counter and the state of the battery. (An edge of a binary reading is told at once.)
  private func meter(_ counter: UInt8, percent: UInt8) -> [UInt8] {
    [2, 1, 6, 8, 0x16, 0xD2, 0xFC, 0x40, 0x00, counter, 0x01, percent]
  }

  private func states(_ scene: Scene) -> [String] {
    scene.states.filter { $0.topic.hasSuffix("/meter/state") }.map {
      String(decoding: $0.payload, as: UTF8.self)
    }
  }

  /// A meter that rises and falls within the interval, and then says nothing.
  private func fellSoon(_ yaml: String = house) throws -> Scene {
    var scene = try Scene(yaml)
    try scene.hear(meter(0, percent: 80), from: address, rssi: -60, for: 0.3)
    scene.pass(60)
    try scene.hear(meter(1, percent: 90), from: address, rssi: -60, for: 0.3)
    scene.pass(2.7)
    try scene.hear(meter(2, percent: 80), from: address, rssi: -60, for: 0.3)
    #expect(scene.state("beacon/meter/state")?.contains(#""battery_pct":90"#) == true)
    return scene
  }

  @Test func theLastReadingIsToldAtTheEndOfTheInterval() throws {
    var scene = try fellSoon()
    let before = states(scene).count
    scene.pass(6)
    #expect(scene.state("beacon/meter/state")?.contains(#""battery_pct":90"#) == true)
    scene.pass(1)
    #expect(scene.state("beacon/meter/state")?.contains(#""battery_pct":80"#) == true)
    // Once; and once more when its receiver does not hear it any more.
    scene.pass(3600)
    let told = states(scene)
    #expect(told.count == before + 2)
    #expect(told.last?.contains(#""distance_m":null"#) == true)
    #expect(scene.pipeline.nextDeadline.map { $0 > scene.time } ?? true)
  }

  /// It is told at its own time, whatever is heard next.
  @Test func anotherBeaconIsNoReasonToWait() throws {
    var scene = try fellSoon()
    let count = states(scene).count
    scene.skip(100)
    try scene.hear([2, 1, 6], from: 0xC100_0000_0009, rssi: -60, for: 0.1)
    #expect(states(scene).count > count)
    #expect(states(scene)[count].contains(#""battery_pct":80"#))
    #expect(states(scene)[count].contains(#""distance_m":null"#) == false)
  }

  @Test func aBeaconThatIsHeardAllTheTimeIsToldOnceInAnInterval() throws {
    var scene = try Scene(Self.house)
    try scene.hear(meter(0, percent: 80), from: address, rssi: -60, for: 100)
    #expect((10...12).contains(states(scene).count))
  }

  @Test func aReloadAndATakeoverForgetNoChange() throws {
    var scene = try fellSoon()
    try scene.reload(Self.house + "\ntelemetry: { beacon_state: 9 s }")
    scene.output.removeAll()
    scene.pass(10)
    #expect(scene.state("beacon/meter/state")?.contains(#""battery_pct":80"#) == true)

    scene = try fellSoon()
    var writer = StateCoder()
    scene.pipeline.snapshot(into: &writer)
    var next = Pipeline(try Scene.configuration(Self.house))
    var reader = try StateCoder(reading: writer.finished())
    try next.restore(from: &reader)
    scene.replace(next, receiver: scene.receiver)
    scene.output.removeAll()
    scene.pass(10)
    #expect(scene.state("beacon/meter/state")?.contains(#""battery_pct":80"#) == true)
  }

  /// Also of a beacon that is in no zone.
  @Test(arguments: [house, alone]) func whatWasNotToldAtARestartIsToldAfterIt(_ yaml: String) throws {
    let scene = try fellSoon(yaml)
    let saved = scene.pipeline.savedBeacons(at: scene.time, wallTime: scene.wallTime)
    var next = Pipeline(try Scene.configuration(yaml))
    var output = Pipeline.Output()
    next.restore(
      saved, isSameBoot: true, at: scene.time, wallTime: scene.wallTime, into: &output)
    let states = next.allStates().filter { $0.topic.hasSuffix("/meter/state") }
      .map { String(decoding: $0.payload, as: UTF8.self) }
    #expect(states.count == 1)
    #expect(states.first?.contains(#""battery_pct":80"#) == true)
  }

  /// What the rooms make of a sighting is known a moment after the state was told.
  @Test func theLastEstimateOfTheRoomsIsTold() throws {
    var flat = try Flat(Flat.head)
    try flat.stay(inKitchen: true, seconds: 20)
    flat.wait(3600)
    let told = try #require(flat.state("beacon/key/room"))
    #expect(told.contains(#""probability":null"#), "\(told)")
    let state = try #require(flat.state("beacon/key/state"))
    #expect(state.contains(#""room":null,"distance_m":null"#), "\(state)")
  }

  @Test func theLastDistanceToAReceiverIsToldOnce() throws {
    var scene = try Scene(Self.alone + "home_assistant: { room_presence: rooms }")
    func told() -> [RoomPresenceMessage] {
      scene.output.items.compactMap { if case .roomPresence(let presence) = $0 { presence } else { nil } }
    }
    try scene.hear(meter(0, percent: 80), from: address, rssi: -60, for: 0.2)
    try scene.hear(meter(0, percent: 80), from: address, rssi: -80, for: 0.5)
    #expect(told().count == 1)
    scene.pass(600)
    try #require(told().count == 2)
    #expect(told()[1].distance > told()[0].distance)
  }

  /// Its state is told at the end of each interval, which is not to keep it from being noted.
  @Test func aNewcomerThatStaysIsNews() throws {
    var scene = try Scene()
    try scene.hear(rssi: -58, for: 8)
    #expect(scene.pipeline.takeNews().isEmpty)
    try scene.hear(rssi: -58, for: 30)
    #expect(scene.pipeline.takeNews().map(\.name) == ["fleet:1.2"])
  }

  /// Whatever happened: once all are silent, the broker has what the gateway would tell now.
  @Test(arguments: 0..<20 as Range<UInt64>) func inTheEndAllIsTold(seed: UInt64) {
    var site = RandomSite(seed: seed)
    var pipeline = Pipeline(site)
    var told: [String: String] = [:]
    func take(_ said: [String]) {
      for line in said where line.contains("/beacon/") {
        let parts = line.split(separator: " ", maxSplits: 3, omittingEmptySubsequences: false)
        if parts.count == 4 { told[String(parts[0])] = String(parts[3]) }
      }
    }
    for _ in 0..<600 { take(pipeline.say(to: site.next())) }
    take(pipeline.say(to: .passed(site.time + .seconds(86_400))))
    for message in pipeline.allStates() where message.topic.contains("/beacon/") {
      #expect(told[message.topic] == String(decoding: message.payload, as: UTF8.self), "\(message.topic)")
    }
  }
}
