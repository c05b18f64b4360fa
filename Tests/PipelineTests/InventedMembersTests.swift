import Beacons
import Contract
import Core
import Proximity
import Scenes
import Testing

@testable import Pipeline

/// Anybody can invent members of a region by the thousand. Whoever is really there must not notice.
@Suite struct InventedMembersTests {
  private static let limits = AdmissionLimits(members: 400, burst: 20, perSecond: 10)

  private struct Flood {
    var pipeline: Pipeline
    private var output = Pipeline.Output()
    var story: [String] = []
    var time = MonotonicTime.zero
    var invented = 0
    var retained: Set<String> = []

    init(_ limits: AdmissionLimits = InventedMembersTests.limits) throws {
      pipeline = Pipeline(try Scene.configuration(Scene.rules), limits: limits)
      _ = pipeline.receiver("hci0")
    }

    mutating func hear(_ payload: [UInt8], from address: UInt64, rssi: Int8) {
      let heard = Advertisement(
        receiver: ReceiverIndex(rawValue: 0), address: DeviceAddress(bits: address, kind: .random),
        rssi: rssi,
        time: time, wallTime: WallTime(nanoseconds: 1_795_211_400_000_000_000 + time.nanoseconds))
      var batch = AdvertisementBatch()
      batch.append(heard, payload: payload.span)
      pipeline.observe(batch, into: &output)
      for message in output.states(topics: pipeline.topics) {
        if message.payload.isEmpty { retained.remove(message.topic) } else { retained.insert(message.topic) }
      }
      story += output.transitions.map { "\($0.word) \($0.place) \($0.beacon)" }
      output.removeAll()
    }

    /// So many invented members a second, for some seconds.
    mutating func invent(
      _ rate: Int, rssi: Int8 = -85, for seconds: Int, each: () -> (payload: [UInt8], every: Int)? = { nil }
    ) {
      for step in 0..<(rate * seconds) {
        time = time + .milliseconds(Int64(1000 / rate))
        invented += 1
        hear(Scene.iBeacon(number: UInt16(1000 + invented % 60_000)), from: UInt64(invented), rssi: rssi)
        if let (payload, every) = each(), step % every == 0 { hear(payload, from: 0xC1, rssi: -50) }
      }
    }
  }

  /// A silent lock-out for ever, if this fails.
  @Test func afterAFloodANewMemberIsTakenUpStill() throws {
    var flood = try Flood()
    flood.invent(50, for: 150)
    #expect(flood.pipeline.beaconCount <= 400)
    #expect(flood.pipeline.refusedMembers > 1000)
    #expect(flood.pipeline.counts.retired > 100)
    flood.story.removeAll()
    // It is heard ten times a second, while the flood goes on.
    flood.invent(50, for: 20) { (Scene.iBeacon(minor: 2), 5) }
    #expect(flood.story.contains("enter pump-3 fleet:1.2"))
    #expect(flood.story.contains("near pump-3 fleet:1.2"))
    // Nothing is retained of whoever was forgotten.
    let topics = flood.retained.filter { $0.hasSuffix("/state") && $0.contains("/fleet") }
    #expect(topics.count <= flood.pipeline.beaconCount)
    let news = flood.pipeline.takeNews().map(\.name)
    #expect(news == ["fleet:1.2"] || news.isEmpty)
  }

  @Test func aBeaconInAZoneIsNeverRetired() throws {
    var flood = try Flood()
    for _ in 0..<20 {
      flood.time = flood.time + .milliseconds(100)
      flood.hear(Scene.iBeacon(minor: 2), from: 0xC1, rssi: -58)
    }
    #expect(flood.story.contains("enter pump-3 fleet:1.2"))
    // Heard just often enough to stay.
    flood.invent(50, for: 150) { (Scene.iBeacon(minor: 2), 250) }
    #expect(!flood.story.contains { $0.hasPrefix("exit") && $0.hasSuffix("fleet:1.2") })
    let state = flood.pipeline.allStates().first { $0.topic.hasSuffix("beacon/fleet%3A1.2/state") }
    #expect(state.map { String(decoding: $0.payload, as: UTF8.self) }?.contains("pump-3") == true)
  }

  @Test func refusalsAreReportedOnceAndCounted() throws {
    var flood = try Flood()
    flood.invent(50, for: 4)
    let notices = flood.pipeline.takeNotices()
    #expect(notices.count == 1 && notices[0].contains("members_refused"))
    flood.invent(50, for: 4)
    let again = flood.pipeline.takeNotices()
    #expect(again.isEmpty)
    let refused = flood.pipeline.refusedMembers
    var ignored = Pipeline.Output()
    flood.pipeline = flood.pipeline.reconfigured(flood.pipeline.configuration, into: &ignored)
    let afterwards = flood.pipeline.takeNotices()
    #expect(flood.pipeline.refusedMembers == refused && afterwards.isEmpty)
  }

  /// Beyond what each may do as a newcomer, they wait for each other.
  @Test func flickeringMembersWaitForTheirTurnAndAreReported() throws {
    let limits = AdmissionLimits(
      members: 400, burst: 400, perSecond: 100, transitions: RateLimit(burst: 20, perSecond: 2))
    var flood = try Flood(limits)
    func comeAndGo(_ rounds: Int) {
      for step in 0..<(rounds * 60) {
        flood.time = flood.time + .milliseconds(100)
        for member in 1...40 as ClosedRange<UInt16> {
          flood.hear(
            Scene.iBeacon(number: 1000 + member), from: UInt64(member), rssi: step % 60 < 30 ? -50 : -95)
        }
      }
    }
    comeAndGo(15)
    let transitions = flood.story.count { !$0.hasPrefix("exit") }
    #expect(transitions > 150 && transitions <= 2 * (40 * 2 + 20 + 2 * 90))
    #expect(flood.pipeline.heldTransitions > 50)
    func notices() -> Int {
      flood.pipeline.takeNotices().count { $0.contains("transitions_held") && !$0.hasPrefix("fleet:") }
    }
    #expect(notices() == 1)
    comeAndGo(2)
    #expect(notices() == 0)
  }

  /// However many there are: how many may come is bounded where they are admitted.
  @Test func newcomersEnterAtOnce() throws {
    let limits = AdmissionLimits(
      members: 400, burst: 400, perSecond: 100, transitions: RateLimit(burst: 1, perSecond: 1))
    var flood = try Flood(limits)
    flood.invent(50, rssi: -50, for: 4)
    #expect(flood.story.count { $0.hasPrefix("enter") } >= 200)
    #expect(flood.pipeline.heldTransitions == 0)
  }

  @Test func aMemberIsAnnouncedOnceItWasHeardForSomeTime() throws {
    var scene = try Scene()
    try scene.hear(rssi: -58, for: 3)
    try scene.hear(Scene.ruuvi, from: 0xC100_0000_0005, rssi: -60, for: 1)
    var news = scene.pipeline.takeNews().map(\.name)
    #expect(news == ["fridge"])
    try scene.hear(rssi: -58, for: 12)
    news = scene.pipeline.takeNews().map(\.name)
    #expect(news == ["fleet:1.2"])
  }
}
