import Core
import Synchronization

/// A connection to an MQTT broker that reconnects by itself.
///
/// All methods may be called from any task or thread, and none blocks. Read `events` to learn what happens to
/// the connection and to each message.
package final class Client: Sendable {
  let session: Session

  /// Does not connect yet, see `start()`.
  ///
  /// - Throws: `InvalidOptions`, also for TLS files that cannot be read.
  package init(_ options: Options) throws(InvalidOptions) { session = try Session(options) }

  deinit { session.requestStop(patiently: false) }

  /// The events, in order, for one reader. They end when the client has stopped.
  package var events: Events { session.events }

  /// Starts to connect, and retries until `stop(within:)`.
  package func start() {
    let isFirst = session.state.withLock { state in
      guard state.phase == .idle else { return false }
      state.phase = .running
      return true
    }
    if isFirst { Loop.start(session) }
  }

  package var isConnected: Bool { session.state.withLock { $0.connected } }

  /// How many QoS 1 messages the broker has not acknowledged.
  package var outstanding: Int { session.state.withLock { $0.outstanding } }

  /// Queues a message for sending, without waiting.
  ///
  /// QoS 1 messages wait for a connection and are sent in order. After a lost connection they are sent again until the
  /// broker acknowledges them: event `acknowledged` (or `rejected`) with `id`. QoS 0 messages are lost with the connection.
  /// They cause an event only if they are `rejected`, for example because they are too large for the broker. A QoS 0
  /// message may overtake QoS 1 messages that wait for acknowledgements.
  ///
  /// - Parameters:
  ///   - expiry: after this time the broker no longer delivers the message (MQTT 5 only).
  ///   - id: the caller's own number for this message.
  ///   - isOnTrial: the broker refused it before. It travels alone, because the broker may close the connection.
  /// - Throws: `PublishError`; then the message is not sent.
  package func publish(
    _ payload: [UInt8], to topic: String, qos: QoS = .atLeastOnce, retain: Bool = false,
    expiry: Duration? = nil, id: UInt64 = 0, isOnTrial: Bool = false
  ) throws(PublishError) {
    try session.publish(
      Outgoing(id: id, qos: qos, retain: retain, expiry: expiry, isOnTrial: isOnTrial), topic: topic,
      payload: payload)
  }

  /// Like `publish`, but waits for room instead of throwing `outstandingLimit`: until half of the permitted outstanding
  /// messages are acknowledged. It may wait long if other callers of this client publish all the time.
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

  /// Withdraws QoS 1 messages that are not under way, and returns them in order; they cause no event. It searches all
  /// messages, so do not call it often.
  package func withdraw(_ isMeant: (_ id: UInt64, _ topic: String) -> Bool) -> [PublishedMessage] {
    session.state.withLock { state in
      let withdrawn = state.backlog.withdraw(isMeant)
      if state.hasRoom(session.options.maximumOutstanding) { state.waiters.wakeAll(for: .room) }
      return withdrawn
    }
  }

  /// Subscribes to a topic filter, now and after every new connection.
  package func subscribe(
    to filter: String, qos: QoS = .atLeastOnce, options: SubscriptionOptions = []
  ) throws(PublishError) {
    try session.subscribe(filter, Subscription(qos: qos, options: options))
  }

  /// Undoes `subscribe`. Messages that are under way may still arrive.
  package func unsubscribe(from filter: String) { session.unsubscribe(filter) }

  /// Waits for outstanding acknowledgements, disconnects properly so that the last will is not published, and ends.
  ///
  /// - Parameter limit: returns after this time at the latest, whatever the network does.
  /// - Returns: how many QoS 1 messages stayed unacknowledged.
  @discardableResult
  package func stop(within limit: Duration = .milliseconds(800)) async -> Int {
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
