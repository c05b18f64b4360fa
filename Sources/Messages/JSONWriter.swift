import Beacons

/// Writes JSON with fields in the order in which they are given, so that the same values always make the
/// same bytes. It writes RFC 8259 text in UTF-8, without white space.
public struct JSONWriter: Sendable {
  public private(set) var bytes: [UInt8] = []
  /// Whether the next member or element needs a comma before it.
  private var isFollowing = false

  public init() {}

  public var text: String { String(decoding: bytes, as: UTF8.self) }

  /// One JSON object as text.
  public static func object(_ members: (inout JSONWriter) -> Void) -> [UInt8] {
    var writer = JSONWriter()
    // A transition with its names.
    writer.bytes.reserveCapacity(384)
    writer.object(members)
    return writer.bytes
  }

  public mutating func object(_ members: (inout JSONWriter) -> Void) {
    nested(open: UInt8(ascii: "{"), close: UInt8(ascii: "}"), members)
  }

  public mutating func array<Element>(
    _ elements: some Sequence<Element>, _ write: (inout JSONWriter, Element) -> Void
  ) {
    nested(open: UInt8(ascii: "["), close: UInt8(ascii: "]")) { writer in
      for element in elements { write(&writer, element) }
    }
  }

  /// A member's name; its value must follow.
  public mutating func key(_ name: String) {
    quoted(name, isName: true)
    isFollowing = false
  }

  public mutating func value(_ text: String) { quoted(text) }

  public mutating func value(_ flag: Bool) { literal(flag ? "true" : "false") }

  public mutating func value(_ number: some BinaryInteger) {
    guard let magnitude = UInt64(exactly: number.magnitude) else { return literal(String(number)) }
    element(octets: 21) { text in
      if number < 0 { text.append(UInt8(ascii: "-")) }
      text.append(digits: magnitude)
    }
  }

  /// A number rounded to at most so many decimals; JSON knows no infinity and no "not a number": null.
  public mutating func value(_ number: Double, decimals: Int) {
    guard number.isFinite else { return null() }
    element(octets: decimalTextLimit) { $0.append(number, decimals: decimals) }
  }

  public mutating func value(_ time: WallTime) {
    element(octets: WallTime.rfc3339Length + 2) { text in
      text.append(UInt8(ascii: "\""))
      text.append(time)
      text.append(UInt8(ascii: "\""))
    }
  }

  /// 32 hexadecimal digits in quotes.
  mutating func value(hexadecimal number: UInt128) {
    element(octets: 34) { text in
      text.append(UInt8(ascii: "\""))
      text.append(hexadecimal: number)
      text.append(UInt8(ascii: "\""))
    }
  }

  public mutating func null() { literal("null") }

  private mutating func literal(_ text: String) {
    let text = text.utf8
    element(octets: text.count) { $0.append(contentsOf: text.span) }
  }

  /// What `write` appends, at most so many octets, after the comma that is due.
  private mutating func element(octets: Int, _ write: (inout OutputSpan<UInt8>) -> Void) {
    let needsComma = isFollowing
    isFollowing = true
    // Room is asked for, and the array made sure to be ours, once for all octets.
    bytes.append(addingCapacity: octets + 1) { text in
      if needsComma { text.append(UInt8(ascii: ",")) }
      write(&text)
    }
  }

  private mutating func nested(open: UInt8, close: UInt8, _ body: (inout JSONWriter) -> Void) {
    element(octets: 1) { $0.append(open) }
    isFollowing = false
    body(&self)
    bytes.append(close)
    isFollowing = true
  }

  private mutating func quoted(_ text: String, isName: Bool = false) {
    let text = text.utf8
    let isPlain = Self.isPlain(text.span)
    // An escape takes six octets.
    element(octets: (isPlain ? 1 : 6) * text.count + 3) { json in
      json.append(UInt8(ascii: "\""))
      if isPlain {
        json.append(contentsOf: text.span)
      } else {
        for unit in text { json.append(escaped: unit) }
      }
      json.append(UInt8(ascii: "\""))
      if isName { json.append(UInt8(ascii: ":")) }
    }
  }

  /// Whether no octet needs escaping, as in nearly every name.
  private static func isPlain(_ text: Span<UInt8>) -> Bool {
    // All are looked at, for then there is no branch at each.
    var isPlain = true
    for index in text.indices { isPlain = isPlain && !text[index].needsEscape }
    return isPlain
  }
}

extension JSONWriter {
  public mutating func field(_ name: String, _ text: String) {
    key(name)
    value(text)
  }
  public mutating func field(_ name: String, _ flag: Bool) {
    key(name)
    value(flag)
  }
  public mutating func field(_ name: String, _ number: some BinaryInteger) {
    key(name)
    value(number)
  }
  public mutating func field(_ name: String, _ time: WallTime) {
    key(name)
    value(time)
  }
  public mutating func field(_ name: String, _ number: Double, decimals: Int) {
    key(name)
    value(number, decimals: decimals)
  }
  /// Writes the member with null where there is no number.
  public mutating func field(_ name: String, _ number: Double?, decimals: Int) {
    key(name)
    if let number { value(number, decimals: decimals) } else { null() }
  }
}

extension UInt8 {
  fileprivate var needsEscape: Bool {
    self < 0x20 || self == 0x7F || self == UInt8(ascii: "\"") || self == UInt8(ascii: "\\")
  }
}

extension OutputSpan<UInt8> {
  fileprivate mutating func append(escaped unit: UInt8) {
    guard unit.needsEscape else { return append(unit) }
    append(UInt8(ascii: "\\"))
    if unit >= 0x20, unit != 0x7F { return append(unit) }
    append(contentsOf: "u00".utf8.span)
    append(hexadecimal: unit >> 4)
    append(hexadecimal: unit & 15)
  }
}
