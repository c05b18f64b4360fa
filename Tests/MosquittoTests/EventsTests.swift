import Synchronization
import Testing

@testable import Mosquitto

@Suite struct EventsTests {
  private func identities(_ events: Events) async -> [UInt64] {
    var seen: [UInt64] = []
    for await event in events { if case .acknowledged(let id) = event { seen.append(id) } }
    return seen
  }

  @Test func eventsBeforeTheEndAreReadAfterIt() async {
    let events = Events()
    events.yield(contentsOf: [.acknowledged(id: 1), .acknowledged(id: 2)])
    events.finish()
    events.yield(.acknowledged(id: 3))
    #expect(await identities(events) == [1, 2])
    #expect(await identities(events).isEmpty)
  }

  @Test func unreadMessagesAreBoundedInOctets() async {
    let events = Events()
    let payload = [UInt8](repeating: 0, count: 250_000)
    for _ in 0..<1000 {
      events.yield(.message(ReceivedMessage(topic: "t", payload: payload, qos: 1, retain: false)))
    }
    events.yield(.acknowledged(id: 1))
    events.finish()
    var octets = 0
    for await event in events { if case .message(let message) = event { octets += message.payload.count } }
    #expect(octets > 1 << 20 && octets <= Events.octetCapacity)
    #expect(events.lostMessages == UInt64(1000 - octets / 250_000))
  }

  @Test func aCancelledReaderKeepsNoEvents() async throws {
    let events = Events()
    let reader = Task { await identities(events) }
    try await Task.sleep(for: .milliseconds(20))
    reader.cancel()
    _ = await reader.value
    for number in 0..<1000 { events.yield(.acknowledged(id: UInt64(number))) }
    #expect(await identities(events).isEmpty)
  }

  @Test func aCancelledReaderEndsWhileEventsKeepComing() async throws {
    let events = Events()
    let reader = Task { await identities(events) }
    let writer = Task {
      var number: UInt64 = 0
      while !Task.isCancelled {
        events.yield(.acknowledged(id: number))
        number += 1
        if number % 100 == 0 { await Task.yield() }
      }
    }
    try await Task.sleep(for: .milliseconds(20))
    reader.cancel()
    let seen = await reader.value
    writer.cancel()
    #expect(seen == Array(0..<UInt64(seen.count)))
  }
}
