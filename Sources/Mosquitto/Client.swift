import MQTT
import Synchronization

/// A connection to an MQTT broker that keeps itself up.
///
/// All methods may be called from any task or thread; none blocks. Read `events`: they tell what became of
/// the connection and of each message.
public final class Client: Sendable {
  let session: Session

  /// Does nothing yet, see `start()`.
  ///
  /// - Throws: `InvalidOptions`, also for TLS files that cannot be read.
  public init(_ options: Options) throws(InvalidOptions) { session = try Session(options) }

  deinit { session.requestStop(patiently: false) }

  /// What happens, in order, for one reader. Ends when the client has stopped.
  public var events: Events { session.events }

  /// Begins to connect, and goes on trying until `stop(within:)`.
  public func start() {
    let isFirst = session.state.withLock { state in
      guard state.phase == .idle else { return false }
      state.phase = .running
      return true
    }
    if isFirst { Loop.start(session) }
  }

  public var isConnected: Bool { session.state.withLock { $0.connected } }

  /// QoS 1 messages that the broker has not acknowledged.
  public var outstanding: Int { session.state.withLock { $0.outstanding } }

  /// Hands a message over for sending, without waiting.
  ///
  /// QoS 1 messages wait for a connection, are sent in order, and again after a lost connection until the
  /// broker acknowledges them: event `acknowledged` (or `rejected`) with `id`. QoS 0 messages are lost with the connection, and
  /// bring an event only where they are `rejected`: larger than the broker takes, say. One of them may overtake QoS 1 that
  /// waits for acknowledgements.
  ///
  /// - Parameters:
  ///   - expiry: after this time the broker does not deliver the message any more (MQTT 5 only).
  ///   - id: the caller's own number for this message.
  ///   - isOnTrial: the broker refused it before; it travels alone, for the broker may close the connection.
  /// - Throws: `PublishError`; the message then is not sent.
  public func publish(
    _ payload: [UInt8], to topic: String, qos: QoS = .atLeastOnce, retain: Bool = false,
    expiry: Duration? = nil, id: UInt64 = 0, isOnTrial: Bool = false
  ) throws(PublishError) {
    try session.publish(
      Outgoing(id: id, qos: qos, retain: retain, expiry: expiry, isOnTrial: isOnTrial), topic: topic,
      payload: payload)
  }

  /// Like `publish`, but waits for room instead of throwing `outstandingLimit`: until half of what may be outstanding is
  /// acknowledged. Who shares the client with others that publish all the time may wait long.
  ///
  /// - Throws: `PublishError`; `outstandingLimit` if the task is cancelled while it waits.
  nonisolated(nonsending) public func publishWhenRoom(
    _ payload: [UInt8], to topic: String, qos: QoS = .atLeastOnce, retain: Bool = false,
    expiry: Duration? = nil, id: UInt64 = 0
  ) async throws(PublishError) {
    while true {
      do throws(PublishError) {
        return try publish(payload, to: topic, qos: qos, retain: retain, expiry: expiry, id: id)
      } catch .outstandingLimit(let limit) {
        if Task.isCancelled { throw .outstandingLimit(limit) }
        await session.waitForRoom()
      }
    }
  }

  /// Takes back QoS 1 messages that are not under way, in their order; no event will tell of them. Meant for few, for it looks at all.
  public func withdraw(_ isMeant: (_ id: UInt64, _ topic: String) -> Bool) -> [PublishedMessage] {
    session.state.withLock { state in
      let withdrawn = state.backlog.withdraw(isMeant)
      if state.hasRoom(session.options.maximumOutstanding) { state.waiters.wakeAll(for: .room) }
      return withdrawn
    }
  }

  /// Asks the broker for a topic filter, now and after every new connection.
  public func subscribe(to filter: String, qos: QoS = .atLeastOnce) throws(PublishError) {
    try session.subscribe(filter, qos: qos)
  }

  /// Takes back `subscribe`. Messages that are under way may still come.
  public func unsubscribe(from filter: String) { session.unsubscribe(filter) }

  /// Waits for outstanding acknowledgements, says good-bye so that the last will is not published, and ends.
  ///
  /// - Parameter limit: returns after this time at the latest, whatever the network does.
  /// - Returns: how many QoS 1 messages stayed unacknowledged.
  @discardableResult
  public func stop(within limit: Duration = .milliseconds(800)) async -> Int {
    session.requestStop()
    let session = session
    let timer = Task {
      do {
        try await Task.sleep(for: limit * 0.75)
        session.disconnectNow()
        try await Task.sleep(for: limit * 0.25)
        session.ended()
      } catch {}  // cancelled: the thread ended in time
    }
    await session.waitForEnd()
    timer.cancel()
    return outstanding
  }
}

extension Session {
  func waitForRoom() async {
    let number = state.withLock { $0.waiters.number() }
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        state.withLock { state in
          if state.phase == .running || state.phase == .idle, state.isFull(options.maximumOutstanding) {
            state.waiters.add(number, .room, continuation)
          } else {
            continuation.resume()
          }
        }
      }
    } onCancel: {
      state.withLock { $0.waiters.cancel(number) }
    }
    state.withLock { $0.waiters.forget(number) }
  }

  func waitForEnd() async {
    await withCheckedContinuation { continuation in
      state.withLock { state in
        if state.phase == .ended {
          continuation.resume()
        } else {
          state.waiters.add(state.waiters.number(), .end, continuation)
        }
      }
    }
  }
}
