import Beacons
import Core
import Proximity
import Testing

@Suite struct BlindnessTests {
  private let zone = ZoneIndex(rawValue: 0)

  @Test func aBlindZoneHasNoExits() {
    var scene = Scene([.simple()])
    scene.hear(Signal.at3m, from: 0, to: 30)
    scene.blind(true, at: 31)
    scene.wait(until: 10_000)
    #expect(scene.story == ["enter 0.0"])
    let occupancy = scene.engine.occupancy(of: zone)
    #expect(occupancy.state == .unknown)
    #expect(occupancy.members.map(\.beacon.rawValue) == [0])
  }

  @Test func `nobody leaves because of a receiver that may have failed, and the zone stays occupied`() {
    var scene = Scene([.simple()])
    scene.hear(Signal.at3m, from: 0, to: 30)
    scene.doubt(true, at: 32)
    scene.wait(until: 90)
    #expect(scene.story == ["enter 0.0"])
    #expect(scene.engine.occupancy(of: zone).state == .occupied)
    scene.doubt(false, at: 91)
    #expect(scene.story == ["enter 0.0", "exit 91.0"])
  }

  @Test func `a fixed timeout waits for a receiver that may have failed`() {
    var scene = Scene([.simple(lost: .after(.seconds(20)))])
    scene.hear(Signal.at3m, from: 0, to: 30)
    scene.doubt(true, at: 32)
    scene.wait(until: 90)
    #expect(scene.story == ["enter 0.0"])
    scene.doubt(false, at: 90.5)
    scene.wait(until: 92)
    #expect(scene.story.count == 2 && scene.transitions[1].event == .exit)
  }

  @Test func `who is heard again by a receiver that was doubted never left`() {
    var scene = Scene([.simple()])
    scene.hear(Signal.at3m, from: 0, to: 30)
    scene.doubt(true, at: 32)
    scene.hear(Signal.at3m, from: 60, to: 70)
    scene.doubt(false, at: 70)
    scene.hear(Signal.at3m, from: 70, to: 90)
    #expect(scene.story == ["enter 0.0"])
  }

  /// The broker publishes the last will of a board without power when the board connects again.
  @Test(arguments: [LostRule.auto, .after(.seconds(20))])
  func `who only a returning receiver heard has time to be heard again, also where another watches`(
    lost: LostRule
  ) {
    var scene = Scene([.simple(lost: lost)], beacons: 2)
    scene.hear(Signal.at20m, at: 0, receiver: 1, beacon: 1)
    scene.hear(Signal.at3m, from: 0, to: 30)
    scene.doubt(true, at: 32)
    scene.wait(until: 60)
    scene.blind(true, at: 60)
    scene.blind(false, at: 60.1)
    scene.hear(Signal.at3m, from: 63, to: 70)
    #expect(scene.story == ["enter 0.0"])
    scene.wait(until: 200)
    #expect(scene.transitions.count == 2, "it leaves in the end")
  }

  @Test(arguments: [LostRule.auto, .after(.seconds(20))])
  func `a receiver further away throws nobody out while the near one may have failed`(lost: LostRule) {
    var scene = Scene([.simple(exitDwell: 5, lost: lost)])
    scene.hear(Signal.at3m, from: 0, to: 30)
    scene.hear(Signal.at20m, from: 30, to: 33, receiver: 1)
    scene.doubt(true, at: 33)
    scene.hear(Signal.at20m, from: 33.5, to: 90, receiver: 1)
    #expect(scene.story == ["enter 0.0"])
    scene.doubt(false, at: 90)
    scene.hear(Signal.at20m, from: 90.5, to: 120, receiver: 1)
    #expect(scene.transitions.map(\.event) == [.enter, .exit])
  }

  @Test func `near does not come again because a receiver further away is heard first after a blindness`() {
    var scene = Scene([.simple(near: 2, nearDwell: 2)])
    scene.hear(Signal.at1m, from: 0, to: 30)
    scene.hear(Signal.at20m, at: 30, receiver: 1)
    for receiver in [0, 1] as [UInt16] { scene.blind(true, at: 31, receiver: receiver) }
    for receiver in [0, 1] as [UInt16] { scene.blind(false, at: 50, receiver: receiver) }
    scene.hear(Signal.at20m, at: 50.2, receiver: 1)
    scene.hear(Signal.at1m, from: 50.5, to: 70)
    #expect(scene.transitions.map(\.event) == [.enter, .near])
    // It walked away: what is far for long enough re-arms.
    scene.hear(Signal.at20m, from: 70, to: 110, receiver: 1)
    scene.hear(Signal.at1m, from: 110, to: 115)
    #expect(scene.transitions.count { $0.event == .near } == 2)
  }

  /// A board that crashes has its last will at once; or all are blind for a while, and it is the last that comes back.
  @Test(arguments: [1, 2], [true, false])
  func `who only a receiver that is blind now heard has half a minute, though another watches`(
    blind: UInt16, comesBack: Bool
  ) {
    var scene = Scene([.simple(exitDwell: 5)])
    scene.hear(Signal.at3m, from: 0, to: 30)
    scene.hear(Signal.at20m, at: 30, receiver: 1)
    for receiver in 0..<blind { scene.blind(true, at: 31, receiver: receiver) }
    let begin = blind == 1 ? 31.0 : 80
    if blind > 1 { scene.blind(false, at: begin, receiver: 1) }
    scene.hear(Signal.at20m, from: begin + 0.5, to: begin + 25, receiver: 1)
    #expect(scene.story == ["enter 0.0"])
    if comesBack {
      scene.blind(false, at: begin + 25)
      scene.hear(Signal.at3m, from: begin + 26, to: begin + 70)
    } else {
      scene.hear(Signal.at20m, from: begin + 25.5, to: begin + 50, receiver: 1)
    }
    #expect(scene.transitions.map(\.event) == (comesBack ? [.enter] : [.enter, .exit]))
  }

  @Test func `a receiver that stays blind does not keep near from coming again for ever`() {
    var scene = Scene([.simple(near: 2, nearDwell: 2, exit: .distance(100))])
    scene.hear(Signal.at1m, from: 0, to: 30)
    scene.hear(Signal.at20m, at: 30, receiver: 1)
    scene.blind(true, at: 31)
    scene.hear(Signal.at20m, from: 31, to: 500, receiver: 1)
    scene.hear(Signal.at1m, from: 500, to: 520, receiver: 1)
    #expect(scene.transitions.map(\.event) == [.enter, .near])
    scene.hear(Signal.at20m, from: 520, to: 700, receiver: 1)
    scene.hear(Signal.at1m, from: 700, to: 720, receiver: 1)
    #expect(scene.transitions.map(\.event) == [.enter, .near, .near])
  }

  @Test func aFixedTimeoutFreezesToo() {
    var scene = Scene([.simple(lost: .after(.seconds(20)))])
    scene.hear(Signal.at3m, from: 0, to: 30)
    scene.blind(true, at: 31)
    scene.blind(false, at: 500)
    scene.wait(until: 519)
    #expect(scene.story == ["enter 0.0"])
    scene.wait(until: 600)
    #expect(scene.story == ["enter 0.0", "exit 520.0"])
  }

  @Test func afterSightReturnsAFullIntervalPassesBeforeAnyoneIsAway() throws {
    var scene = Scene([.simple()])
    scene.hear(Signal.at3m, from: 0, to: 30)
    scene.blind(true, at: 31)
    scene.blind(false, at: 500)
    #expect(scene.engine.occupancy(of: zone).state == .occupied)
    scene.wait(until: 1000)
    #expect(scene.story == ["enter 0.0", "exit 530.0"])
    let evidence = try #require(scene.transitions.last?.evidence)
    #expect(evidence.unit == .seconds)
    #expect(evidence.threshold == 30)
    #expect(evidence.value == 501)
  }

  @Test func aShortBlindnessStartsTheSilenceAnew() {
    var scene = Scene([.simple()])
    scene.hear(Signal.at3m, from: 0, to: 30)
    scene.blind(true, at: 31)
    scene.blind(false, at: 34)
    scene.wait(until: 63.9)
    #expect(scene.story == ["enter 0.0"])
    scene.wait(until: 64)
    #expect(scene.story == ["enter 0.0", "exit 64.0"])
  }

  @Test func aBeaconHeardAgainAfterBlindnessNeverExits() {
    var scene = Scene([.simple()])
    scene.hear(Signal.at3m, from: 0, to: 30)
    scene.blind(true, at: 31)
    scene.blind(false, at: 500)
    scene.hear(Signal.at3m, from: 505, to: 530)
    #expect(scene.story == ["enter 0.0"])
  }

  @Test func theBlindGapIsNotLearntAsAnInterval() {
    var scene = Scene([.simple()])
    scene.hear(Signal.at3m, from: 0, to: 30)
    for round in 0..<4 {
      let start = Double(round) * 40 + 30
      scene.blind(true, at: start)
      scene.blind(false, at: start + 15)
      scene.hear(Signal.at3m, from: start + 15, to: start + 40)
    }
    scene.wait(until: 1000)
    #expect(scene.story == ["enter 0.0", "exit 198.0"])
  }

  @Test func blindnessBreaksADwell() {
    var scene = Scene([.simple(exitDwell: 10)])
    scene.hear(Signal.at3m, from: 0, to: 10)
    scene.hear(Signal.at20m, from: 10, to: 20)
    scene.blind(true, at: 20)
    scene.wait(until: 60)
    scene.blind(false, at: 60)
    scene.wait(until: 70)
    #expect(scene.story == ["enter 0.0"])
    scene.hear(Signal.at20m, from: 70, to: 90)
    #expect(scene.story == ["enter 0.0", "exit 80.0"])
  }

  @Test func hearingNothingIsNotBlindness() {
    var scene = Scene([.simple()])
    scene.hear(Signal.at3m, from: 0, to: 30)
    scene.wait(until: 1000)
    #expect(!scene.engine.isBlind(zone))
    #expect(scene.engine.occupancy(of: zone).state == .empty)
  }

  @Test func aZoneSeesWhileOneOfItsReceiversDoes() {
    let both: Set<ReceiverIndex> = [ReceiverIndex(rawValue: 0), ReceiverIndex(rawValue: 1)]
    var scene = Scene([.simple(receivers: both)])
    scene.hear(Signal.at3m, from: 0, to: 30)
    scene.hear(Signal.at10m, at: 30, receiver: 1)
    scene.blind(true, at: 31)
    #expect(!scene.engine.isBlind(zone))
    scene.blind(true, at: 32, receiver: 1)
    #expect(scene.engine.isBlind(zone))
    scene.blind(false, at: 33, receiver: 1)
    #expect(!scene.engine.isBlind(zone))
  }

  @Test func aNewReceiverGivesAZoneOfAllReceiversSight() {
    var scene = Scene([.simple()])
    scene.hear(Signal.at3m, at: 0)
    scene.blind(true, at: 1)
    #expect(scene.engine.isBlind(zone))
    scene.hear(Signal.at3m, at: 2, receiver: 1)
    #expect(!scene.engine.isBlind(zone))
  }

  @Test func sayingItTwiceChangesNothing() {
    var scene = Scene([.simple()])
    scene.hear(Signal.at3m, from: 0, to: 30)
    scene.blind(true, at: 31)
    scene.blind(true, at: 32)
    scene.blind(false, at: 40)
    scene.blind(false, at: 60)
    scene.wait(until: 1000)
    #expect(scene.story == ["enter 0.0", "exit 70.0"])
  }

  /// Of whom nothing was ever heard, he sees nobody either.
  @Test func aReceiverThatWasNeverHeardOfDoesNotSee() {
    var scene = Scene([
      .simple(receivers: [ReceiverIndex(rawValue: 0), ReceiverIndex(rawValue: 1)], lost: .after(.seconds(5)))
    ])
    scene.hear(Signal.at3m, from: 0, to: 3)
    scene.blind(true, at: 3)
    scene.wait(until: 100)
    #expect(scene.story == ["enter 0.0"])
    #expect(scene.engine.occupancy(of: ZoneIndex(rawValue: 0)).state == .unknown)
  }
}
