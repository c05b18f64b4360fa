import Beacons
import DequeModule
import Mosquitto
import Messages
import MQTT

/// The connection on which a partition, or the site, is told to the broker. It has a client id of its own: whoever connects with
/// the same one throws the earlier one out, so a worker that wakes up late cannot add a word. It does not reconnect by itself.
/// What the broker has not acknowledged is kept, and sent again on the next connection.
struct FuseOutput {
  /// So many unacknowledged messages, and no more of the queue is processed.
  static let crowd = 20_000

  private let options: Options
  private var client: Client?
  private(set) var generation: UInt64 = 0
  private(set) var isConnected = false
  /// Unacknowledged, in order.
  private var waiting: Deque<(id: UInt64, message: Message, isAcknowledged: Bool)> = []
  /// How many waited at most since its memory was last given back.
  private var most = 0
  private static let usual = 1000
  /// How many of them the present connection has.
  private var sent = 0
  private(set) var last: UInt64 = 0
  private(set) var refused: UInt64 = 0

  /// - Parameter earlier: whose events are not to be taken for this one's.
  init(_ options: Options, after earlier: FuseOutput? = nil) {
    generation = earlier?.generation ?? 0
    var options = options
    options.reconnects = false
    // A broker that says nothing is noticed soon.
    options.keepAlive = .seconds(5)
    // The library looks through all of them at each acknowledgement.
    options.window = 100
    options.maximumOutstanding = 2 * Self.crowd
    self.options = options
  }

  var outstanding: Int { waiting.count }
  var isCrowded: Bool { waiting.count >= Self.crowd }

  /// Whether all messages up to this one are with the broker.
  func isAcknowledged(upTo id: UInt64) -> Bool { waiting.first.map { $0.id > id } ?? true }

  /// Begins to connect. Events come to `report`, with the new generation.
  mutating func connect(
    _ report: @escaping @Sendable (UInt64, Event) -> Void, ended: @escaping @Sendable (UInt64) -> Void
  ) throws(InvalidOptions) {
    let client = try Client(options)
    self.client = client
    generation += 1
    (isConnected, sent) = (false, 0)
    let generation = generation
    Task {
      for await event in client.events { report(generation, event) }
      ended(generation)
    }
    client.start()
  }

  mutating func connected() { isConnected = true }

  mutating func disconnected() {
    isConnected = false
    sent = 0
    client = nil
  }

  /// Subscribes on the present connection, with QoS 0: with 1, mosquitto forgets all but some thousand retained messages at once
  /// (`max_queued_messages`).
  func subscribe(to filter: String) throws(PublishError) {
    try client?.subscribe(to: filter, qos: .atMostOnce)
  }

  func unsubscribe(from filter: String) { client?.unsubscribe(from: filter) }

  mutating func add(_ message: Message) {
    // Of its moment only.
    if message.qos == .atMostOnce {
      if isConnected { try? client?.publish(message.payload, to: message.topic, qos: .atMostOnce) }
      return
    }
    last += 1
    waiting.append((last, message, false))
    most = max(most, waiting.count)
  }

  /// Hands over what waits. Call it only while the lease holds.
  mutating func send() -> [String] {
    guard isConnected, let client else { return [] }
    var notices: [String] = []
    while sent < waiting.count {
      let (id, message, isAcknowledged) = waiting[sent]
      if !isAcknowledged {
        do throws(PublishError) {
          try client.publish(
            message.payload, to: message.topic, retain: message.retained,
            expiry: message.expiry.map { .nanoseconds($0.nanoseconds) }, id: id)
        } catch {
          switch error {
          case .outstandingLimit, .notConnected, .stopped: return notices
          case .invalidTopic, .payloadTooLarge:
            refused += 1
            notices.append("cannot publish on \(message.topic): \(error)")
            waiting[sent].isAcknowledged = true
          }
        }
      }
      sent += 1
    }
    clear()
    return notices
  }

  mutating func acknowledged(_ id: UInt64) {
    guard let first = waiting.first?.id, id >= first, id - first < UInt64(waiting.count) else { return }
    waiting[Int(id - first)].isAcknowledged = true
    clear()
  }

  /// The broker will not have it. Holding the others up would help nobody.
  mutating func refused(_ id: UInt64) {
    refused += 1
    acknowledged(id)
  }

  private mutating func clear() {
    while let first = waiting.first, first.isAcknowledged {
      waiting.removeFirst()
      sent = max(sent - 1, 0)
    }
    // It would keep the memory of an outage for ever.
    if waiting.isEmpty, most > Self.usual { (waiting, most) = ([], 0) }
  }

  /// Leaves; what is outstanding may still get through.
  func close() {
    guard let client else { return }
    Task { await client.stop() }
  }
}
