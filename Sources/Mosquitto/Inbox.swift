import CMosquitto
import Glibc
import Synchronization

/// Events that libmosquitto's callbacks leave for the loop thread, which processes them after libmosquitto has returned. The
/// callbacks only copy bytes; they call neither libmosquitto nor other code.
final class Inbox: Sendable {
  enum Item {
    /// - maximumPacket: the largest packet that the broker accepts, in bytes.
    /// - receiveMaximum: how many unanswered messages the broker accepts.
    case connack(code: Int32, sessionPresent: Bool, maximumPacket: Int, receiveMaximum: Int)
    /// The broker's answer to a QoS 1 message.
    case answered(mid: Int32, reason: Int32)
    case subscribed(mid: Int32, granted: Int32)
    case unsubscribed
    case message(ReceivedMessage)
    case oversized(topic: String, bytes: Int)
    case disconnected(code: Int32)
  }

  /// The cause of a TLS failure, which only libmosquitto's log contains.
  struct Diagnosis {
    var line: String?
    var verification: CertificateVerification?
    /// The names in the broker's certificate.
    var names: String?
  }

  private let items = Mutex<[Item]>([])
  /// The size of the messages in `items`; used only by the loop's thread.
  private let octets = Atomic<Int>(0)
  /// How many QoS 0 messages were written to the socket since `takeWritten`; used only by the loop's thread.
  private let written = Atomic<Int>(0)
  /// libmosquitto is writing to the socket: a message it now reports as published has QoS 0 and was written. Its message id
  /// does not show that, because both qualities of service share the ids.
  private let isWriting = Atomic<Bool>(false)
  private let diagnosis = Mutex(Diagnosis())
  /// The thread that may inspect the TLS connection.
  private let loop = Atomic<UInt>(0)
  let maximumPayload: Int

  init(_ options: Options) {
    maximumPayload = options.maximumPayload
  }

  func diagnoseThisThread() { loop.store(pthread_self(), ordering: .relaxed) }

  /// For the loop's thread, the only one that lets libmosquitto write.
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

  /// For the loop's thread: how many QoS 0 messages were written since the last call.
  func takeWritten() -> Int {
    let count = written.load(ordering: .relaxed)
    written.store(0, ordering: .relaxed)
    return count
  }

  /// How many items have arrived since `take`.
  var count: Int { items.withLock { $0.count } }

  private func put(_ item: Item) { items.withLock { $0.append(item) } }

  /// Adds a message from the broker, unless too much is waiting already.
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

  /// All items since the last call.
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

  /// `usesTLS`: the log is read only for TLS. It contains nothing else of use, and each line costs as much as a message.
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
    // libmosquitto calls this under its locks, also from publishing threads. So it only touches the diagnosis.
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
        // The names are known once the check has ended.
        if diagnosis.names == nil { diagnosis.names = client.flatMap(CertificateVerification.names) }
      }
    }
  }
}
