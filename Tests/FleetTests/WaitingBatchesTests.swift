import Beacons
import Contract
import Core
import Testing

@testable import Fleet

@Suite struct WaitingBatchesTests {
  private func batch(_ number: Int, octets: Int = 10) -> CrowdBatch {
    CrowdBatch(
      gateway: 0,
      message: Message(
        topic: "t\(number)", payload: Array(repeating: 0, count: octets), qos: .atLeastOnce, retained: false),
      observations: 2, made: .zero)
  }

  private func drain(_ queue: inout WaitingBatches) -> [(number: UInt64, topic: String)] {
    var sent: [(UInt64, String)] = []
    while let (number, batch) = queue.next() { sent.append((number, batch.message.topic)) }
    return sent
  }

  @Test func whatIsNotAcknowledgedIsSentAgainInOrder() {
    var queue = WaitingBatches()
    for number in 0..<4 { queue.add(batch(number)) }
    #expect(drain(&queue).isEmpty)
    queue.connected()
    let sent = drain(&queue)
    queue.acknowledge(sent[1].number)
    queue.disconnected()
    queue.add(batch(4))
    #expect(drain(&queue).isEmpty)
    queue.connected()
    let again = drain(&queue)
    #expect(again.map(\.topic) == ["t0", "t2", "t3", "t4"])
    // Late, of the connection before.
    queue.acknowledge(sent[0].number)
    #expect(queue.count == 4)
    for (number, _) in again { queue.acknowledge(number) }
    #expect(queue.count == 0 && queue.acknowledgedObservations == 10 && queue.lost == 0)
  }

  @Test func theOldestGoFirstAndAreCounted() {
    var queue = WaitingBatches()
    for number in 0..<10 { queue.add(batch(number, octets: 1 << 20)) }
    #expect(queue.lost == 4)
    queue.connected()
    #expect(drain(&queue).first?.topic == "t2")
  }

  @Test func onlyAWindowIsUnderWay() {
    var queue = WaitingBatches()
    for number in 0..<100 { queue.add(batch(number)) }
    queue.connected()
    #expect(drain(&queue).count == WaitingBatches.window)
  }
}
