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
  package init?(_ line: Span<UInt8>) {
    switch JournalPlace(line) {
    case .takeover(let partition, let partitions, let epoch, let seen)?:
      self = .takeover(partition: partition, of: partitions, epoch: epoch, seen: seen)
    case .message(let message)?:
      guard let entry = message.entry(line) else { return nil }
      self = .message(entry)
    case nil: return nil
    }
  }
}

/// A line of a journal whose texts are not read yet: there may be millions.
package enum JournalPlace {
  case takeover(partition: Int, of: Int, epoch: UInt64, seen: UInt64)
  case message(Message)

  package struct Message {
    package var number: UInt64
    fileprivate var key: Range<Int>
    fileprivate var payload: Range<Int>
    /// Whether the payload is text, and not hexadecimal.
    fileprivate var isText: Bool

    /// nil: the texts of the line are invalid.
    package func entry(_ line: Span<UInt8>) -> JournalLine.Entry? {
      guard let key = try? JSONString.decode(key, of: line),
        let text = try? JSONString.decode(payload, of: line),
        let octets = isText ? Array(text.utf8) : try? HexadecimalText.octets(text)
      else { return nil }
      return JournalLine.Entry(number: number, key: key, payload: octets)
    }
  }

  /// nil for anything else.
  package init?(_ line: Span<UInt8>) {
    guard line.count <= JournalLine.longest else { return nil }
    var (number, version, epoch, seen): (Int64?, Int64?, Int64?, Int64?)
    var (partition, partitions): (Int64?, Int64?)
    var (key, text, octets): (Range<Int>?, Range<Int>?, Range<Int>?)
    var cursor = JSONCursor()
    do throws(JSONCursor.Malformed) {
      try cursor.members(line) { name, cursor throws(JSONCursor.Malformed) in
        switch name {
        case "key": key = try cursor.string(line)
        case "payload": text = try cursor.string(line)
        case "octets": octets = try cursor.string(line)
        case "n": number = try cursor.number(line).wholeNumber
        case "v": version = try cursor.number(line).wholeNumber
        case "partition": partition = try cursor.number(line).wholeNumber
        case "of": partitions = try cursor.number(line).wholeNumber
        case "epoch": epoch = try cursor.number(line).wholeNumber
        case "seen": seen = try cursor.number(line).wholeNumber
        default: try cursor.skipValue(line)
        }
      }
    } catch {
      return nil
    }
    guard cursor.peek(line) == nil else { return nil }
    if let number {
      guard number > 0, let key, let payload = text ?? octets else { return nil }
      self = .message(
        Message(number: UInt64(number), key: key, payload: payload, isText: text != nil))
    } else {
      guard version == 1, let partitions, (1...1024).contains(partitions),
        let partition, (0..<partitions).contains(partition), let epoch, epoch >= 0, let seen, seen >= 0
      else { return nil }
      self = .takeover(
        partition: Int(partition), of: Int(partitions), epoch: UInt64(epoch), seen: UInt64(seen))
    }
  }
}
