import CRabbitMQ
import Glibc

/// A connection to RabbitMQ (AMQP 0-9-1), for one thread. Calls that wait for an answer return after a few seconds at most.
/// After a `RabbitMQError` it cannot be used any more.
package final class RabbitMQConnection {
  /// How many seconds the broker may take to answer, and to accept a connection. The second is shorter, because another node
  /// may answer faster.
  private static let (patience, patienceAtTheDoor) = (10, 5)
  /// The system's certificate authorities, as Debian keeps them.
  private static let systemAuthorities = "/etc/ssl/certs/ca-certificates.crt"

  let state: amqp_connection_state_t
  /// nil: no encryption.
  private var verification: Verification?
  /// By channel: the part of a message that has arrived.
  var arriving: [UInt16: Arriving] = [:]
  /// The broker accepts no messages for now, because it is short of memory or disk. Publishing would block.
  package internal(set) var isBlocked = false

  /// - Parameters:
  ///   - name: shown in the broker's lists.
  ///   - heartbeat: in seconds; after twice this we give up a silent connection, and the broker does a little later.
  package init(_ place: Node, name: String, heartbeat: Int = 4) throws(RabbitMQError) {
    guard let state = amqp_new_connection() else { throw RabbitMQError("no memory for a connection") }
    self.state = state
    // If this throws, `deinit` runs and frees the connection; nothing else may free it.
    try open(place, name, heartbeat)
  }

  deinit { amqp_destroy_connection(state) }

  private func open(_ place: Node, _ name: String, _ heartbeat: Int) throws(RabbitMQError) {
    let target = "\(place.host):\(place.port)"
    let made = place.certificates == nil ? amqp_tcp_socket_new(state) : amqp_ssl_socket_new(state)
    guard let socket = made else { throw RabbitMQError("no memory for a connection") }
    if let certificates = place.certificates {
      verification = Verification(of: socket, host: place.host)
      let authorities = certificates.authorities ?? Self.systemAuthorities
      guard amqp_ssl_socket_set_cacert(socket, authorities) == 0 else {
        throw RabbitMQError("\(authorities) cannot be used as certificate authorities", isRefusal: true)
      }
      if let certificate = certificates.certificate, let key = certificates.key {
        guard amqp_ssl_socket_set_key(socket, certificate, key) == 0 else {
          throw RabbitMQError(
            "\(certificate) and \(key) cannot be used as certificate and key", isRefusal: true)
        }
      }
    }
    var limit = timeval(tv_sec: Self.patience, tv_usec: 0)
    amqp_set_rpc_timeout(state, &limit)
    limit.tv_sec = Self.patienceAtTheDoor
    amqp_set_handshake_timeout(state, &limit)
    let opened = amqp_socket_open_noblock(socket, place.host, Int32(place.port), &limit)
    guard opened == 0 else {
      let failure = verification?.failure(opened) ?? RabbitMQError(words(opened))
      throw RabbitMQError("\(target): \(failure)", isRefusal: failure.isRefusal)
    }
    let reply = beaconkeeper_login(
      state, place.virtualHost, Int32(heartbeat), name, place.user, place.password)
    do throws(RabbitMQError) { try check(reply, "log in") } catch {
      if reply.reply_type == AMQP_RESPONSE_LIBRARY_EXCEPTION,
        let failure = verification?.failure(reply.library_error)
      {
        throw RabbitMQError("\(target): \(failure)", isRefusal: failure.isRefusal)
      }
      if reply.library_error == AMQP_STATUS_BROKER_UNSUPPORTED_SASL_METHOD.rawValue {
        throw RabbitMQError(
          place.user == nil
            ? "\(target): takes no certificate for a login (is rabbitmq_auth_mechanism_ssl enabled, and EXTERNAL among auth_mechanisms?)"
            : "\(target): takes no password for a login (is PLAIN among auth_mechanisms?)", isRefusal: true)
      }
      // RabbitMQ closes the connection if the login is wrong.
      let isRefusal = error.isRefusal || reply.library_error == AMQP_STATUS_CONNECTION_CLOSED.rawValue
      throw RabbitMQError("\(target): \(error)", isRefusal: isRefusal)
    }
  }

  // MARK: Channels, queues, bindings

  package func open(channel: UInt16) throws(RabbitMQError) {
    amqp_channel_open(state, channel)
    try check(amqp_get_rpc_reply(state), "open a channel")
  }

  /// Unacknowledged messages go back to their queues.
  package func close(channel: UInt16) throws(RabbitMQError) {
    arriving[channel] = nil
    try check(amqp_channel_close(state, channel, 200), "close a channel")
    amqp_maybe_release_buffers_on_channel(state, channel)
  }

  /// A durable queue. If it exists, it must have the same arguments.
  ///
  /// - Returns: how many messages are ready in it.
  @discardableResult
  package func declare(queue: String, _ arguments: [Argument], on channel: UInt16) throws(RabbitMQError)
    -> Int
  {
    let table = Table(arguments)
    let result = named(queue) { amqp_queue_declare(state, channel, $0, 0, 1, 0, 0, table.table) }
    try check(amqp_get_rpc_reply(state), "declare the queue \(queue)")
    return Int(result?.pointee.message_count ?? 0)
  }

  /// The state of an existing queue; nil: there is none, and the channel is closed.
  package func look(at queue: String, on channel: UInt16) throws(RabbitMQError)
    -> (messages: Int, consumers: Int)?
  {
    let result = named(queue) { amqp_queue_declare(state, channel, $0, 1, 1, 0, 0, Table([]).table) }
    let reply = amqp_get_rpc_reply(state)
    if reply.reply_type == AMQP_RESPONSE_SERVER_EXCEPTION, reply.reply.id == beaconkeeper_channel_close {
      return nil
    }
    try check(reply, "look at the queue \(queue)")
    return result.map { (Int($0.pointee.message_count), Int($0.pointee.consumer_count)) }
  }

  /// A property of the broker, such as its version.
  package func property(_ name: String) -> String? {
    guard let table = amqp_get_server_properties(state)?.pointee else { return nil }
    for place in 0..<Int(table.num_entries) {
      let entry = table.entries[place]
      if text(entry.key) == name, entry.value.kind == UInt8(AMQP_FIELD_KIND_UTF8.rawValue) {
        return text(entry.value.value.bytes)
      }
    }
    return nil
  }

  /// A queue of this connection, deleted with it.
  package func declareOwn(queue: String, on channel: UInt16) throws(RabbitMQError) {
    named(queue) { _ = amqp_queue_declare(state, channel, $0, 0, 0, 1, 1, Table([]).table) }
    try check(amqp_get_rpc_reply(state), "declare the queue \(queue)")
  }

  package func bind(queue: String, to exchange: String, key: String, on channel: UInt16) throws(RabbitMQError)
  {
    named(queue) { queue in
      named(exchange) { exchange in
        named(key) { key in _ = amqp_queue_bind(state, channel, queue, exchange, key, Table([]).table) }
      }
    }
    try check(amqp_get_rpc_reply(state), "bind the queue \(queue) to \(exchange)")
  }

  /// Nothing happens if there is no such binding.
  package func unbind(queue: String, from exchange: String, key: String, on channel: UInt16)
    throws(RabbitMQError)
  {
    named(queue) { queue in
      named(exchange) { exchange in
        named(key) { key in _ = amqp_queue_unbind(state, channel, queue, exchange, key, Table([]).table) }
      }
    }
    try check(amqp_get_rpc_reply(state), "unbind the queue \(queue) from \(exchange)")
  }

  /// A durable direct exchange.
  package func declare(exchange: String, on channel: UInt16) throws(RabbitMQError) {
    named(exchange) { exchange in
      named("direct") { kind in
        _ = amqp_exchange_declare(state, channel, exchange, kind, 0, 1, 0, 0, Table([]).table)
      }
    }
    try check(amqp_get_rpc_reply(state), "declare the exchange \(exchange)")
  }

  /// - Parameter prefetch: how many messages a consumer may have without acknowledging them.
  package func consume(_ queue: String, tag: String, prefetch: UInt16, on channel: UInt16)
    throws(RabbitMQError)
  {
    amqp_basic_qos(state, channel, 0, prefetch, 0)
    try check(amqp_get_rpc_reply(state), "limit what is under way")
    let table = Table([])
    named(queue) { queue in
      named(tag) { tag in _ = amqp_basic_consume(state, channel, queue, tag, 0, 0, 0, table.table) }
    }
    try check(amqp_get_rpc_reply(state), "consume the queue \(queue)")
  }

  // MARK: Messages

  /// Publishes a message that survives a restart of the broker. It blocks while the socket is full: check `isBlocked` first.
  package func publish(_ payload: [UInt8], to exchange: String, key: String, on channel: UInt16)
    throws(RabbitMQError)
  {
    var properties = amqp_basic_properties_t()
    properties._flags = 1 << 12  // AMQP_BASIC_DELIVERY_MODE_FLAG
    properties.delivery_mode = 2
    var payload = payload
    let status = payload.withUnsafeMutableBytes { bytes in
      named(exchange) { exchange in
        named(key) { key in
          amqp_basic_publish(
            state, channel, exchange, key, 0, 0, &properties,
            amqp_bytes_t(len: bytes.count, bytes: bytes.baseAddress))
        }
      }
    }
    try check(status, "publish")
  }

  /// Acknowledges a delivery and all before it on this channel.
  package func acknowledge(upTo delivery: UInt64, on channel: UInt16) throws(RabbitMQError) {
    try check(amqp_basic_ack(state, channel, delivery, 1), "acknowledge")
  }

  /// Acknowledges one delivery.
  package func acknowledge(_ delivery: UInt64, on channel: UInt16) throws(RabbitMQError) {
    try check(amqp_basic_ack(state, channel, delivery, 0), "acknowledge")
  }

  /// Disconnects properly.
  package func close() { amqp_connection_close(state, 200) }

  /// The socket, to be polled.
  package var descriptor: Int32 { amqp_get_sockfd(state) }

  // MARK: Results

  private func check(_ status: Int32, _ attempt: String) throws(RabbitMQError) {
    if status != AMQP_STATUS_OK.rawValue { throw RabbitMQError("cannot \(attempt): \(words(status))") }
  }

  private func check(_ reply: amqp_rpc_reply_t, _ attempt: String) throws(RabbitMQError) {
    switch reply.reply_type {
    case AMQP_RESPONSE_NORMAL: return
    case AMQP_RESPONSE_SERVER_EXCEPTION:
      throw RabbitMQError("cannot \(attempt): \(reason(reply.reply))", isRefusal: true)
    default: throw RabbitMQError("cannot \(attempt): \(words(reply.library_error))")
    }
  }

  /// The broker's reason for closing a channel or the connection.
  func reason(_ method: amqp_method_t) -> String {
    switch method.id {
    case beaconkeeper_channel_close:
      let close = method.decoded.assumingMemoryBound(to: amqp_channel_close_t.self).pointee
      return "\(text(close.reply_text)) (\(close.reply_code))"
    case beaconkeeper_connection_close:
      let close = method.decoded.assumingMemoryBound(to: amqp_connection_close_t.self).pointee
      return "\(text(close.reply_text)) (\(close.reply_code))"
    default: return "the broker refuses"
    }
  }
}

func words(_ status: Int32) -> String { String(cString: amqp_error_string2(status)) }

/// Text from the broker, for people: control characters, which a terminal would obey, are removed.
func text(_ bytes: amqp_bytes_t) -> String {
  let raw = UnsafeRawBufferPointer(start: bytes.bytes, count: min(bytes.len, 500))
  if raw.allSatisfy({ 32 <= $0 && $0 < 127 }) { return String(decoding: raw, as: UTF8.self) }
  return String(
    String.UnicodeScalarView(
      String(decoding: raw, as: UTF8.self).unicodeScalars.map { $0.value < 32 || $0.value == 127 ? " " : $0 })
  )
}

/// Passes a name to the library for one call.
func named<Result>(_ name: String, _ body: (amqp_bytes_t) -> Result) -> Result {
  var name = name
  return name.withUTF8 {
    body(amqp_bytes_t(len: $0.count, bytes: UnsafeMutableRawPointer(mutating: $0.baseAddress)))
  }
}

/// An event from RabbitMQ.
package enum QueueEvent: Sendable {
  case delivery(QueueMessage)
  /// The broker ended a consumer, for example because the queue is gone or its leader moved.
  case cancelled(consumer: String)
  /// The broker closed a channel.
  case closed(channel: UInt16, reason: String)
}

/// A message from a queue.
package struct QueueMessage: Sendable {
  package var channel: UInt16
  /// Its number on the channel, for `acknowledge`.
  package var number: UInt64
  package var consumer: String
  /// The message was delivered before, maybe to another consumer.
  package var isRepeated: Bool
  package var exchange: String
  package var key: String
  package var payload: [UInt8]
}

extension RabbitMQConnection {
  /// A message that has not arrived completely.
  struct Arriving {
    var delivery: QueueMessage
    /// The size of the payload; nil: the header has not arrived.
    var size: Int?
  }

  /// The largest payload that is accepted, in octets.
  private static let largest = 256 << 20

  /// The next event; nil if none came in time.
  package func next(within limit: Duration = .zero) throws(RabbitMQError) -> QueueEvent? {
    let end = ContinuousClock.now + limit
    while true {
      let rest = max(end - .now, .zero)
      let (seconds, attoseconds) = rest.components
      var timeout = timeval(tv_sec: Int(seconds), tv_usec: Int(attoseconds / 1_000_000_000_000))
      var frame = amqp_frame_t()
      let status = amqp_simple_wait_frame_noblock(state, &frame, &timeout)
      if status == AMQP_STATUS_TIMEOUT.rawValue { return nil }
      guard status == AMQP_STATUS_OK.rawValue else {
        throw RabbitMQError("the connection is lost: \(words(status))")
      }
      let event = try take(frame)
      // Everything that a frame points to has been copied.
      amqp_maybe_release_buffers_on_channel(state, frame.channel)
      if let event { return event }
    }
  }

  private func take(_ frame: amqp_frame_t) throws(RabbitMQError) -> QueueEvent? {
    switch Int32(frame.frame_type) {
    case AMQP_FRAME_METHOD: return try take(frame.payload.method, frame.channel)
    case AMQP_FRAME_HEADER:
      let size = frame.payload.properties.body_size
      guard size <= UInt64(Self.largest) else {
        throw RabbitMQError("a message of \(size) octets is too large")
      }
      arriving[frame.channel]?.size = Int(size)
      arriving[frame.channel]?.delivery.payload.reserveCapacity(Int(size))
      return finished(frame.channel)
    case AMQP_FRAME_BODY:
      let bytes = frame.payload.body_fragment
      let raw = UnsafeRawBufferPointer(start: bytes.bytes, count: bytes.len)
      arriving[frame.channel]?.delivery.payload.append(contentsOf: raw)
      return finished(frame.channel)
    default: return nil
    }
  }

  private func finished(_ channel: UInt16) -> QueueEvent? {
    guard let message = arriving[channel], let size = message.size, message.delivery.payload.count >= size
    else {
      return nil
    }
    arriving[channel] = nil
    return .delivery(message.delivery)
  }

  /// After `look(at:on:)` found nothing, RabbitMQ has closed the channel and waits for an answer.
  package func answerClose(of channel: UInt16) throws(RabbitMQError) {
    var answer = amqp_channel_close_ok_t()
    guard amqp_send_method(state, channel, 0x0014_0029, &answer) == AMQP_STATUS_OK.rawValue else {
      throw RabbitMQError("cannot close a channel")
    }
    amqp_maybe_release_buffers_on_channel(state, channel)
  }

  private func take(_ method: amqp_method_t, _ channel: UInt16) throws(RabbitMQError) -> QueueEvent? {
    switch method.id {
    case beaconkeeper_deliver:
      let deliver = method.decoded.assumingMemoryBound(to: amqp_basic_deliver_t.self).pointee
      arriving[channel] = Arriving(
        delivery: QueueMessage(
          channel: channel, number: deliver.delivery_tag, consumer: text(deliver.consumer_tag),
          isRepeated: deliver.redelivered != 0, exchange: text(deliver.exchange),
          key: text(deliver.routing_key), payload: []))
      return nil
    case beaconkeeper_cancel:
      let cancel = method.decoded.assumingMemoryBound(to: amqp_basic_cancel_t.self).pointee
      return .cancelled(consumer: text(cancel.consumer_tag))
    case beaconkeeper_channel_close:
      let reason = reason(method)
      var answer = amqp_channel_close_ok_t()
      amqp_send_method(state, channel, 0x0014_0029, &answer)
      arriving[channel] = nil
      return .closed(channel: channel, reason: reason)
    case beaconkeeper_connection_close:
      throw RabbitMQError("the broker closes the connection: \(reason(method))")
    case beaconkeeper_blocked:
      isBlocked = true
      return nil
    case beaconkeeper_unblocked:
      isBlocked = false
      return nil
    default: return nil
    }
  }
}

/// A connection to RabbitMQ that failed, as text. The connection cannot be used any more.
package struct RabbitMQError: Error, Hashable, Sendable, CustomStringConvertible {
  package var description: String
  /// Whether the broker refused the user, the password, or a queue that exists with other properties. Trying again is useless
  /// until somebody changes something.
  package var isRefusal: Bool

  package init(_ description: String, isRefusal: Bool = false) {
    self.description = description
    self.isRefusal = isRefusal
  }
}
