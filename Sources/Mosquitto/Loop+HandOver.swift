import MQTT
import CMosquitto
import Glibc
import Synchronization

/// From the backlog to libmosquitto, and to the kernel.
extension Loop {
  struct HandedOver {
    var count = 0
    /// QoS 1 messages that libmosquitto holds now, or some more.
    var underWay = 0
    /// libmosquitto's, of writing, with the `errno` of then.
    var failure: (error: Int32, errno: Int32)?
  }

  /// So many messages libmosquitto makes packets of before it writes them. They are few, for then the memory of those that are
  /// written serves the next, and is still in the fastest cache.
  private static let few = 4

  /// Hands over a batch of what waits, and writes it.
  ///
  /// Nobody is kept waiting meanwhile, for the session's lock is not held.
  mutating func handOver() -> HandedOver {
    let underWay = session.take(into: &batch)
    if batch.isEmpty { return HandedOver(underWay: underWay) }
    defer { batch.removeAll() }
    var results = Results()
    // Not with a good-bye: libmosquitto closes the socket when it has written that, and the kernel throws away what it holds
    // back if something from the broker is unread by then.
    if isLeaving || batch.count == 1 {
      handOver(into: &results)
    } else {
      let socket = mosquitto_socket(client)
      corked(socket, isOpen: { mosquitto_socket(client) == socket }) { handOver(into: &results) }
    }
    session.handedOver(results, batch)
    // Not before: who learns of room shall find it.
    session.events.yield(contentsOf: results.rejected)
    return HandedOver(count: batch.count, underWay: underWay + batch.count, failure: results.failure)
  }

  /// Lets libmosquitto write all that it has.
  func write() -> Int32 { session.handle.inbox.writing { mosquitto_loop_write(client, 1) } }

  /// What became of the messages of a batch.
  struct Results {
    var count = 0
    var atMostOnce = 0
    /// Those of QoS 0 that libmosquitto has taken.
    var unwritten = 0
    /// libmosquitto's message ids, one for each of the batch; 0 where it did not take a message of QoS 1.
    var mids: [Int32] = []
    /// What it did not take.
    var rejected: [Event] = []
    /// Why nothing more was written.
    var failure: (error: Int32, errno: Int32)?

    mutating func note(
      _ message: Outgoing, mid: Int32, error: Int32, whole: () -> PublishedMessage
    ) {
      count += 1
      mids.append(message.qos == .atLeastOnce && Self.isTaken(error) ? mid : 0)
      if message.qos == .atMostOnce { atMostOnce += 1 }
      switch message.qos {
      case .atMostOnce where error == MOSQ_ERR_SUCCESS.code: unwritten += 1
      // It goes with its connection, as what is unwritten does.
      case .atMostOnce where error == MOSQ_ERR_NO_CONN.code: break
      case .atLeastOnce where Self.isTaken(error): break
      case .atMostOnce, .atLeastOnce: rejected.append(.rejected(whole(), reason: words(error)))
      }
    }

    /// libmosquitto says "no connection" when it just lost it, but has taken a QoS 1 message all the same.
    private static func isTaken(_ error: Int32) -> Bool {
      error == MOSQ_ERR_SUCCESS.code || error == MOSQ_ERR_NO_CONN.code
    }
  }

  private func handOver(into results: inout Results) {
    batch.forEach { entry, topic, payload in
      let (mid, refusal) = publish(entry.message, topic, payload)
      let place = results.count
      results.note(entry.message, mid: mid, error: refusal) { batch.message(at: place) }
      let isTime = results.count % Self.few == 0 || results.count == batch.count
      guard isTime, results.failure == nil else { return }
      errno = 0
      let error = write()
      if error != MOSQ_ERR_SUCCESS.code { results.failure = (error, errno) }
    }
  }

  /// - Parameter topic: with its NUL.
  private func publish(
    _ message: Outgoing, _ topic: Span<UInt8>, _ payload: Span<UInt8>
  ) -> (mid: Int32, error: Int32) {
    if isTooLarge(message, topic: topic.count - 1, payload: payload.count) {
      return (0, MOSQ_ERR_OVERSIZE_PACKET.code)
    }
    var mid: Int32 = 0
    var properties = Properties()
    if let expiry = message.expiry, session.options.protocolVersion == .v5 {
      properties.add(MQTT_PROP_MESSAGE_EXPIRY_INTERVAL, expiry.mqttSeconds)
    }
    let error = topic.withUnsafeBytes { topic in
      payload.withUnsafeBytes { payload in
        mosquitto_publish_v5(
          client, &mid, topic.assumingMemoryBound(to: CChar.self).baseAddress, Int32(payload.count),
          payload.baseAddress, message.qos.rawValue, message.retain, properties.list)
      }
    }
    return (mid, error)
  }

  /// Whether libmosquitto would find, by how it reckons, that the broker takes no such packet, but only after it has taken a
  /// message of QoS 1: then it says so, and keeps it.
  private func isTooLarge(_ message: Outgoing, topic: Int, payload: Int) -> Bool {
    guard maximumPacket < .max, message.qos == .atLeastOnce else { return false }
    // Lengths of the topic, the message id, the properties; an expiry is one of five octets (MQTT 5.0, section 3.3).
    let rest = 2 + topic + 2 + 1 + (message.expiry == nil ? 0 : 5) + payload
    let length = rest < 1 << 7 ? 1 : rest < 1 << 14 ? 2 : rest < 1 << 21 ? 3 : 4
    return rest + length > maximumPacket
  }
}

extension Session {
  /// Takes in what became of a batch that was taken out.
  fileprivate func handedOver(_ results: Loop.Results, _ batch: borrowing MessageQueue) {
    state.withLock { state in
      state.backlog.handedOver(
        atMostOnce: results.atMostOnce, atLeastOnce: results.count - results.atMostOnce)
      state.unwritten += results.unwritten
      var place = 0
      batch.forEach { entry, topic, payload in
        let mid = results.mids[place]
        place += 1
        if mid != 0 { state.inflight.append(entry, mid: mid, topic: topic, payload: payload) }
      }
      // What was not taken left room, of which no acknowledgement will tell.
      if !results.rejected.isEmpty, state.hasRoom(options.maximumOutstanding) {
        state.waiters.wakeAll(for: .room)
      }
      if state.isDone { disconnect(&state) }
    }
  }
}
