import Beacons
import Contract
import Core
import Foundation
import InMemoryLogging
import Logging
import Outbox
import Pipeline
import Proximity
import Scenes
import Synchronization
import Testing

@testable import Gateway
@testable import Mosquitto

/// What is decided while nothing is heard, and how it waits for a broker.
@Suite struct DecisionLoopTests {
  private let told = Told()

  /// What was handed over, with the time.
  private final class Told: Sendable {
    let transitions = Mutex<[(event: String, time: MonotonicTime)]>([])
    let log = InMemoryLogHandler()
  }

  private func loop(_ yaml: String = rules, _ opened: sending OpenOutbox = OpenOutbox()) throws
    -> DecisionLoop
  {
    let told = told
    var listener = GatewayRun.Listener()
    listener.onTransition = { message in
      let event = "\(message.word) \(message.place)"
      told.transitions.withLock { $0.append((event, LiveClock.now)) }
    }
    let logger = Logger(label: "test") { _ in told.log }
    let pipeline = Pipeline(try Scene.configuration(yaml))
    let delivery = try Delivery(
      try Client(Options(host: "127.0.0.1", port: 1)), pipeline.topics, user: "gw", opened,
      listener: listener,
      logger: logger)
    return DecisionLoop(pipeline, delivery: delivery, logger: logger)
  }

  private static let rules = """
    gateway: { name: forecourt }
    beacons: [{ name: key, address: "C1:00:00:00:00:01" }]
    zones: [{ name: shop, enter: { signal: -90 dBm, dwell: 300 ms }, exit: { signal: -95 dBm, lost: 4 s } }]
    """

  /// Returns when it was heard.
  @discardableResult
  private func hear(
    _ loop: DecisionLoop, times count: Int, every pause: Duration
  ) async throws -> [MonotonicTime] {
    var times: [MonotonicTime] = []
    var table = ReceiverTable()
    let heardBy = table.index(of: "hci0")
    let receiver = try #require(heardBy)
    for _ in 0..<count {
      var batch = AdvertisementBatch()
      let last = LiveClock.now
      times.append(last)
      batch.append(
        Advertisement(
          receiver: receiver, address: DeviceAddress(bits: 0xC100_0000_0001, kind: .random), rssi: -50,
          time: last, wallTime: LiveClock.wallNow), payload: [2, 1, 6].span)
      loop.observe(batch, table)
      try await Task.sleep(for: pause)
    }
    return times
  }

  private func wait(_ condition: () -> Bool) async throws -> Bool {
    for _ in 0..<3000 where !condition() { try await Task.sleep(for: .milliseconds(20)) }
    return condition()
  }

  private var events: [String] { told.transitions.withLock { $0.map(\.event) } }

  @Test func aSilentBeaconExitsWithoutAnotherAdvertisement() async throws {
    let loop = try loop()
    let service = Task { try await loop.run() }
    defer { service.cancel() }
    let heard = try await hear(loop, times: 6, every: .milliseconds(100))
    #expect(try await wait { events.last == "exit shop" }, "\(events)")
    let left = try #require(told.transitions.withLock { $0.last?.time })
    // On a machine that stalls it may leave before it is heard again.
    #expect(heard.allSatisfy { $0 > left || (left - $0).seconds >= 4 })
  }

  /// The dwell is over, and nothing came after the last advertisement.
  @Test func aDwellEndsBetweenAdvertisements() async throws {
    let loop = try loop()
    let service = Task { try await loop.run() }
    defer { service.cancel() }
    var isTold = false
    // On a machine that stalls, the second may come too late to be of the same dwell.
    for _ in 0..<5 where !isTold {
      try await hear(loop, times: 2, every: .milliseconds(20))
      isTold = try await wait { events.first == "enter shop" }
    }
    #expect(isTold)
  }

  /// Whatever is called first after the process did not run: a deadline that passed meanwhile is none.
  @Test func timeInWhichTheProcessDidNotRunIsNoAbsence() async throws {
    let loop = try loop()
    let stop = LiveClock.now - .seconds(30)
    var table = ReceiverTable()
    let index = table.index(of: "hci0")
    let receiver = try #require(index)
    func batch(at time: MonotonicTime) -> AdvertisementBatch {
      var batch = AdvertisementBatch()
      batch.append(
        Advertisement(
          receiver: receiver, address: DeviceAddress(bits: 0xC100_0000_0001, kind: .random), rssi: -50,
          time: time, wallTime: LiveClock.wallNow), payload: [2, 1, 6].span)
      return batch
    }
    _ = loop.advance(to: stop - .seconds(6))
    for step in 0..<50 { loop.observe(batch(at: stop - .milliseconds(Int64(5000 - step * 100))), table) }
    #expect(events == ["enter shop"])
    loop.state.withLock { $0.pauses?.mark(at: stop) }
    // It says something before anybody looks.
    loop.publishHealth()
    _ = loop.advance(to: DecisionLoop.settledTime)
    loop.observe(batch(at: LiveClock.now), table)
    #expect(events == ["enter shop"])
    #expect(told.log.entries.contains { "\($0.message)".contains("this process did not run for 30 s") })
  }

  /// As on a Raspberry Pi that learns the time while somebody is there.
  @Test func aClockThatIsSetForTheFirstTimeCorrectsSinceWhenSomebodyIsThere() async throws {
    let rules = Self.rules.replacing("dwell: 300 ms", with: "dwell: 0 s").replacing(
      "lost: 4 s", with: "lost: 1 h")
    let loop = try loop(rules)
    let start = LiveClock.now
    try await hear(loop, times: 2, every: .milliseconds(20))
    func since() -> WallTime? {
      loop.look { $0.engine.occupancy(of: ZoneIndex(rawValue: 0)).members.first?.since }
    }
    let before = try #require(since())
    let offset = LiveClock.wallNow - WallTime(nanoseconds: LiveClock.now.nanoseconds)
    let step = ClockStep(.seconds(3600), from: offset, wrong: start...LiveClock.now)
    loop.state.withLock { loop.note(step, &$0) }
    #expect(since() == before + .seconds(3600))
    #expect(told.log.entries.contains { "\($0.message)".contains("was set forward by 3600 s") })
    loop.state.withLock {
      loop.note(ClockStep(.seconds(-60), from: offset + .seconds(3600), wrong: nil), &$0)
    }
    #expect(since() == before + .seconds(3600))
  }

  /// Who is there could be taken to have left. With nobody there a gateway need not wake for that.
  @Test func itLooksForPausesOftenWhileSomebodyIsThere() async throws {
    // Nobody leaves, however slow the machine is.
    let rules = Self.rules.replacing("dwell: 300 ms", with: "dwell: 0 s").replacing(
      "lost: 4 s", with: "lost: 1 h")
    let loop = try loop(rules)
    let time = DecisionLoop.settledTime
    #expect(loop.advance(to: time) == time + PauseWatch.idlePace)
    try await hear(loop, times: 1, every: .zero)
    #expect(loop.state.withLock { $0.nextLook } <= LiveClock.now + PauseWatch.pace)
    let later = DecisionLoop.settledTime
    let look = loop.advance(to: later)
    #expect(look <= LiveClock.now + PauseWatch.pace)
  }

  @Test func `the first phones of a gateway have records as soon as they are configured`() throws {
    let loop = try loop()
    let near = Self.rules.replacing("enter:", with: "near: { signal: -80 dBm, rearm: -85 dBm }, enter:")
    loop.configure(
      try Scene.configuration(
        near + "\nphones: [{ name: anna, beacon: key, os: ios17, strategy: background-task }]"))
    #expect(loop.truth(at: ["beaconkeeper/forecourt/phone/anna/record"]).count == 1)
  }

  @Test func unsentMessagesWaitInOrderAndAreCounted() async throws {
    let loop = try loop()
    let service = Task { try await loop.run() }
    defer { service.cancel() }
    try await hear(loop, times: 6, every: .milliseconds(100))
    #expect(try await wait { events.last == "exit shop" })
    #expect(loop.delivery.figures.queued >= 2)
    #expect(loop.delivery.figures.lost == 0)
  }

  @Test func theNextStartFindsEarlierDecisions() async throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("loop-\(UUID())").path
    defer { try? FileManager.default.removeItem(atPath: folder) }
    func open() throws -> OpenOutbox {
      try OpenOutbox(
        gateway: "forecourt", directory: StateDirectory(configured: folder), wallTime: LiveClock.wallNow)
    }
    let loop = try loop(Self.rules, open())
    try await hear(loop, times: 6, every: .milliseconds(100))
    #expect(try await wait { events.first == "enter shop" })
    #expect(loop.close() == 0)
    let remains = try #require(try open().remains)
    #expect(remains.waiting >= 1 && remains.isSameBoot)
    #expect(remains.beacons.count == 1)
  }

  @Test func theLastChangeOfAReceiverElsewhereIsToldSoonIfNotAtOnce() async throws {
    let loop = try loop()
    var table = ReceiverTable()
    let index = table.index(of: "shed")
    let receiver = try #require(index)
    for health in [ReceiverHealth.ok, .gone, .ok, .gone] {
      var hearing = Hearing()
      hearing.changes.append(
        ReceiverHealthChange(
          receiver: receiver, health: health, time: LiveClock.now, wallTime: LiveClock.wallNow))
      loop.hear(hearing, table)
    }
    let (due, look) = loop.state.withLock { ($0.health.pace.due, $0.nextLook) }
    #expect(due == look, "the deadlines are rung for it")
    let service = Task { try await loop.run() }
    defer { service.cancel() }
    #expect(try await wait { loop.state.withLock { $0.health.pace.due } == nil })
  }

  @Test func aRefusedMessageIsParkedAndTheOthersGoOn() async throws {
    let loop = try loop()
    let service = Task { try await loop.run() }
    defer { service.cancel() }
    try await hear(loop, times: 6, every: .milliseconds(100))
    #expect(try await wait { events.first == "enter shop" })
    let topic = "beaconkeeper/forecourt/zone/shop/enter"
    loop.delivery.refused(
      PublishedMessage(
        id: 1, topic: topic, payload: [1], qos: .atLeastOnce, retain: false, expiry: nil,
        isAcknowledged: false),
      reason: "not authorized")
    #expect(loop.delivery.figures.parked >= 1)
    #expect(loop.delivery.figures.refusedTopics == [topic])
    let notices = told.log.entries.filter {
      "\($0.message)".contains("refuses messages to \(topic) from the user gw")
    }
    #expect(notices.count == 1)
    #expect(try await wait { events.last == "exit shop" })
  }
}

extension Delivery {
  /// What it has for `health`.
  var figures: (queued: Int, lost: UInt64, parked: Int, refusedTopics: [String]) {
    var health = HealthMessage(
      time: WallTime(nanoseconds: 0), version: "1", receivers: [], advertisements: 0, sightings: 0,
      transitions: 0, beacons: 0)
    report(into: &health)
    return (health.queued, health.lostTransitions, health.parkedMessages, health.refusedTopics)
  }
}
