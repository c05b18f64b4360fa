import CRabbitMQ
import Glibc

/// What comes from RabbitMQ.
public enum QueueEvent: Sendable {
  case delivery(QueueMessage)
  /// The broker ended a consumer, for example because the queue is gone or its leader moved.
  case cancelled(consumer: String)
  /// The broker closed a channel; with its reason.
  case closed(channel: UInt16, reason: String)
}

/// A message from a queue.
public struct QueueMessage: Sendable {
  public var channel: UInt16
  /// Its number on the channel, for `acknowledge`.
  public var number: UInt64
  public var consumer: String
  /// It was delivered before, maybe to somebody else.
  public var isRepeated: Bool
  public var exchange: String
  public var key: String
  public var payload: [UInt8]
}

extension Connection {
  /// A message of which the rest is still to come.
  struct Arriving {
    var delivery: QueueMessage
    /// Octets of the payload; nil: the header is not here yet.
    var size: Int?
  }

  /// The largest payload that is accepted, in octets.
  private static let largest = 256 << 20

  /// The next event; nil if none came in time.
  public func next(within limit: Duration = .zero) throws(Failure) -> QueueEvent? {
    let end = ContinuousClock.now + limit
    while true {
      let rest = max(end - .now, .zero)
      let (seconds, attoseconds) = rest.components
      var timeout = timeval(tv_sec: Int(seconds), tv_usec: Int(attoseconds / 1_000_000_000_000))
      var frame = amqp_frame_t()
      let status = amqp_simple_wait_frame_noblock(state, &frame, &timeout)
      if status == AMQP_STATUS_TIMEOUT.rawValue { return nil }
      guard status == AMQP_STATUS_OK.rawValue else {
        throw Failure("the connection is lost: \(words(status))")
      }
      let event = try take(frame)
      // All that a frame points at was copied.
      amqp_maybe_release_buffers_on_channel(state, frame.channel)
      if let event { return event }
    }
  }

  private func take(_ frame: amqp_frame_t) throws(Failure) -> QueueEvent? {
    switch Int32(frame.frame_type) {
    case AMQP_FRAME_METHOD: return try take(frame.payload.method, frame.channel)
    case AMQP_FRAME_HEADER:
      let size = frame.payload.properties.body_size
      guard size <= UInt64(Self.largest) else { throw Failure("a message of \(size) octets is too large") }
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

  /// After `look(at:on:)` found nothing: RabbitMQ has closed the channel, and waits for an answer.
  public func answerClose(of channel: UInt16) throws(Failure) {
    var answer = amqp_channel_close_ok_t()
    guard amqp_send_method(state, channel, 0x0014_0029, &answer) == AMQP_STATUS_OK.rawValue else {
      throw Failure("cannot close a channel")
    }
    amqp_maybe_release_buffers_on_channel(state, channel)
  }

  private func take(_ method: amqp_method_t, _ channel: UInt16) throws(Failure) -> QueueEvent? {
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
      throw Failure("the broker closes the connection: \(reason(method))")
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
