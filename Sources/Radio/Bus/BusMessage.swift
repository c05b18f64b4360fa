import Core

/// A D-Bus message (D-Bus Specification, "Message Protocol").
struct BusMessage: Equatable, Sendable {
  enum Kind: UInt8, Sendable {
    case call = 1
    case reply = 2
    case error = 3
    case signal = 4
  }

  /// Longer ones are refused; the specification allows 128 MiB.
  static let limit = 1 << 20

  var kind: Kind
  var serial: UInt32 = 0
  var replySerial: UInt32?
  var path: String?
  var member: String?
  var errorName: String?
  /// Assigned by the bus: `:1.42`, which no client can choose, or the bus's own name.
  var sender: String?
  var values: [BusValue] = []

  enum Failure: Error, Equatable { case malformed }

  /// The message that starts at an offset, and its length; nil if it is not complete yet.
  static func parse(
    _ bytes: [UInt8], at base: Int = 0
  ) throws(Failure) -> (message: BusMessage?, length: Int)? {
    guard base >= 0, bytes.count - base >= 16 else { return nil }
    let order = bytes[base]
    guard [UInt8(ascii: "l"), UInt8(ascii: "B")].contains(order), bytes[base + 3] == 1 else {
      throw .malformed
    }
    let isBigEndian = order == UInt8(ascii: "B")
    var reader = BusReader(bytes, in: base + 4..<bytes.count, base: base, isBigEndian: isBigEndian)
    guard let bodyLength = reader.integer(4), let serial = reader.integer(4),
      let fieldsLength = reader.integer(4),
      bodyLength <= Self.limit, fieldsLength <= Self.limit
    else { throw .malformed }
    let fieldsEnd = 16 + Int(fieldsLength)
    let bodyStart = (fieldsEnd + 7) / 8 * 8
    let end = bodyStart + Int(bodyLength)
    guard end <= Self.limit else { throw .malformed }
    guard bytes.count - base >= end else { return nil }
    // Unknown kinds are skipped.
    guard let kind = Kind(rawValue: bytes[base + 1]) else { return (nil, end) }
    var message = BusMessage(kind: kind, serial: UInt32(truncatingIfNeeded: serial))
    var signature = ""
    var fields = BusReader(
      bytes, in: base + 12..<base + fieldsEnd, base: base, isBigEndian: isBigEndian)
    guard let list = fields.values("a(yv)")?.first, case .list(let entries) = list else { throw .malformed }
    for case .list(let entry) in entries where entry.count == 2 {
      switch entry[0].number {
      case 1: message.path = entry[1].text
      case 3: message.member = entry[1].text
      case 4: message.errorName = entry[1].text
      case 5: message.replySerial = entry[1].number.map { UInt32(truncatingIfNeeded: $0) }
      case 7: message.sender = entry[1].text
      case 8: signature = entry[1].text ?? ""
      default: break
      }
    }
    var body = BusReader(
      bytes, in: base + bodyStart..<base + end, base: base, isBigEndian: isBigEndian)
    guard let values = body.values(signature) else { throw .malformed }
    message.values = values
    return (message, end)
  }

  /// A method call; `body` has been written by a `BusWriter` for the signature.
  static func call(
    _ destination: String, _ path: String, _ interface: String, _ member: String, signature: String = "",
    body: BusWriter = BusWriter(), serial: UInt32
  ) -> [UInt8] {
    var fields = BusWriter()
    fields.field(1, "o", path)
    fields.field(2, "s", interface)
    fields.field(3, "s", member)
    fields.field(6, "s", destination)
    if !signature.isEmpty { fields.field(8, "g", signature) }
    return bytes(.call, fields, body, serial: serial)
  }

  /// An answer without values to a call, or the error that it ends with.
  static func answer(to call: BusMessage, error: String?, serial: UInt32) -> [UInt8] {
    var fields = BusWriter()
    if let error { fields.field(4, "s", error) }
    fields.align(8)
    fields.byte(5)
    fields.signature("u")
    fields.number(call.serial)
    if let sender = call.sender { fields.field(6, "s", sender) }
    return bytes(error == nil ? .reply : .error, fields, BusWriter(), serial: serial)
  }

  private static func bytes(
    _ kind: Kind, _ fields: BusWriter, _ body: BusWriter, serial: UInt32
  ) -> [UInt8] {
    var message = BusWriter()
    message.byte(UInt8(ascii: "l"))
    message.byte(kind.rawValue)
    message.byte(0)
    message.byte(1)
    message.number(UInt32(body.bytes.count))
    message.number(serial)
    message.number(UInt32(fields.bytes.count))
    message.bytes += fields.bytes
    message.align(8)
    return message.bytes + body.bytes
  }
}

/// Writes values, little endian. Its first octet must be at a multiple of 8 in the message.
struct BusWriter {
  var bytes: [UInt8] = []

  mutating func align(_ boundary: Int) {
    while bytes.count % boundary != 0 { bytes.append(0) }
  }

  mutating func byte(_ byte: UInt8) { bytes.append(byte) }

  mutating func number(_ number: UInt32) {
    align(4)
    bytes.append(littleEndian: number)
  }

  mutating func text(_ text: String) {
    number(UInt32(text.utf8.count))
    bytes += text.utf8
    bytes.append(0)
  }

  mutating func signature(_ signature: String) {
    bytes.append(UInt8(truncatingIfNeeded: signature.utf8.count))
    bytes += signature.utf8
    bytes.append(0)
  }

  /// A header field (D-Bus Specification, "Header Fields").
  fileprivate mutating func field(_ code: UInt8, _ type: String, _ text: String) {
    align(8)
    byte(code)
    signature(type)
    if type == "g" { signature(text) } else { self.text(text) }
  }

  /// `a{sv}` of texts and flags.
  mutating func dictionary(_ entries: [(String, BusValue)]) {
    var content = BusWriter()
    for (key, value) in entries {
      content.align(8)
      content.text(key)
      switch value {
      case .flag(let flag):
        content.signature("b")
        content.number(flag ? 1 : 0)
      case .text(let word):
        content.signature("s")
        content.text(word)
      default: break
      }
    }
    number(UInt32(content.bytes.count))
    align(8)
    bytes += content.bytes
  }
}
