import MQTT
import Beacons
import Messages
import Testing

@testable import Gateway

/// What macros can call.
private final class Desk {
  private var refusals = Refusals(base: "beaconkeeper/home")

  var isEmpty: Bool { refusals.isEmpty }
  var count: Int { refusals.count }
  var lost: UInt64 { refusals.lost }
  func takeDropped() -> [Int64] { refusals.takeDropped() }
  func refusedTopics(atMost limit: Int) -> [String] { refusals.refusedTopics(atMost: limit) }
  func park(_ message: Message, row: Int64?) -> Bool { refusals.park(message, row: row) }
  func refused(_ message: Message, row: Int64?, id: UInt64, at time: MonotonicTime) -> Bool {
    refusals.refused(message, row: row, id: id, at: time)
  }
  func acknowledged(_ id: UInt64, at time: MonotonicTime) -> (topic: String, row: Int64?)? {
    refusals.acknowledged(id, at: time)
  }
  func disconnected(at time: MonotonicTime) { refusals.disconnected(at: time) }
  func connected(at time: MonotonicTime) { refusals.connected(at: time) }
  func retry(at time: MonotonicTime) { refusals.retry(at: time) }
  func next(at time: MonotonicTime) -> (parked: Refusals.Parked, id: UInt64)? { refusals.next(at: time) }
  func sent(_ id: UInt64) { refusals.sent(id) }
}

@Suite("Messages that the broker refuses") struct RefusalsTests {
  private let refusals = Desk()
  private static let start = MonotonicTime(nanoseconds: 0)

  private func at(_ seconds: Double) -> MonotonicTime { Self.start + .seconds(seconds) }

  private func message(_ topic: String, _ text: String = "", retained: Bool = false) -> Message {
    Message(topic: topic, payload: Array(text.utf8), qos: .atLeastOnce, retained: retained)
  }

  private func enter(_ zone: String, _ text: String = "") -> Message {
    message("beaconkeeper/home/zone/\(zone)/enter", text)
  }

  private func text(_ offer: (parked: Refusals.Parked, id: UInt64)?) -> String? {
    offer.map { String(decoding: $0.parked.message.payload, as: UTF8.self) }
  }

  @Test func messagesToARefusedTopicWaitAndTheOthersGoOn() {
    #expect(!refusals.park(enter("Garage", "1"), row: 1))
    #expect(refusals.refused(enter("Garage", "1"), row: 1, id: 1, at: at(0)))
    #expect(!refusals.refused(enter("Garage", "2"), row: 2, id: 2, at: at(0)), "the topic is told once")
    #expect(refusals.park(enter("Garage", "3"), row: 3))
    #expect(!refusals.park(enter("Kitchen"), row: 4))
    #expect(refusals.count == 3)
    #expect(refusals.refusedTopics(atMost: 9) == ["beaconkeeper/home/zone/Garage/enter"])
    #expect(refusals.next(at: at(59)) == nil)
  }

  @Test func oneIsOfferedAgainAndTheOthersFollowInOrder() throws {
    _ = refusals.refused(enter("Garage", "1"), row: 1, id: 1, at: at(0))
    _ = refusals.refused(enter("Garage", "2"), row: 2, id: 2, at: at(0))
    _ = refusals.park(enter("Garage", "3"), row: 3)
    let offer = try #require(refusals.next(at: at(60)))
    #expect(text(offer) == "1" && offer.id >= Refusals.firstID)
    refusals.sent(offer.id)
    #expect(refusals.next(at: at(60)) == nil, "one at a time")
    #expect(refusals.acknowledged(17, at: at(60)) == nil)
    #expect(refusals.acknowledged(offer.id, at: at(61))?.row == 1)
    for (row, word) in [(2, "2"), (3, "3")] {
      let next = try #require(refusals.next(at: at(61)))
      #expect(text(next) == word && next.id == row)
      refusals.sent(next.id)
    }
    #expect(refusals.isEmpty && refusals.count == 0)
    #expect(!refusals.park(enter("Garage", "4"), row: 4))
  }

  @Test func repeatedRefusalsAreRetriedAtGrowingIntervals() throws {
    _ = refusals.refused(enter("Garage", "1"), row: nil, id: 0, at: at(0))
    var times: [Double] = []
    for second in 0..<4000 {
      guard let offer = refusals.next(at: at(Double(second))) else { continue }
      times.append(Double(second))
      refusals.sent(offer.id)
      #expect(!refusals.refused(enter("Garage", "1"), row: nil, id: offer.id, at: at(Double(second))))
    }
    #expect(times == [60, 120, 240, 480, 960, 1560, 2160, 2760, 3360, 3960])
    #expect(refusals.count == 1)
    refusals.retry(at: at(4000))
    #expect(refusals.next(at: at(4000)) != nil, "at a reload at once")
  }

  @Test func onlyTheNewestRetainedMessageOfATopicWaits() throws {
    let topic = "beaconkeeper/home/beacon/key/state"
    _ = refusals.refused(message(topic, "1", retained: true), row: nil, id: 0, at: at(0))
    for number in 2..<5 { #expect(refusals.park(message(topic, "\(number)", retained: true), row: nil)) }
    #expect(refusals.count == 1)
    let offer = try #require(refusals.next(at: at(60)))
    #expect(text(offer) == "4")
    refusals.sent(offer.id)
    // It changes while the broker makes up its mind.
    #expect(refusals.park(message(topic, "5", retained: true), row: nil))
    _ = refusals.acknowledged(offer.id, at: at(60))
    #expect(text(refusals.next(at: at(60))) == "5")
  }

  /// mosquitto before 2.0.22 with `max_queued_messages 0`.
  @Test func whereARefusalCostsTheConnectionDiscoveryIsNotTriedTopicByTopic() throws {
    func config(_ name: String) -> Message {
      message("homeassistant/device/beaconkeeper_home/beacon_\(name)/config", name, retained: true)
    }
    _ = refusals.refused(config("a"), row: nil, id: 0, at: at(0))
    #expect(!refusals.park(config("b"), row: nil))
    refusals.disconnected(at: at(0.1))
    #expect(refusals.park(config("b"), row: nil) && refusals.park(config("c"), row: nil))
    #expect(!refusals.park(enter("Kitchen"), row: 1))
    // One that was not refused itself tells soon whether that was right.
    let check = try #require(refusals.next(at: at(6)))
    #expect(text(check) == "b")
    refusals.sent(check.id)
    _ = refusals.refused(config("b"), row: nil, id: check.id, at: at(6))
    refusals.disconnected(at: at(6.1))
    refusals.connected(at: at(6.5))
    var offers = 0
    for second in 7..<3600 {
      guard let offer = refusals.next(at: at(Double(second))) else { continue }
      offers += 1
      refusals.sent(offer.id)
      _ = refusals.refused(offer.parked.message, row: nil, id: offer.id, at: at(Double(second)))
      refusals.disconnected(at: at(Double(second) + 0.1))
    }
    #expect(offers < 4)
    // The list was mended.
    refusals.retry(at: at(3600))
    let last = try #require(refusals.next(at: at(3600)))
    refusals.sent(last.id)
    _ = refusals.acknowledged(last.id, at: at(3600))
    var taken = 1
    while let offer = refusals.next(at: at(3601)) {
      refusals.sent(offer.id)
      _ = refusals.acknowledged(offer.id, at: at(3601))
      taken += 1
    }
    #expect(taken >= 3 && refusals.isEmpty)
  }

  @Test func aListThatForbidsSomeOfAKindIsFoundOut() throws {
    for zone in ["a", "b", "c"] { _ = refusals.refused(enter(zone), row: nil, id: 0, at: at(0)) }
    refusals.disconnected(at: at(0.1))
    #expect(refusals.park(enter("d", "d"), row: 4) && refusals.park(enter("e", "e"), row: 5))
    let check = try #require(refusals.next(at: at(6)))
    #expect(text(check) == "d")
    refusals.sent(check.id)
    #expect(refusals.acknowledged(check.id, at: at(6))?.row == 4)
    #expect(text(refusals.next(at: at(6))) == "e")
    #expect(!refusals.park(enter("f"), row: 6))
    #expect(refusals.park(enter("a"), row: 7))
  }

  @Test func parkedMessagesAreBoundedAndDropsAreCounted() {
    let large = String(repeating: "x", count: 1 << 20)
    for number in 0..<40 {
      _ = refusals.refused(
        enter("Garage", large), row: number < 20 ? Int64(number + 1) : nil, id: 0, at: at(0))
    }
    #expect(refusals.count <= 16)
    let dropped = refusals.takeDropped()
    #expect(!dropped.isEmpty && Set(dropped).isSubset(of: 1...20) && refusals.takeDropped().isEmpty)
    #expect(refusals.lost > 0 && refusals.lost <= 20)
    for number in 0..<5000 { _ = refusals.refused(enter("z\(number)"), row: nil, id: 0, at: at(0)) }
    #expect(refusals.refusedTopics(atMost: .max).count <= Refusals.topicLimit)
  }

  @Test func `what was refused comes before what came meanwhile, in the order of decision`() throws {
    // Three were under way when the first refusal came; the fourth came after it.
    _ = refusals.refused(enter("Garage", "1"), row: 1, id: 1, at: at(0))
    #expect(refusals.park(enter("Garage", "4"), row: 4))
    _ = refusals.refused(enter("Garage", "2"), row: 2, id: 2, at: at(0))
    _ = refusals.refused(enter("Garage", "3"), row: 3, id: 3, at: at(0))
    var told: [String] = []
    while let offer = refusals.next(at: at(60)) {
      told.append(text(offer) ?? "")
      refusals.sent(offer.id)
      _ = refusals.acknowledged(offer.id, at: at(60))
    }
    #expect(told == ["1", "2", "3", "4"])
  }

  @Test func `of a retained topic the refusal of an older message does not bring that one back`() {
    let topic = "beaconkeeper/home/beacon/key/state"
    _ = refusals.refused(message(topic, "1", retained: true), row: nil, id: 0, at: at(0))
    #expect(refusals.park(message(topic, "3", retained: true), row: nil))
    _ = refusals.refused(message(topic, "2", retained: true), row: nil, id: 0, at: at(0))
    #expect(refusals.count == 1)
    #expect(text(refusals.next(at: at(60))) == "3")
  }

  @Test func `each refused topic is tried in a round before the pause doubles`() throws {
    for zone in ["a", "b", "c"] { _ = refusals.refused(enter(zone, zone), row: nil, id: 0, at: at(0)) }
    func round(at seconds: Double) -> [String] {
      var tried: [String] = []
      while let offer = refusals.next(at: at(seconds)), tried.count < 9 {
        tried.append(text(offer) ?? "")
        refusals.sent(offer.id)
        _ = refusals.refused(offer.parked.message, row: nil, id: offer.id, at: at(seconds))
      }
      return tried.sorted()
    }
    #expect(round(at: 60) == ["a", "b", "c"])
    #expect(round(at: 119) == [])
    #expect(round(at: 120) == ["a", "b", "c"])
    #expect(round(at: 239) == [])
  }

  @Test func `a new connection has all tried at once, but not the one that a refusal has just cost`() throws {
    _ = refusals.refused(enter("Garage", "1"), row: nil, id: 0, at: at(0))
    refusals.connected(at: at(29))
    #expect(refusals.next(at: at(29)) == nil)
    refusals.connected(at: at(30))
    #expect(refusals.next(at: at(30)) != nil)
  }

  @Test func `two refused topics of a kind do not close it, three do`() {
    for zone in ["a", "b"] { _ = refusals.refused(enter(zone), row: nil, id: 0, at: at(0)) }
    refusals.disconnected(at: at(0.5))
    #expect(!refusals.park(enter("c"), row: 3))
    _ = refusals.refused(enter("c"), row: 3, id: 3, at: at(1))
    refusals.disconnected(at: at(2.5))
    #expect(!refusals.park(enter("d"), row: 4), "that connection ended for another reason")
    _ = refusals.refused(enter("d"), row: 4, id: 4, at: at(3))
    refusals.disconnected(at: at(3.5))
    #expect(refusals.park(enter("e"), row: 5))
  }
}
