import Core
import DequeModule

/// A FIFO queue of messages, with topics and payloads in one reusable block of memory.
///
/// One thread publishes and another hands over to libmosquitto. Allocating in one and freeing in the other takes both of
/// them longer than copying some hundred bytes.
struct MessageQueue: Sendable {
  struct Entry: Sendable {
    fileprivate(set) var message: Outgoing
    /// Increases from message to message, also across queues.
    let number: UInt64
    /// Lengths in bytes.
    let topic: Int
    let payload: Int

    /// The topic ends with a NUL, as in C.
    var octets: Int { topic + 1 + payload }
  }

  private var entries = Deque<Entry>()
  private var octets: [UInt8] = []
  /// Bytes before this have been taken out.
  private var start = 0

  /// The largest number of messages since it was last empty.
  private var most = 0

  /// Memory beyond this is freed when most of it is not in use.
  private static let kept = (octets: 1 << 20, messages: 1 << 12)

  var isEmpty: Bool { entries.isEmpty }
  var count: Int { entries.count }
  var first: Entry? { entries.first }
  var last: Entry? { entries.last }
  /// The size of all topics and payloads.
  var octetCount: Int { octets.count - start }
  /// The size of the allocated memory.
  var octetCapacity: Int { octets.capacity }

  mutating func append(_ message: Outgoing, topic: String, payload: [UInt8], number: UInt64) {
    let entry = Entry(message: message, number: number, topic: topic.utf8.count, payload: payload.count)
    makeRoom(for: entry.octets)
    octets.append(contentsOf: topic.utf8)
    octets.append(0)
    octets.append(contentsOf: payload)
    append(entry)
  }

  /// - Parameter topic: including its NUL.
  mutating func append(_ entry: Entry, topic: Span<UInt8>, payload: Span<UInt8>) {
    makeRoom(for: entry.octets)
    topic.withUnsafeBufferPointer { octets.append(contentsOf: $0) }
    payload.withUnsafeBufferPointer { octets.append(contentsOf: $0) }
    append(entry)
  }

  subscript(_ index: Int) -> Entry { entries[index] }

  /// Records that the broker acknowledged this message.
  mutating func acknowledge(at index: Int) { entries[index].message.isAcknowledged = true }

  /// A complete copy of one message.
  func message(at index: Int) -> PublishedMessage {
    let entry = entries[index]
    let first = entries.prefix(index).reduce(start) { $0 + $1.octets }
    let payload = first + entry.topic + 1
    return PublishedMessage(
      id: entry.message.id, topic: String(decoding: octets[first..<(first + entry.topic)], as: UTF8.self),
      payload: Array(octets[payload..<(payload + entry.payload)]), qos: entry.message.qos,
      retain: entry.message.retain, expiry: entry.message.expiry, isAcknowledged: entry.message.isAcknowledged
    )
  }

  /// Moves the first message to the end of another queue.
  mutating func moveFirst(to other: inout MessageQueue) {
    guard let entry = entries.first else { return }
    other.makeRoom(for: entry.octets)
    other.octets.append(contentsOf: octets[start..<(start + entry.octets)])
    other.append(entry)
    removeFirst()
  }

  mutating func removeFirst() {
    guard let entry = entries.popFirst() else { return }
    start += entry.octets
    if entries.isEmpty {
      removeAll()
    } else if octets.capacity > Self.kept.octets, octetCount < octets.capacity / 8 {
      move(toRoomFor: 2 * octetCount)
    }
  }

  mutating func removeAll() {
    entries.removeAll(keepingCapacity: most <= Self.kept.messages)
    octets.removeAll(keepingCapacity: octets.capacity <= Self.kept.octets)
    (start, most) = (0, 0)
  }

  /// Visits all messages in order; topics include their NUL.
  func forEach(_ body: (Entry, _ topic: Span<UInt8>, _ payload: Span<UInt8>) -> Void) {
    let octets = octets.span
    var next = start
    for entry in entries {
      let payload = next + entry.topic + 1
      let end = next + entry.octets
      body(entry, octets.extracting(next..<payload), octets.extracting(payload..<end))
      next = end
    }
  }

  private mutating func append(_ entry: Entry) {
    entries.append(entry)
    most = max(most, entries.count)
  }

  /// Moves the rest to the beginning if at least half has been taken out, else copies it to more memory.
  private mutating func makeRoom(for more: Int) {
    if octets.count + more <= octets.capacity { return }
    if start >= octetCount + more {
      octets.removeFirst(start)
      start = 0
    } else {
      move(toRoomFor: 2 * (octetCount + more))
    }
  }

  private mutating func move(toRoomFor count: Int) {
    var moved: [UInt8] = []
    moved.reserveCapacity(count)
    moved.append(contentsOf: octets[start...])
    octets = moved
    start = 0
  }
}

/// The attributes of a message on its way to the broker, apart from topic and payload.
struct Outgoing: Equatable, Sendable {
  var id: UInt64
  var qos: QoS
  var retain = false
  var expiry: Duration?
  /// The broker refused it before. It is sent alone, to see whether it costs the connection.
  var isOnTrial = false
  /// The caller already knows that the broker has it. It is sent again because the broker closed the connection right
  /// afterwards.
  var isAcknowledged = false
}
