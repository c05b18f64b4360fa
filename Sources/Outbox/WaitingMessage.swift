import Contract
import Core

/// A numbered message that waits for the broker, with its row.
package struct WaitingMessage: Sendable {
  /// Its row on disk, whether it is there or not. Rows are unique within a run and increase.
  package var row: Int64
  package var content: any NumberedMessage

  package init(row: Int64, _ content: any NumberedMessage) {
    self.row = row
    self.content = content
  }
}

/// A row of table `waiting`.
extension WaitingMessage {
  /// The layout of the body, in its first byte.
  enum Layout: UInt64 {
    case zone = 1
    case room = 2
    case zoneOfRooms = 3
    /// Topic and payload.
    case other = 4
  }

  /// What is read from a row that has only topic and payload.
  private struct Octets: NumberedMessage {
    var epoch: UInt64
    var sequence: UInt64
    var gateway: String
    var topic: String
    var payload: [UInt8]

    func message(topics: Topics) -> Message {
      let topic = topics.rooted(topic, of: Topics(gateway: gateway))
      return Message(topic: topic, payload: payload, qos: .atLeastOnce, retained: false)
    }
  }

  func insert(into database: SQLConnection) throws(DatabaseError) {
    try database.execute(
      "INSERT OR REPLACE INTO waiting (id, epoch, seq, body) VALUES (?, ?, ?, ?)", .integer(row),
      .integer(Int64(clamping: content.epoch)), .integer(Int64(clamping: content.sequence)),
      .blob(body))
  }

  private var body: [UInt8] {
    if let body = (content as? TransitionMessage)?.body { return body }
    let message = content.message(topics: Topics(gateway: content.gateway))
    var writer = PackedWriter()
    writer.write(Layout.other.rawValue)
    writer.write(content.gateway)
    writer.write(message.topic)
    writer.write(message.payload)
    return writer.sealed
  }

  /// nil for a row that is damaged or that this version cannot read. A column may hold any type.
  init?(_ row: SQLRow) {
    guard let id = row["id"].int64, let epoch = row["epoch"].int64, let sequence = row["seq"].int64,
      epoch >= 0, sequence >= 0, let body = row["body"].bytes,
      let content = try? Self.content(body, UInt64(clamping: epoch), UInt64(clamping: sequence))
    else { return nil }
    self.init(row: id, content)
  }

  private static func content(
    _ body: [UInt8], _ epoch: UInt64, _ sequence: UInt64
  ) throws(PackedReader.Damaged) -> any NumberedMessage {
    var reader = try PackedReader(sealed: body)
    guard let layout = Layout(rawValue: try reader.unsigned()) else { throw PackedReader.Damaged() }
    let content: any NumberedMessage
    if layout == .other {
      content = Octets(
        epoch: epoch, sequence: sequence, gateway: try reader.text(), topic: try reader.text(),
        payload: try reader.octets())
    } else {
      content = try TransitionMessage(layout, &reader, epoch: epoch, sequence: sequence)
    }
    guard reader.isAtEnd else { throw PackedReader.Damaged() }
    return content
  }
}
