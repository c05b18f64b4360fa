import DequeModule
import Synchronization

/// The events of a client, in order, for one reader.
///
/// If the reader is too slow, it loses messages from the broker beyond `capacity` or `octetCapacity`, but no other events:
/// a flood from the broker must not fill the memory. Messages with QoS 1 have as much room again.
package struct Events: AsyncSequence, Sendable {
  package typealias Element = Event
  package typealias Failure = Never

  static let capacity = 1000
  /// In bytes of topics and payloads.
  static let octetCapacity = 4 << 20

  /// The unread events.
  fileprivate final class Unread: Sendable {
    struct State {
      var events = Deque<Event>()
      /// How many of them are messages from the broker, and their size in bytes.
      var messages = 0
      var octets = 0
      var lost: UInt64 = 0
      /// The client has stopped, or its reader was cancelled: no more events are kept.
      var isFinished = false
    }

    let state = Mutex(State())

    func next() -> Event? {
      state.withLock { state in
        let event = state.events.popFirst()
        if case .message(let message) = event {
          state.messages -= 1
          state.octets -= message.octets
        }
        return event
      }
    }

    var isFinished: Bool { state.withLock { $0.isFinished } }

    func finish() { state.withLock { $0.isFinished = true } }
  }

  private let unread = Unread()
  /// Wakes the reader. One wake-up is enough for any number of events.
  private let stream: AsyncStream<Void>
  private let news: AsyncStream<Void>.Continuation

  init() { (stream, news) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1)) }

  /// How many messages from the broker were dropped because they were not read in time or were too large.
  package var lostMessages: UInt64 { unread.state.withLock { $0.lost } }

  func yield(_ event: Event) { yield(contentsOf: [event]) }

  func yield(contentsOf events: [Event]) {
    if events.isEmpty { return }
    unread.state.withLock { state in
      if state.isFinished { return }
      for event in events {
        if case .message(let message) = event {
          let share = message.qos == 0 ? 1 : 2
          // One message is always kept, however large.
          if state.messages >= share * Events.capacity
            || state.messages > 0 && state.octets + message.octets > share * Events.octetCapacity
          {
            state.lost += 1
            continue
          }
          state.messages += 1
          state.octets += message.octets
        }
        state.events.append(event)
      }
    }
    news.yield()
  }

  func countLost() { unread.state.withLock { $0.lost += 1 } }

  func finish() {
    unread.finish()
    news.finish()
  }

  package struct AsyncIterator: AsyncIteratorProtocol {
    fileprivate let unread: Unread
    fileprivate var news: AsyncStream<Void>.Iterator

    package mutating func next(isolation actor: isolated (any Actor)? = #isolation) async -> Event? {
      while true {
        // A cancelled reader gets the events already queued, and no later ones.
        if Task.isCancelled { unread.finish() }
        let isLast = unread.isFinished
        if let event = unread.next() { return event }
        if isLast { return nil }
        if await news.next(isolation: actor) == nil { unread.finish() }
      }
    }

    package mutating func next() async -> Event? { await next(isolation: nil) }
  }

  package func makeAsyncIterator() -> AsyncIterator {
    AsyncIterator(unread: unread, news: stream.makeAsyncIterator())
  }
}
