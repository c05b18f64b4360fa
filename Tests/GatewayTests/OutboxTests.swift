import Beacons
import Messages
import Proximity
import Testing

@testable import Gateway

@Suite struct OutboxTests {
  private func transition(_ sequence: UInt64) -> TransitionMessage {
    TransitionMessage(
      transition: Transition(
        event: .enter, zone: ZoneIndex(rawValue: 0), beacon: BeaconIndex(rawValue: 0), time: .zero,
        wallTime: WallTime(nanoseconds: 0), distance: nil, distanceDeviation: nil, rssi: nil,
        evidence: Evidence(
          threshold: 1, value: 1, unit: .metres, samples: 1, dwell: .zero,
          receiver: ReceiverIndex(rawValue: 0))),
      epoch: 1, sequence: sequence, gateway: "g", zone: "z", beacon: "b", receiver: "r")
  }

  private func state(_ topic: String, _ payload: String) -> Message {
    Message(topic: topic, payload: Array(payload.utf8), qos: .atLeastOnce, retained: true)
  }

  private func drain(_ outbox: inout Outbox) -> [String] {
    var items: [String] = []
    while let item = outbox.first {
      switch item {
      case .transition(let message): items.append("\(message.sequence)")
      case .verdict(let verdict): items.append("verdict \(verdict.transition)")
      case .state(let message):
        items.append(message.topic + "=" + String(decoding: message.payload, as: UTF8.self))
      }
      outbox.removeFirst()
    }
    return items
  }

  @Test func transitionsKeepTheirOrderAndGoBeforeStates() {
    var outbox = Outbox()
    outbox.add(state("a", "1"))
    outbox.add(transition(1))
    outbox.add(transition(2))
    #expect(drain(&outbox) == ["1", "2", "a=1"])
  }

  @Test func aNewerStateTakesThePlaceOfTheOneThatWaits() {
    var outbox = Outbox()
    outbox.add(state("a", "old"))
    outbox.add(state("b", "1"))
    outbox.add(state("a", "new"))
    #expect(outbox.count == 2)
    #expect(drain(&outbox) == ["a=new", "b=1"])
  }

  @Test func aStateThatWasSentMayComeAgain() {
    var outbox = Outbox()
    outbox.add(state("a", "1"))
    _ = drain(&outbox)
    outbox.add(state("a", "1"))
    #expect(drain(&outbox) == ["a=1"])
  }

  @Test func isBoundedAndCountsWhatItGaveUp() {
    var outbox = Outbox()
    for sequence in 0..<UInt64(Outbox.transitionLimit + 3) { outbox.add(transition(sequence)) }
    #expect(outbox.count == Outbox.transitionLimit)
    #expect(outbox.lostTransitions == 3)
    guard case .transition(let first) = outbox.first else { return #expect(Bool(false)) }
    #expect(first.sequence == 3)
  }
}
