import Beacons
import Core
import Radio
import Scenes
import Testing

@testable import Contract
@testable import Gateway
@testable import Pipeline

@Suite struct ReceiverHealthsTests {
  private var healths = ReceiverHealths()
  private let pipeline: Pipeline

  init() throws {
    var pipeline = Pipeline(
      try Scene.configuration(
        """
        gateway: { name: g }
        receivers: [{ name: door }]
        beacons: [{ name: key, address: "C1:00:00:00:00:05" }]
        zones:
          - { name: a, receivers: [hci9, door] }
          - { name: b }
        """))
    _ = pipeline.receiver("hci0")
    self.pipeline = pipeline
  }

  private mutating func report() -> [String] {
    healths.report(pipeline.receivers, expected: pipeline.expectedReceivers, isMissed: true, over: nil)
      .map { "\($0.name) \($0.state)\($0.isBlind ? " blind" : "")" }
  }

  private mutating func hear(_ name: String) throws {
    var receivers = pipeline.receivers
    let index = receivers.index(of: name)
    let receiver = try #require(index)
    let time = MonotonicTime.zero
    healths.set(
      ReceiverHealthChange(receiver: receiver, health: .ok, time: time, wallTime: WallTime(nanoseconds: 0)))
  }

  private func state(_ receivers: [HealthMessage.Receiver]) -> String {
    let message = HealthMessage(
      time: WallTime(nanoseconds: 0), version: "1", receivers: receivers, advertisements: 0, sightings: 0,
      transitions: 0, queued: 0, beacons: 0)
    return String(decoding: message.message(topics: pipeline.topics).payload, as: UTF8.self)
  }

  @Test func `who was never heard of is missing after ten seconds, and not before`() throws {
    var book = HealthBook(from: .zero)
    func missing(at seconds: Double) -> [String] {
      let message = book.message(
        of: pipeline, at: .zero + .seconds(seconds), WallTime(nanoseconds: 0), over: nil)
      return message.receivers.filter(\.isMissing).map(\.name)
    }
    #expect(missing(at: 9.9) == [] && !book.isTimeToMiss(at: .zero + .seconds(9.9)))
    #expect(missing(at: 10) == ["door", "hci9"] && book.isTimeToMiss(at: .zero + .seconds(10)))
  }

  @Test func `a scanner that has sent nothing within a minute is told once, with its topic`() {
    var health = HealthMessage(
      time: WallTime(nanoseconds: 0), version: "1", receivers: [], advertisements: 0, sightings: 0,
      transitions: 0, queued: 0, beacons: 0)
    health.remote = HealthMessage.Remote(
      scanners: [
        .init(kind: "espresense", topic: "espresence/devices/+/+"),
        .init(kind: "json", topic: "ble/+", messages: 1),
      ], gateways: [], lostMessages: 0)
    var book = HealthBook(from: .zero)
    #expect(!book.isTimeToTellSilent(at: .zero + .seconds(59)))
    #expect(book.isTimeToTellSilent(at: .zero + .seconds(60)))
    let notices = book.silentNotices(of: health)
    #expect(notices.count == 1)
    #expect(notices.first?.contains("(espresense) on espresence/devices/+/+") == true)
    #expect(!book.isTimeToTellSilent(at: .zero + .seconds(120)))
  }

  @Test mutating func whoeverShouldBeThereAndWasNeverHeardOfIsMissing() throws {
    #expect(report() == ["door missing blind", "hci9 missing blind"])
    try hear("hci0")
    #expect(report() == ["door missing blind", "hci9 missing blind", "hci0 ok"])
    #expect(!healths.isMissingNoMore)
    try hear("hci9")
    #expect(healths.isMissingNoMore)
    #expect(report() == ["door missing blind", "hci9 ok", "hci0 ok"])
    #expect(!healths.isMissingNoMore)
  }

  @Test mutating func beforeTheirTimeNobodyIsMissing() {
    let early = healths.report(
      pipeline.receivers, expected: pipeline.expectedReceivers, isMissed: false, over: nil)
    #expect(early.isEmpty)
  }

  /// What its own word says needs no patience: the gateway is not well without it from the start.
  @Test mutating func whoeverSaysThatHeIsGoneIsMissedAtOnce() throws {
    let door = pipeline.receivers.indices.first { pipeline.receivers.name(of: $0) == "door" }
    let time = WallTime(nanoseconds: 0)
    healths.set(
      ReceiverHealthChange(receiver: try #require(door), health: .gone, time: .zero, wallTime: time))
    try hear("hci0")
    let early = healths.report(
      pipeline.receivers, expected: pipeline.expectedReceivers, isMissed: false, over: nil)
    #expect(early.map(\.isRequired) == [true, false])
    #expect(state(early).contains(#""state":"partial""#))
  }

  @Test mutating func theGatewayIsPartlyBlindWithoutThem() throws {
    try hear("hci0")
    let all = healths.report(
      pipeline.receivers, expected: pipeline.expectedReceivers, isMissed: true, over: nil)
    #expect(state(all).contains(#""state":"partial""#))
    #expect(
      state(all).contains(#""name":"door","state":"missing","reason":"configured, but never heard from"#))
    #expect(state(all.filter { $0.name == "door" }).contains(#""state":"blind""#))
    #expect(state(all.filter { $0.name == "hci0" }).contains(#""state":"ok""#))
  }
}
