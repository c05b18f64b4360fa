import Contract
import Core
import DequeModule
import Logging
import Mosquitto

/// The connection on which a partition, or the site, publishes to the broker. Its client id is the same for all workers: a new
/// connection disconnects the earlier one, so a worker that wakes up late can publish nothing. It does not reconnect by itself.
/// Messages that the broker has not acknowledged are kept, and sent again on the next connection.
struct FuseOutput {
  /// With this many unacknowledged messages, the queue is not read any further.
  static let crowd = 20_000

  private let options: Options
  private var client: Client?
  private(set) var generation: UInt64 = 0
  private(set) var isConnected = false
  /// Unacknowledged messages, in order.
  private var waiting: Deque<(id: UInt64, message: Message, isAcknowledged: Bool)> = []
  /// The largest length of `waiting` since its memory was last freed.
  private var most = 0
  private static let usual = 1000
  /// How many of them were sent on the present connection.
  private var sent = 0
  private(set) var last: UInt64 = 0
  private(set) var refused: UInt64 = 0

  /// - Parameter earlier: its events must not be mistaken for those of this one.
  init(_ options: Options, after earlier: FuseOutput? = nil) {
    generation = earlier?.generation ?? 0
    var options = options
    options.reconnects = false
    // A broker that is gone is noticed soon.
    options.keepAlive = .seconds(5)
    // libmosquitto searches all of them at each acknowledgement.
    options.window = 100
    options.maximumOutstanding = 2 * Self.crowd
    self.options = options
  }

  var outstanding: Int { waiting.count }
  var isCrowded: Bool { waiting.count >= Self.crowd }

  /// Whether the broker has acknowledged all messages up to this one.
  func isAcknowledged(upTo id: UInt64) -> Bool { waiting.first.map { $0.id > id } ?? true }

  /// Starts to connect. `report` gets the events, with the new generation.
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
  func subscribe(to filters: [String], _ logger: Logger) {
    for filter in filters {
      do throws(PublishError) { try client?.subscribe(to: filter, qos: .atMostOnce) } catch {
        logger.error("cannot subscribe to \(filter): \(error)")
      }
    }
  }

  func unsubscribe(from filter: String) { client?.unsubscribe(from: filter) }

  mutating func add(_ message: Message) {
    // The message would be useless later.
    if message.qos == .atMostOnce {
      if isConnected { try? client?.publish(message.payload, to: message.topic, qos: .atMostOnce) }
      return
    }
    last += 1
    waiting.append((last, message, false))
    most = max(most, waiting.count)
  }

  /// Sends the waiting messages. Call it only while the lease is valid.
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

  /// The broker refused a message. The others must not wait for it.
  mutating func refused(_ id: UInt64) {
    refused += 1
    acknowledged(id)
  }

  private mutating func clear() {
    while let first = waiting.first, first.isAcknowledged {
      waiting.removeFirst()
      sent = max(sent - 1, 0)
    }
    // Otherwise the memory that an outage needed would never be freed.
    if waiting.isEmpty, most > Self.usual { (waiting, most) = ([], 0) }
  }

  /// Disconnects; messages being sent may still arrive.
  func close() {
    guard let client else { return }
    Task { await client.stop() }
  }
}
