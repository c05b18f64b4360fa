import DequeModule

/// Messages, first in, first out, with their topics and payloads in one piece of memory, which is kept.
///
/// One thread publishes and another hands over to libmosquitto. What the one allocates and the other frees takes both of them
/// longer than copying some hundred octets.
struct MessageQueue: Sendable {
  struct Entry: Sendable {
    let message: Outgoing
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

  /// More memory than this is given back as soon as nothing is in it.
  private static let kept = 1 << 20

  var isEmpty: Bool { entries.isEmpty }
  var count: Int { entries.count }
  var first: Entry? { entries.first }
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
    entries.append(entry)
  }

  /// Takes the first out, and puts it at the end of another queue.
  mutating func moveFirst(to other: inout MessageQueue) {
    guard let entry = entries.popFirst() else { return }
    other.makeRoom(for: entry.octets)
    other.octets.append(contentsOf: octets[start..<(start + entry.octets)])
    other.entries.append(entry)
    start += entry.octets
    if entries.isEmpty { removeAll() }
  }

  mutating func removeAll() {
    entries.removeAll(keepingCapacity: true)
    octets.removeAll(keepingCapacity: octets.capacity <= Self.kept)
    start = 0
  }

  /// Visits all in order.
  func forEach(
    _ body: (Outgoing, _ topic: UnsafePointer<CChar>, _ payload: UnsafeBufferPointer<UInt8>) -> Void
  ) {
    octets.withUnsafeBufferPointer { octets in
      var next = start
      for entry in entries {
        let topic = UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(octets)[next...])
        let payload = UnsafeBufferPointer(rebasing: octets[(next + entry.topic + 1)..<(next + entry.octets)])
        if let topic = topic.assumingMemoryBound(to: CChar.self).baseAddress {
          body(entry.message, topic, payload)
        }
        next += entry.octets
      }
    }
  }

  /// Moves what is left to the beginning rather than to more memory, where at least half has been taken out.
  private mutating func makeRoom(for more: Int) {
    if octets.count + more > octets.capacity, start >= octetCount {
      octets.removeFirst(start)
      start = 0
    }
  }
}
