import Synchronization

/// The events of a client, in order, for one reader.
///
/// A reader who is too slow loses messages of the broker beyond `capacity`, never anything else: a flood
/// from the broker must not fill the memory.
public struct Events: AsyncSequence, Sendable {
  public typealias Element = Event
  public typealias Failure = Never

  final class Gauge: Sendable {
    let unread = Atomic<Int>(0)
    let lost = Atomic<UInt64>(0)
  }

  static let capacity = 1000

  private let stream: AsyncStream<Event>
  private let continuation: AsyncStream<Event>.Continuation
  private let gauge = Gauge()

  init() { (stream, continuation) = AsyncStream.makeStream(bufferingPolicy: .unbounded) }

  /// Messages of the broker that were thrown away because nobody read them, or because they were too large.
  public var lostMessages: UInt64 { gauge.lost.load(ordering: .relaxed) }

  func yield(_ event: Event) {
    if case .message = event {
      if gauge.unread.load(ordering: .relaxed) >= Events.capacity { return countLost() }
      gauge.unread.add(1, ordering: .relaxed)
    }
    continuation.yield(event)
  }

  func countLost() { gauge.lost.add(1, ordering: .relaxed) }

  func finish() { continuation.finish() }

  public struct AsyncIterator: AsyncIteratorProtocol {
    var base: AsyncStream<Event>.Iterator
    let gauge: Gauge

    public mutating func next(isolation actor: isolated (any Actor)? = #isolation) async -> Event? {
      let event = await base.next(isolation: actor)
      if case .message = event { gauge.unread.subtract(1, ordering: .relaxed) }
      return event
    }

    public mutating func next() async -> Event? { await next(isolation: nil) }
  }

  public func makeAsyncIterator() -> AsyncIterator {
    AsyncIterator(base: stream.makeAsyncIterator(), gauge: gauge)
  }
}
