/// Reads a stream of server-sent events, of any size of pieces.
///
/// Source: HTML Living Standard, section 9.2.6. Ids and retry times are not used here.
struct EventReader {
  /// An event of the stream, as it arrives.
  struct Event: Equatable, Sendable {
    var name: String
    var data: [UInt8]
  }

  /// An event is larger than any of a gateway.
  struct TooLarge: Error {}

  private let limit: Int
  private var line: [UInt8] = []
  private var name = ""
  private var data: [UInt8] = []
  private var hasData = false
  private var wasReturn = false

  init(limit: Int) { self.limit = limit }

  /// The events that these bytes complete.
  mutating func read(_ bytes: some Sequence<UInt8>) throws(TooLarge) -> [Event] {
    var events: [Event] = []
    for byte in bytes {
      defer { wasReturn = byte == 0x0D }
      switch byte {
      case 0x0A where wasReturn: continue
      case 0x0A, 0x0D: if let event = endLine() { events.append(event) }
      default:
        line.append(byte)
        guard line.count + data.count <= limit else { throw TooLarge() }
      }
    }
    return events
  }

  private mutating func endLine() -> Event? {
    defer { line.removeAll(keepingCapacity: true) }
    guard !line.isEmpty else {
      defer { (name, data, hasData) = ("", [], false) }
      return hasData ? Event(name: name.isEmpty ? "message" : name, data: data) : nil
    }
    let colon = line.firstIndex(of: UInt8(ascii: ":")) ?? line.endIndex
    var value = line[colon...].dropFirst()
    if value.first == UInt8(ascii: " ") { value = value.dropFirst() }
    switch String(decoding: line[..<colon], as: UTF8.self) {
    case "event": name = String(decoding: value, as: UTF8.self)
    case "data":
      if hasData { data.append(0x0A) }
      data += value
      hasData = true
    default: break
    }
    return nil
  }
}
