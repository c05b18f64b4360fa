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
      events.yield(.message(ReceivedMessage(topic: "t", payload: payload, qos: 0, retain: false)))
    }
    events.yield(.acknowledged(id: 1))
    events.finish()
    var octets = 0
    for await event in events { if case .message(let message) = event { octets += message.payload.count } }
    #expect(octets > 1 << 20 && octets <= Events.octetCapacity)
    #expect(events.lostMessages == UInt64(1000 - octets / 250_000))
  }

  @Test func `a flood of QoS 0 takes no room from messages with QoS 1, which are bounded, too`() async {
    let events = Events()
    func say(_ qos: Int, _ count: Int) {
      for _ in 0..<count {
        events.yield(.message(ReceivedMessage(topic: "\(qos)", payload: [1], qos: qos, retain: false)))
      }
    }
    say(0, 3 * Events.capacity)
    say(1, 300)
    say(0, 10)
    say(1, 3 * Events.capacity)
    events.finish()
    var heard = ["0": 0, "1": 0]
    for await event in events { if case .message(let message) = event { heard[message.topic]? += 1 } }
    #expect(heard == ["0": Events.capacity, "1": Events.capacity])
  }

  /// Notes what a reader has seen while it still reads.
  private final class Notes: Sendable {
    private let identities = Mutex<[UInt64]>([])

    var all: [UInt64] { identities.withLock { $0 } }

    func read(_ events: Events) async {
      for await event in events {
        if case .acknowledged(let id) = event { identities.withLock { $0.append(id) } }
      }
    }

    /// Returns once the reader has seen so many.
    func wait(for count: Int) async { while all.count < count { await Task.yield() } }
  }

  /// Just after it has read the last one it waits for the next, or soon will.
  @Test(.timeLimit(.minutes(5))) func aCancelledReaderKeepsNoEvents() async throws {
    for _ in 0..<100 {
      let (events, notes) = (Events(), Notes())
      let reader = Task { await notes.read(events) }
      events.yield(.acknowledged(id: 7))
      await notes.wait(for: 1)
      reader.cancel()
      await reader.value
      for number in 0..<1000 { events.yield(.acknowledged(id: UInt64(number))) }
      #expect(await identities(events).isEmpty)
      #expect(notes.all == [7])
    }
  }

  @Test(.timeLimit(.minutes(5))) func aCancelledReaderEndsWhileEventsKeepComing() async throws {
    let (events, notes) = (Events(), Notes())
    let reader = Task { await notes.read(events) }
    let writer = Task {
      var number: UInt64 = 0
      while !Task.isCancelled {
        events.yield(.acknowledged(id: number))
        number += 1
        if number % 100 == 0 { await Task.yield() }
      }
    }
    await notes.wait(for: 1000)
    reader.cancel()
    await reader.value
    writer.cancel()
    #expect(notes.all == Array(0..<UInt64(notes.all.count)))
  }
}
