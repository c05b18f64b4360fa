import Testing

@testable import Mosquitto

@Suite struct BacklogTests {
  private func message(_ id: UInt64, _ qos: QoS) -> Outgoing {
    Outgoing(id: id, topic: "t", payload: [], qos: qos, retain: false)
  }

  private func backlog(_ qualities: [QoS]) -> Backlog {
    var backlog = Backlog()
    for (id, qos) in qualities.enumerated() { backlog.append(message(UInt64(id), qos)) }
    return backlog
  }

  @Test func givesTheFirstInTheirOrder() {
    var backlog = backlog([.atLeastOnce, .atMostOnce, .atLeastOnce, .atMostOnce])
    #expect(backlog.take(atMost: 3, room: 9).map(\.id) == [0, 1, 2])
    #expect(backlog.take(atMost: 3, room: 9).map(\.id) == [3])
    #expect(backlog.take(atMost: 3, room: 9).isEmpty)
  }

  @Test func whatNeedsNoAcknowledgementGoesPastWhatHasNoRoom() {
    var backlog = backlog([.atMostOnce, .atLeastOnce, .atLeastOnce, .atMostOnce, .atLeastOnce, .atMostOnce])
    #expect(backlog.take(atMost: 3, room: 1).map(\.id) == [0, 1, 3])
    #expect(backlog.take(atMost: 3, room: 0).map(\.id) == [5])
    #expect(!backlog.hasNext(room: 0))
    #expect(backlog.take(atMost: 3, room: 0).isEmpty)
    #expect(backlog.take(atMost: 3, room: 3).map(\.id) == [2, 4])
    #expect(!backlog.hasNext(room: 3))
  }

  @Test func countsWhatIsTakenUntilItIsHandedOver() {
    var backlog = backlog([.atLeastOnce, .atMostOnce])
    let taken = backlog.take(atMost: 9, room: 9)
    #expect((backlog.atLeastOnce, backlog.atMostOnce, backlog.hasNext(room: 9)) == (1, 1, false))
    backlog.handedOver(taken)
    #expect((backlog.atLeastOnce, backlog.atMostOnce) == (0, 0))
  }

  @Test func withoutAConnectionOnlyWhatIsAcknowledgedStays() {
    var backlog = backlog([.atMostOnce, .atLeastOnce, .atMostOnce])
    backlog.dropAtMostOnce()
    #expect((backlog.atLeastOnce, backlog.atMostOnce) == (1, 0))
    #expect(backlog.take(atMost: 9, room: 9).map(\.id) == [1])
  }
}
