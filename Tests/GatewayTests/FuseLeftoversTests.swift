import Beacons
import Contract
import Core
import Scenes
import Testing

@testable import Gateway

@Suite("What partitions that began anew find at the broker") struct FuseLeftoversTests {
  private let leftovers: FuseLeftovers
  private let start = MonotonicTime(nanoseconds: 0)

  init() throws {
    leftovers = FuseLeftovers(
      try Scene.configuration(
        """
        gateway: { name: site }
        beacons:
          - { name: tag, ibeacon: { uuid: F29DC74A-DBBD-12DE-318A-C8B046DD4425 } }
          - { name: "gate: north", ibeacon: { uuid: F29DC74A-DBBD-12DE-318A-C8B046DD4426 } }
          - { name: Anna's key, address: "C1:00:00:00:00:05" }
          - { name: page, eddystone: { url: "https://example.com/" } }
        rooms: [{ name: hall, receivers: [esp] }]
        """), partitions: 16)
  }

  private func take(_ topic: String, _ payload: String, isEcho: Bool = false, after seconds: Double = 5) {
    leftovers.take(
      Array(payload.utf8), topic: "beaconkeeper/site/beacon/" + topic, isRetained: !isEcho,
      at: start + .seconds(seconds))
  }

  @Test(arguments: [
    ("tag:1.2", "ibeacon f29dc74adbbd12de318ac8b046dd4425 1 2"),
    ("gate: north:3.4", "ibeacon f29dc74adbbd12de318ac8b046dd4426 3 4"),
    ("Anna's key", "entry address c10000000005 Anna's key"),
  ]) func `a beacon belongs to the partition of its key`(name: String, key: String) {
    #expect(leftovers.partition(of: name) == ObservationsMessage.partition(of: key, among: 16))
  }

  @Test(arguments: ["page", "tag", "tag:x", "other:1.2", ""])
  func `some names tell no partition`(name: String) { #expect(leftovers.partition(of: name) == nil) }

  @Test func `only claims about beacons of these partitions are put right, once all is seen`() throws {
    let (first, other) = ("tag:1.2", "tag:1.3")
    let (mine, foreign) = (leftovers.partition(of: first), leftovers.partition(of: other))
    let partition = try #require(mine)
    try #require(mine != foreign)
    leftovers.begin(for: [partition], at: start)
    take("tag%3A1.2/room", #"{"beacon":"tag:1.2","room":"hall"}"#)
    take("tag%3A1.3/room", #"{"beacon":"tag:1.3","room":"hall"}"#)
    take("tag%3A1.2/zone", "desk", isEcho: true)
    take("stranger%3A1.2/room", #"{"beacon":"stranger:1.2","room":"hall"}"#)
    take("tag%3A1.2/zone", "")
    #expect(leftovers.end(at: start + .seconds(7), silence: .seconds(3)) == nil)
    let findings = try #require(leftovers.end(at: start + .seconds(8), silence: .seconds(3)))
    #expect(Array(findings.corrections.keys) == [partition])
    let correction = try #require(findings.corrections[partition]?.first)
    #expect(correction.beacon == first)
    #expect(correction.message.topic == "beaconkeeper/site/beacon/tag%3A1.2/room")
    #expect(findings.removals.map(\.topic) == ["beaconkeeper/site/beacon/stranger%3A1.2/room"])
    #expect(!leftovers.isLooking)
  }

  @Test func `nothing is kept while nobody looks`() throws {
    take("tag%3A1.2/room", #"{"beacon":"tag:1.2","room":"hall"}"#, after: 0)
    leftovers.begin(for: [0, 1], at: start)
    #expect(leftovers.end(at: start, silence: .zero)?.corrections.isEmpty == true)
  }
}
