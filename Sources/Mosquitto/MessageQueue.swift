import DequeModule

/// Messages, first in, first out, with their topics and payloads in one piece of memory, which is kept.
///
/// Other threads publish than the one that hands over to libmosquitto. What the one allocates and the other frees takes both of
/// them longer than copying some hundred octets.
struct MessageQueue: Sendable {
  struct Entry: Sendable {
    fileprivate(set) var message: Outgoing
    /// Grows from message to message, also where they are of several queues.
    let number: UInt64
    /// Octets of each.
    let topic: Int
    let payload: Int

    /// The topic ends with a NUL, as C has it.
    var octets: Int { topic + 1 + payload }
  }

  private var entries = Deque<Entry>()
  private var octets: [UInt8] = []
  /// What is before has been taken out.
  private var start = 0

  /// The most messages since it was last empty.
  private var most = 0

  /// More octets of memory than this, or room for more messages, are given back when most of them are not in use.
  private static let kept = (octets: 1 << 20, messages: 1 << 12)

  var isEmpty: Bool { entries.isEmpty }
  var count: Int { entries.count }
  var first: Entry? { entries.first }
  var last: Entry? { entries.last }
  /// Of all topics and payloads.
  var octetCount: Int { octets.count - start }
  /// What there is room for.
  var octetCapacity: Int { octets.capacity }

  mutating func append(_ message: Outgoing, topic: String, payload: [UInt8], number: UInt64) {
    let entry = Entry(message: message, number: number, topic: topic.utf8.count, payload: payload.count)
    makeRoom(for: entry.octets)
    octets.append(contentsOf: topic.utf8)
    octets.append(0)
    octets.append(contentsOf: payload)
    append(entry)
  }

  /// - Parameter topic: with its NUL.
  mutating func append(_ entry: Entry, topic: Span<UInt8>, payload: Span<UInt8>) {
    makeRoom(for: entry.octets)
    topic.withUnsafeBufferPointer { octets.append(contentsOf: $0) }
    payload.withUnsafeBufferPointer { octets.append(contentsOf: $0) }
    append(entry)
  }

  subscript(_ index: Int) -> Entry { entries[index] }

  /// The broker has said that it has this one.
  mutating func acknowledge(at index: Int) { entries[index].message.isAcknowledged = true }

  /// One of them, whole.
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

  /// Takes the first out, and puts it at the end of another queue.
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

  /// Visits all in order, each topic with its NUL.
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

  /// What is left moves to the beginning, where at least half has been taken out; else to more memory, and what was taken out stays behind.
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
