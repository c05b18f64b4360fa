import Beacons
@testable import Configuration
import Contract
import Core
import Proximity
import Scenes
import TestSupport
import Testing

@testable import Pipeline

/// What another gateway tells of beacons, and what this one tells others.
@Suite struct ObservationTests {
  private static let van = "ibeacon f29dc74adbbd12de318ac8b046dd4425 1 2"

  private func receivers(_ scene: inout Scene, _ names: [String]) -> (ReceiverMap, [ReceiverIndex]) {
    var table = ReceiverTable()
    let indices = names.compactMap { table.index(of: $0) }
    var map = ReceiverMap()
    map.learn(table) { scene.pipeline.receiver($0) }
    return (map, indices)
  }

  private func tell(
    _ scene: inout Scene, _ keys: [String], rssi: Int8 = -50, at seconds: [Double], power: Int8? = -59
  ) {
    let (map, indices) = receivers(&scene, ["hall/hci0"])
    let observations = seconds.flatMap { second in
      keys.map {
        Observation(
          key: $0, receiver: indices[0], rssi: rssi, measuredPower: power, time: .zero + .seconds(second),
          wallTime: WallTime(nanoseconds: 1_795_211_400_000_000_000) + .seconds(second))
      }
    }
    scene.pipeline.observe(remote: AdvertisementBatch(), observations, from: map, into: &scene.output)
  }

  @Test func aBeaconToldByItsKeyEnters() throws {
    var scene = try Scene()
    tell(&scene, [Self.van], at: [0, 0.5, 1, 1.5, 2])
    let events = scene.output.transitions.map { "\($0.word) \($0.place) \($0.beacon)" }
    #expect(events.contains("enter pump-3 fleet:1.2") && events.contains("enter shop fleet:1.2"))
    #expect(
      scene.output.transitions.allSatisfy {
        $0.transition?.evidence.receiver == scene.pipeline.receivers.indices.last
      })
    #expect(scene.pipeline.counts.sightings == 5)
  }

  /// Under whatever name the other gateway knows it.
  @Test func anAddressIsTheSameBeaconUnderAnotherName() throws {
    var scene = try Scene()
    tell(&scene, ["entry address c10000000005 refrigerator"], at: [0])
    #expect(scene.pipeline.counts.sightings == 1)
    #expect(scene.pipeline.roster.name(of: BeaconIndex(rawValue: 0)) == "fridge")
  }

  @Test(arguments: [
    "", " ", "ibeacon", "ibeacon zz 1 2", "ibeacon 00 1 2", "entry", "entry address", "entry address x y",
    "entry key nobody",
    "entry address c10000000006 fridge", "eddystone-uid 1 1",
    "ibeacon f29dc74adbbd12de318ac8b046dd4425 70000 2",
  ])
  func anObservationOfAnUnknownKeyOnlyAdvancesTheTime(key: String) throws {
    var scene = try Scene()
    tell(&scene, [key], at: [0, 1])
    #expect(scene.pipeline.counts.sightings == 0)
    #expect(scene.pipeline.counts.advertisements == 2)
  }

  @Test(arguments: [
    "eddystone-url 0 ff 1", "eddystone-url 0 0 0", "eddystone-url 0 0 200", "eddystone-url 65535 0 18",
  ])
  func aURLThatNobodyCanSendIsUnknown(key: String) throws {
    var configuration = try Scene.configuration(Scene.rules)
    configuration.beacons.append(BeaconSettings(name: "page", pattern: .eddystoneURL("https://a.com/")))
    var scene = try Scene(configuration)
    tell(&scene, [key], at: [0])
    #expect(scene.pipeline.counts.sightings == 0)
  }

  @Test func inventedMembersMeetTheSameLimitsAsThoseOnTheAir() throws {
    let configuration = try Scene.configuration(Scene.rules)
    var scene = try Scene(configuration)
    scene.replace(
      Pipeline(configuration, limits: AdmissionLimits(members: 100, burst: 10, perSecond: 1)),
      receiver: scene.receiver)
    tell(&scene, (0..<500).map { "ibeacon f29dc74adbbd12de318ac8b046dd4425 9 \($0)" }, at: [0])
    #expect(scene.pipeline.beaconCount <= 11)
    #expect(scene.pipeline.refusedMembers >= 489)
  }

  @Test func aMemberThatMadeRoomIsFoundAgainUnderItsKey() throws {
    let configuration = try Scene.configuration(Scene.rules)
    var scene = try Scene(configuration)
    scene.replace(
      Pipeline(configuration, limits: AdmissionLimits(members: 2, burst: 100, perSecond: 100)),
      receiver: scene.receiver)
    for round in 0..<4 {
      for member in 0..<4 {
        tell(
          &scene, ["ibeacon f29dc74adbbd12de318ac8b046dd4425 9 \(member)"], rssi: -120,
          at: [Double(round * 400 + member * 100)])
      }
    }
    #expect(scene.pipeline.counts.retired > 0)
    #expect(scene.pipeline.beaconCount <= 2)
  }

  private func publisher(_ observations: ObservationSettings = ObservationSettings()) throws -> Scene {
    var configuration = try Scene.configuration(Scene.rules)
    configuration.publish.observations = observations
    var scene = try Scene(configuration)
    scene.pipeline.publishObservations(boot: "9f3c2a7be01d4455")
    return scene
  }

  @Test func nothingIsCollectedUnlessAskedFor() throws {
    var scene = try Scene()
    scene.pipeline.publishObservations(boot: "b")
    try scene.hear(rssi: -60, for: 1)
    #expect(scene.pipeline.tap == nil)
    #expect(scene.pipeline.takeObservations(at: scene.time).isEmpty)
  }

  @Test func observationsArePublishedInBatchesOfOnePartition() throws {
    var scene = try publisher(ObservationSettings(partitions: 4))
    try scene.hear(rssi: -60, for: 1)
    try scene.hear(Scene.iBeacon(minor: 3), from: 0xC1, rssi: -70, for: 1)
    // A stranger.
    try scene.hear([2, 1, 6], from: 0xC9, rssi: -70, for: 1)
    let messages = scene.pipeline.takeObservations(at: scene.time).map {
      $0.message(topics: scene.pipeline.topics)
    }
    for message in messages {
      #expect(MessageSchemas.faults(topic: message.topic, payload: message.payload) == [])
      #expect(!message.retained && message.qos == .atMostOnce)
    }
    let all = messages.map { String(decoding: $0.payload, as: UTF8.self) }.joined()
    #expect(all.contains("\"beacon\":\"\(Self.van)\"") && !all.contains("c9"))
    for message in messages {
      let partition = try #require(message.topic.split(separator: "/").last.flatMap { Int($0) })
      for key in [Self.van, "ibeacon f29dc74adbbd12de318ac8b046dd4425 1 3"]
      where String(decoding: message.payload, as: UTF8.self).contains("\"\(key)\"") {
        #expect(ObservationsMessage.partition(of: key, among: 4) == partition)
      }
    }
    #expect(scene.pipeline.takeObservations(at: scene.time).isEmpty)
  }

  /// So others know at once that this gateway lives and hears nothing more.
  @Test func `an empty batch ends what was heard, once`() throws {
    var scene = try publisher()
    #expect(scene.pipeline.takeObservations(at: scene.time + .seconds(60)).isEmpty)
    try scene.hear(rssi: -60, for: 1)
    #expect(scene.pipeline.takeObservations(at: scene.time).count == 1)
    #expect(scene.pipeline.takeObservations(at: scene.time + .seconds(1)).isEmpty)
    let ending = scene.pipeline.takeObservations(at: scene.time + .seconds(2))
    #expect(ending.count == 1 && ending[0].count == 0 && ending[0].receivers == ["hci0"] && ending[0].ends)
    for message in ending.map({ $0.message(topics: scene.pipeline.topics) }) {
      #expect(MessageSchemas.faults(topic: message.topic, payload: message.payload) == [])
    }
    #expect(scene.pipeline.takeObservations(at: scene.time + .seconds(60)).isEmpty)
  }

  @Test func unpublishedObservationsAreCounted() throws {
    var scene = try publisher()
    try scene.hear(rssi: -60, for: 2100)
    #expect(scene.pipeline.lostObservations == scene.pipeline.counts.sightings - 20_000)
  }

  /// Otherwise two gateways would send each other's echoes for ever.
  @Test func observationsOfOthersAreNotPassedOn() throws {
    var scene = try publisher()
    tell(&scene, [Self.van], at: [0, 1])
    #expect(scene.pipeline.takeObservations(at: .zero).isEmpty)
    try scene.hear(rssi: -60, for: 0.1)
    #expect(scene.pipeline.takeObservations(at: scene.time).count == 1)
  }

  @Test(arguments: [(1, 1), (20, 1), (20, 4), (60, 2)])
  func aBatchIsAboutAKilobyte(beacons: Int, times: Int) throws {
    var scene = try publisher()
    for minor in 0..<beacons {
      try scene.hear(
        Scene.iBeacon(minor: UInt8(minor)), from: UInt64(0xC1_0000 + minor), rssi: -60,
        for: Double(times) / 10)
    }
    let messages = scene.pipeline.takeObservations(at: scene.time).map {
      $0.message(topics: scene.pipeline.topics)
    }
    let octets = messages.reduce(0) { $0 + $1.payload.count }
    #expect(messages.allSatisfy { $0.payload.count <= 1150 })
    print(
      "\(beacons) beacons heard \(times) times: \(octets / (beacons * times)) bytes each, \(messages.count) batches"
    )
  }

  /// A broker that confirms each batch spends as much on a short one as on a long one.
  @Test func whereABatchIsConfirmedItHoldsMore() throws {
    var scene = try publisher(ObservationSettings(buffer: 1_000_000))
    for minor in 0..<200 {
      try scene.hear(
        Scene.iBeacon(minor: UInt8(minor)), from: UInt64(0xC1_0000 + minor), rssi: -60, for: 0.1)
    }
    let sizes = scene.pipeline.takeObservations(at: scene.time).map {
      $0.message(topics: scene.pipeline.topics).payload.count
    }
    #expect(sizes.count > 1)
    for size in sizes.dropLast() { #expect((7000...9000).contains(size)) }
  }

  @Test func aReloadGoesOnCounting() throws {
    var scene = try publisher()
    try scene.hear(rssi: -60, for: 0.1)
    _ = scene.pipeline.takeObservations(at: scene.time)
    let earlier = scene.pipeline
    var next = earlier.reconfigured(earlier.configuration, into: &scene.output)
    next.publishObservations(boot: "another", after: earlier)
    scene.replace(next, receiver: scene.receiver)
    try scene.hear(rssi: -60, for: 0.1)
    let observations = try #require(scene.pipeline.takeObservations(at: scene.time).first)
    let message = observations.message(topics: scene.pipeline.topics)
    #expect(
      String(decoding: message.payload, as: UTF8.self).contains("\"boot\":\"9f3c2a7be01d4455\",\"seq\":2"))
  }
}
