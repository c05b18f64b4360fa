import Core
import Testing

@testable import Mosquitto

@Suite struct BacklogTests {
  private func backlog(_ qualities: [QoS], octets: Int = 0) -> Backlog {
    var backlog = Backlog()
    for (id, qos) in qualities.enumerated() {
      let payload = [UInt8](repeating: UInt8(id), count: octets)
      backlog.append(Outgoing(id: UInt64(id), qos: qos), topic: "t", payload: payload)
    }
    return backlog
  }

  /// The ids of what is taken out.
  private func take(from backlog: inout Backlog, atMost limit: Int, room: Int) -> [UInt64] {
    var taken = MessageQueue()
    backlog.take(atMost: limit, room: room, into: &taken)
    return taken.contents.map(\.message.id)
  }

  @Test func messagesLeaveInTheOrderInWhichTheyCame() {
    var backlog = backlog([.atLeastOnce, .atMostOnce, .atLeastOnce, .atMostOnce])
    #expect(take(from: &backlog, atMost: 3, room: 9) == [0, 1, 2])
    #expect(take(from: &backlog, atMost: 3, room: 9) == [3])
    #expect(take(from: &backlog, atMost: 3, room: 9).isEmpty)
  }

  @Test func qos0GoesPastQoS1ThatHasNoRoom() {
    var backlog = backlog([.atMostOnce, .atLeastOnce, .atLeastOnce, .atMostOnce, .atLeastOnce, .atMostOnce])
    #expect(take(from: &backlog, atMost: 3, room: 1) == [0, 1, 3])
    #expect(take(from: &backlog, atMost: 3, room: 0) == [5])
    #expect(!backlog.hasNext(room: 0))
    #expect(take(from: &backlog, atMost: 3, room: 0).isEmpty)
    #expect(take(from: &backlog, atMost: 3, room: 3) == [2, 4])
    #expect(!backlog.hasNext(room: 3))
  }

  @Test func handedOverMessagesAreBoundedInOctets() {
    var backlog = backlog(Array(repeating: .atLeastOnce, count: 5), octets: Backlog.octetLimit / 2)
    #expect(take(from: &backlog, atMost: 64, room: 64) == [0, 1])
    #expect(take(from: &backlog, atMost: 64, room: 64) == [2, 3])
    #expect(take(from: &backlog, atMost: 64, room: 64) == [4])
  }

  @Test func handedOverMessagesCountUntilLibmosquittoHasThem() {
    var backlog = backlog([.atLeastOnce, .atMostOnce])
    #expect(take(from: &backlog, atMost: 9, room: 9).count == 2)
    #expect((backlog.atLeastOnce, backlog.atMostOnce, backlog.hasNext(room: 9)) == (1, 1, false))
    backlog.handedOver(atMostOnce: 1, atLeastOnce: 1)
    #expect((backlog.atLeastOnce, backlog.atMostOnce) == (0, 0))
  }

  @Test func withTheConnectionOnlyQoS0IsLost() {
    var backlog = backlog([.atMostOnce, .atLeastOnce, .atMostOnce])
    backlog.dropAtMostOnce()
    #expect((backlog.atLeastOnce, backlog.atMostOnce) == (1, 0))
    #expect(take(from: &backlog, atMost: 9, room: 9) == [1])
  }
}
