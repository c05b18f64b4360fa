import Core
import TestSupport
import Testing

@testable import Mosquitto

@Suite struct MessageQueueTests {
  @Test func keepsTopicsAndPayloadsApart() {
    var queue = MessageQueue()
    queue.append(Outgoing(id: 1, qos: .atMostOnce), topic: "a/b", payload: [0, 1, 0], number: 1)
    queue.append(
      Outgoing(id: 2, qos: .atLeastOnce, retain: true, expiry: .seconds(9)), topic: "ü", payload: [],
      number: 2)
    let contents = queue.contents
    #expect(contents.map(\.topic) == ["a/b", "ü"])
    #expect(contents.map(\.payload) == [[0, 1, 0], []])
    #expect(contents.map(\.message.retain) == [false, true])
    #expect(contents.map(\.message.expiry) == [nil, .seconds(9)])
    #expect(queue.octetCount == 3 + 1 + 3 + 2 + 1)
  }

  @Test(arguments: 0..<20 as Range<UInt64>) func goesTheWayOfAnArray(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    var queue = MessageQueue()
    var moved = MessageQueue()
    var expected: [MessageQueue.Content] = []
    var expectedMoved: [MessageQueue.Content] = []
    for number in 0..<2000 {
      // Grows and shrinks by turns, so that it is empty now and then and has to grow while much is taken out.
      let isGrowing = number / 150 % 2 == 0
      switch UInt64.random(in: 0..<10, using: &random) {
      case 0 where number % 500 == 0:
        queue.removeAll()
        expected.removeAll()
      case 0..<(isGrowing ? 6 : 3):
        let topic = String(repeating: "x", count: .random(in: 1...40, using: &random))
        let payload = [UInt8](
          (0..<Int.random(in: 0...600, using: &random)).map { UInt8(truncatingIfNeeded: $0 + number) })
        let message = Outgoing(id: UInt64(number), qos: .atLeastOnce)
        queue.append(message, topic: topic, payload: payload, number: UInt64(number))
        expected.append(MessageQueue.Content(message: message, topic: topic, payload: payload))
      default:
        queue.moveFirst(to: &moved)
        if !expected.isEmpty { expectedMoved.append(expected.removeFirst()) }
      }
      #expect(queue.count == expected.count)
      #expect(queue.first?.message.id == expected.first?.message.id)
    }
    #expect(queue.contents == expected)
    #expect(moved.contents == expectedMoved)
    #expect(!expectedMoved.isEmpty)
  }

  @Test func memoryOfAFloodIsGivenBack() {
    var queue = MessageQueue()
    var taken = MessageQueue()
    for number in 0..<100 as Range<UInt64> { queue.append(number, octets: 50_000) }
    #expect(queue.octetCapacity > 4_000_000)
    while !queue.isEmpty { queue.moveFirst(to: &taken) }
    taken.removeAll()
    #expect(queue.octetCapacity <= 1 << 20)
    #expect(taken.octetCapacity == 0)
  }

  @Test func memoryIsGivenBackBeforeTheLastHasLeft() {
    var queue = MessageQueue()
    var taken = MessageQueue()
    for number in 0..<100 as Range<UInt64> { queue.append(number, octets: 50_000) }
    while queue.count > 2 { queue.moveFirst(to: &taken) }
    #expect(queue.octetCapacity < 1_100_000)
    #expect(queue.contents.map(\.message.id) == [98, 99])
  }

  @Test func aStandingQueueDoesNotGrowForEver() {
    var queue = MessageQueue()
    var taken = MessageQueue()
    for number in 0..<10_000 as Range<UInt64> {
      queue.append(number, octets: 1000)
      if number >= 10 { queue.moveFirst(to: &taken) }
      taken.removeAll()
    }
    #expect(queue.count == 10)
    #expect(queue.octetCapacity < 50_000)
  }
}

extension MessageQueue {
  struct Content: Equatable {
    var message: Outgoing
    var topic: String
    var payload: [UInt8]
  }

  fileprivate mutating func append(_ number: UInt64, octets: Int) {
    let payload = [UInt8](repeating: 1, count: octets)
    append(Outgoing(id: number, qos: .atLeastOnce), topic: "t", payload: payload, number: number)
  }

  var contents: [Content] {
    var contents: [Content] = []
    forEach { entry, topic, payload in
      let topic = topic.withUnsafeBufferPointer { String(decoding: $0.dropLast(), as: UTF8.self) }
      contents.append(
        Content(message: entry.message, topic: topic, payload: payload.withUnsafeBufferPointer(Array.init)))
    }
    return contents
  }
}
