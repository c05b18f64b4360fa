import Core

/// A line of a partition's journal: the messages that a worker read from its queue, in order. `replay --journal` decides about
/// them again.
///
///     {"v":1,"partition":3,"of":16,"epoch":1795500000000,"seen":0}
///     {"n":1,"key":"beaconkeeper-fleet.site.tick","payload":"{\"v\":1,…}"}
package enum JournalLine: Hashable, Sendable {
  /// A worker has taken the partition over. The next message of its queue has the number `seen` + 1.
  case takeover(partition: Int, of: Int, epoch: UInt64, seen: UInt64)
  case message(Entry)

  /// A message of a partition's queue.
  package struct Entry: Hashable, Sendable {
    /// Counts the messages of the queue from 1 on, since the partition began in this epoch.
    package var number: UInt64
    package var key: String
    package var payload: [UInt8]

    package init(number: UInt64, key: String, payload: [UInt8]) {
      self.number = number
      self.key = key
      self.payload = payload
    }
  }

  /// A longer line is not from a journal.
  package static let longest = 1 << 24

  /// With the line's end.
  package var bytes: [UInt8] {
    let object = JSONWriter.object { json in
      switch self {
      case .takeover(let partition, let partitions, let epoch, let seen):
        json.field("v", 1)
        json.field("partition", partition)
        json.field("of", partitions)
        json.field("epoch", epoch)
        json.field("seen", seen)
      case .message(let entry):
        json.field("n", entry.number)
        json.field("key", entry.key)
        if let text = String(validating: entry.payload, as: UTF8.self) {
          json.field("payload", text)
        } else {
          json.field("octets", entry.payload.map { hexadecimal(UInt128($0), octets: 1) }.joined())
        }
      }
    }
    return object + [UInt8(ascii: "\n")]
  }

  /// nil for anything else.
  package init?(_ line: [UInt8]) {
    guard line.count <= Self.longest, let tree = try? JSONTree(line, limit: 8) else { return nil }
    if let number = tree["n"]?.wholeNumber {
      guard number > 0, case .text(let key)? = tree["key"] else { return nil }
      let payload: [UInt8]
      if case .text(let text)? = tree["payload"] {
        payload = Array(text.utf8)
      } else if case .text(let digits)? = tree["octets"], let octets = try? HexadecimalText.octets(digits) {
        payload = octets
      } else {
        return nil
      }
      self = .message(Entry(number: UInt64(number), key: key, payload: payload))
    } else {
      guard tree["v"]?.wholeNumber == 1, let partitions = tree["of"]?.wholeNumber,
        (1...1024).contains(partitions),
        let partition = tree["partition"]?.wholeNumber, (0..<partitions).contains(partition),
        let epoch = tree["epoch"]?.wholeNumber, epoch >= 0, let seen = tree["seen"]?.wholeNumber, seen >= 0
      else { return nil }
      self = .takeover(
        partition: Int(partition), of: Int(partitions), epoch: UInt64(epoch), seen: UInt64(seen))
    }
  }
}
