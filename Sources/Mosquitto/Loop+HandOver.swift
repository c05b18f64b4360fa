import CMosquitto
import Core
import Glibc
import Synchronization

/// Hands messages from the backlog to libmosquitto and to the kernel.
extension Loop {
  struct HandedOver {
    var count = 0
    /// How many QoS 1 messages libmosquitto holds now, at most.
    var underWay = 0
    /// libmosquitto's error in writing, with its `errno`.
    var failure: (error: Int32, errno: Int32)?
  }

  /// How many packets libmosquitto builds before it writes them. With few, the memory of written packets is reused for the
  /// next while it is still in the fastest cache.
  private static let few = 4

  /// Hands over a batch of the backlog, and writes it.
  ///
  /// It does not hold the session's lock meanwhile, so no other thread has to wait.
  mutating func handOver() -> HandedOver {
    let underWay = session.take(into: &batch)
    if batch.isEmpty { return HandedOver(underWay: underWay) }
    defer { batch.removeAll() }
    var results = Results()
    // Not for a disconnect: libmosquitto closes the socket after writing it, and if unread data from the broker is waiting
    // then, the kernel discards what the cork holds back.
    if isLeaving || batch.count == 1 {
      handOver(into: &results)
    } else {
      let socket = mosquitto_socket(client)
      corked(socket, isOpen: { mosquitto_socket(client) == socket }) { handOver(into: &results) }
    }
    session.handedOver(results, batch)
    // Only now, so that a caller woken by free room finds it.
    session.events.yield(contentsOf: results.rejected)
    return HandedOver(count: batch.count, underWay: underWay + batch.count, failure: results.failure)
  }

  /// Makes libmosquitto write all that it has.
  func write() -> Int32 { session.handle.inbox.writing { mosquitto_loop_write(client, 1) } }

  /// What happened to the messages of a batch.
  struct Results {
    var count = 0
    var atMostOnce = 0
    /// How many QoS 0 messages libmosquitto accepted.
    var unwritten = 0
    /// libmosquitto's message ids, one per message; 0 if it did not accept a QoS 1 message.
    var mids: [Int32] = []
    /// The messages that it did not accept.
    var rejected: [Event] = []
    /// Why writing stopped.
    var failure: (error: Int32, errno: Int32)?

    mutating func note(
      _ message: Outgoing, mid: Int32, error: Int32, whole: () -> PublishedMessage
    ) {
      count += 1
      mids.append(message.qos == .atLeastOnce && Self.isTaken(error) ? mid : 0)
      if message.qos == .atMostOnce { atMostOnce += 1 }
      switch message.qos {
      case .atMostOnce where error == MOSQ_ERR_SUCCESS.code: unwritten += 1
      // The message is lost with its connection, like everything unwritten.
      case .atMostOnce where error == MOSQ_ERR_NO_CONN.code: break
      case .atLeastOnce where Self.isTaken(error): break
      case .atMostOnce, .atLeastOnce: rejected.append(.rejected(whole(), reason: words(error)))
      }
    }

    /// If libmosquitto has just lost the connection, it reports "no connection" but has accepted the QoS 1 message.
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

  /// - Parameter topic: including its NUL.
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

  /// Whether libmosquitto, by its own calculation, would find the packet too large for the broker. It finds that out only
  /// after accepting a QoS 1 message: it then reports the error but keeps the message.
  private func isTooLarge(_ message: Outgoing, topic: Int, payload: Int) -> Bool {
    guard maximumPacket < .max, message.qos == .atLeastOnce else { return false }
    return Packet.size(topic: topic, payload: payload, hasExpiry: message.expiry != nil) > maximumPacket
  }
}

/// A PUBLISH packet of MQTT 5 with an answer.
enum Packet {
  /// As libmosquitto calculates it, which leaves out the first octet.
  static func size(topic: Int, payload: Int, hasExpiry: Bool = false) -> Int {
    // Lengths of topic, message id and properties; an expiry takes five bytes (MQTT 5.0, section 3.3).
    let rest = 2 + topic + 2 + 1 + (hasExpiry ? 5 : 0) + payload
    let length = rest < 1 << 7 ? 1 : rest < 1 << 14 ? 2 : rest < 1 << 21 ? 3 : 4
    return rest + length
  }
}

extension Session {
  /// Records the results of a batch that was taken out.
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
      // Rejected messages free room, and no acknowledgement will report that.
      if !results.rejected.isEmpty, state.hasRoom(options.maximumOutstanding) {
        state.waiters.wakeAll(for: .room)
      }
      if state.isDone { disconnect(&state) }
    }
  }
}

/// Writes many packets as few TCP segments.
///
/// libmosquitto passes each packet to the kernel separately and disables Nagle's delay, so each would cross the network and
/// wake the broker alone. While the socket is corked (tcp(7), TCP_CORK), the kernel gathers the packets, and sends the rest
/// when the cork is removed. Nothing waits longer than the writing takes.
///
/// - Parameter isOpen: whether `socket` still belongs to the same connection after `write`; a reused descriptor is left
///   alone.
func corked<Result>(_ socket: Int32, isOpen: () -> Bool, _ write: () -> Result) -> Result {
  cork(socket, 1)
  defer { if isOpen() { cork(socket, 0) } }
  return write()
}

/// Fails on a socket that is not TCP; then packets are sent as they are written.
private func cork(_ socket: Int32, _ flag: Int32) {
  var flag = flag
  setsockopt(socket, Int32(IPPROTO_TCP), TCP_CORK, &flag, socklen_t(MemoryLayout<Int32>.size))
}
