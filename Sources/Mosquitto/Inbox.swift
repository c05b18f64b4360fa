import CMosquitto
import Glibc
import Synchronization

/// What libmosquitto's callbacks leave behind for the loop thread to work through once libmosquitto has
/// returned. The callbacks copy bytes out and nothing else: they call neither libmosquitto nor anyone's code.
final class Inbox: Sendable {
  enum Item {
    /// - maximumPacket: the largest that the broker takes, in octets.
    /// - receiveMaximum: so many messages it takes before it has answered them.
    case connack(code: Int32, sessionPresent: Bool, maximumPacket: Int, receiveMaximum: Int)
    /// The broker's answer to a message of QoS 1.
    case answered(mid: Int32, reason: Int32)
    case subscribed(mid: Int32, granted: Int32)
    case unsubscribed
    case message(ReceivedMessage)
    case oversized(topic: String, bytes: Int)
    case disconnected(code: Int32)
  }

  /// What went wrong in TLS, said by libmosquitto's log only.
  struct Diagnosis {
    var line: String?
    var verification: CertificateVerification?
  }

  private let items = Mutex<[Item]>([])
  /// Of the messages in `items`; touched by the loop's thread only.
  private let octets = Atomic<Int>(0)
  /// Messages of QoS 0 that are in the socket since `takeWritten`; touched by the loop's thread only.
  private let written = Atomic<Int>(0)
  /// libmosquitto is writing to the socket: what it tells to be published now is of QoS 0, and written. Its message ids don't
  /// tell, for both qualities of service share them.
  private let isWriting = Atomic<Bool>(false)
  private let diagnosis = Mutex(Diagnosis())
  /// The thread that may look into the TLS connection.
  private let loop = Atomic<UInt>(0)
  let maximumPayload: Int
  let passphrase: String?

  init(_ options: Options) {
    maximumPayload = options.maximumPayload
    passphrase = options.tls?.identity?.passphrase
  }

  func diagnoseThisThread() { loop.store(pthread_self(), ordering: .relaxed) }

  /// For the loop's thread, which alone lets libmosquitto write.
  func writing(_ write: () -> Int32) -> Int32 {
    isWriting.store(true, ordering: .relaxed)
    defer { isWriting.store(false, ordering: .relaxed) }
    return write()
  }

  private func published(_ mid: Int32, _ reason: Int32) {
    if isWriting.load(ordering: .relaxed) {
      written.store(written.load(ordering: .relaxed) + 1, ordering: .relaxed)
    } else {
      put(.answered(mid: mid, reason: reason))
    }
  }

  /// For the loop's thread: how many messages of QoS 0 were written since the last call.
  func takeWritten() -> Int {
    let count = written.load(ordering: .relaxed)
    written.store(0, ordering: .relaxed)
    return count
  }

  /// How much has happened since `take`.
  var count: Int { items.withLock { $0.count } }

  private func put(_ item: Item) { items.withLock { $0.append(item) } }

  /// A message of the broker's, unless too much waits already to be looked at.
  private func put(_ topic: UnsafeMutablePointer<CChar>, _ message: borrowing mosquitto_message) {
    let name = String(cString: topic)
    let length = Int(message.payloadlen)
    let sum = octets.load(ordering: .relaxed) + name.utf8.count + length
    guard length <= maximumPayload, sum <= Events.octetCapacity + maximumPayload else {
      return put(.oversized(topic: name, bytes: length))
    }
    octets.store(sum, ordering: .relaxed)
    let payload = [UInt8](UnsafeRawBufferPointer(start: message.payload, count: max(length, 0)))
    put(
      .message(ReceivedMessage(topic: name, payload: payload, qos: Int(message.qos), retain: message.retain)))
  }

  /// All that happened since the last call.
  func take() -> [Item] {
    items.withLock { items in
      octets.store(0, ordering: .relaxed)
      if items.isEmpty { return [] }
      let taken = items
      items.removeAll(keepingCapacity: items.capacity <= 1024)
      return taken
    }
  }

  func takeDiagnosis() -> Diagnosis {
    diagnosis.withLock { diagnosis in
      defer { diagnosis = Diagnosis() }
      return diagnosis
    }
  }

  private static func of(_ context: UnsafeMutableRawPointer?) -> Inbox? {
    context.map { Unmanaged<Inbox>.fromOpaque($0).takeUnretainedValue() }
  }

  /// `usesTLS`: without TLS nothing is logged that is not told otherwise, and each log line costs as much as a message.
  static func attach(to client: OpaquePointer, usesTLS: Bool) {
    mosquitto_connect_v5_callback_set(client) { _, context, code, flags, properties in
      var maximum = UInt32.max
      mosquitto_property_read_int32(
        properties, Int32(MQTT_PROP_MAXIMUM_PACKET_SIZE.rawValue), &maximum, false)
      var receive = UInt16.max
      mosquitto_property_read_int16(properties, Int32(MQTT_PROP_RECEIVE_MAXIMUM.rawValue), &receive, false)
      Inbox.of(context)?.put(
        .connack(
          code: code, sessionPresent: flags & 1 != 0, maximumPacket: Int(clamping: maximum),
          receiveMaximum: Int(receive)))
    }
    mosquitto_disconnect_v5_callback_set(client) { _, context, code, _ in
      Inbox.of(context)?.put(.disconnected(code: code))
    }
    mosquitto_publish_v5_callback_set(client) { _, context, mid, reason, _ in
      Inbox.of(context)?.published(mid, reason)
    }
    mosquitto_subscribe_v5_callback_set(client) { _, context, mid, count, granted, _ in
      Inbox.of(context)?.put(.subscribed(mid: mid, granted: count > 0 ? granted?.pointee ?? 0x80 : 0x80))
    }
    mosquitto_unsubscribe_v5_callback_set(client) { _, context, _, _ in
      Inbox.of(context)?.put(.unsubscribed)
    }
    mosquitto_message_v5_callback_set(client) { _, context, message, _ in
      guard let inbox = Inbox.of(context), let message = message?.pointee, let topic = message.topic else {
        return
      }
      inbox.put(topic, message)
    }
    guard usesTLS else { return }
    // Called under locks of libmosquitto, also from threads that publish: touches the diagnosis only.
    mosquitto_log_callback_set(client) { client, context, level, line in
      guard level == MOSQ_LOG_ERR, let inbox = Inbox.of(context), let line,
        inbox.loop.load(ordering: .relaxed) == pthread_self()
      else { return }
      let verification = client.flatMap { CertificateVerification(of: $0) }
      let text = String(cString: line)
      inbox.diagnosis.withLock { diagnosis in
        // The first line names the cause, later ones its consequences.
        if diagnosis.line == nil { diagnosis.line = text }
        if diagnosis.verification == nil { diagnosis.verification = verification }
      }
    }
  }
}
