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
    separate()
    quoted(name)
    bytes.append(UInt8(ascii: ":"))
    isFollowing = false
  }

  public mutating func value(_ text: String) {
    separate()
    quoted(text)
  }

  public mutating func value(_ flag: Bool) { literal(flag ? "true" : "false") }

  public mutating func value(_ number: some BinaryInteger) {
    separate()
    guard let magnitude = UInt64(exactly: number.magnitude) else {
      return bytes.append(contentsOf: String(number).utf8)
    }
    if number < 0 { bytes.append(UInt8(ascii: "-")) }
    bytes.append(digits: magnitude)
  }

  /// A number rounded to at most so many decimals; JSON knows no infinity and no "not a number": null.
  public mutating func value(_ number: Double, decimals: Int) {
    separate()
    if !bytes.append(number, decimals: decimals) { bytes.append(contentsOf: "null".utf8) }
  }

  public mutating func value(_ time: WallTime) {
    separate()
    bytes.append(UInt8(ascii: "\""))
    time.write(to: &bytes)
    bytes.append(UInt8(ascii: "\""))
  }

  public mutating func null() { literal("null") }

  private mutating func literal(_ text: String) {
    separate()
    bytes.append(contentsOf: text.utf8)
  }

  private mutating func separate() {
    if isFollowing { bytes.append(UInt8(ascii: ",")) }
    isFollowing = true
  }

  private mutating func nested(open: UInt8, close: UInt8, _ body: (inout JSONWriter) -> Void) {
    separate()
    bytes.append(open)
    isFollowing = false
    body(&self)
    bytes.append(close)
    isFollowing = true
  }

  private mutating func quoted(_ text: String) {
    bytes.append(UInt8(ascii: "\""))
    if Self.isPlain(text.utf8.span) {
      bytes.append(contentsOf: text.utf8)
    } else {
      for unit in text.utf8 { escaped(unit) }
    }
    bytes.append(UInt8(ascii: "\""))
  }

  /// Whether no octet needs escaping, as in nearly every name.
  private static func isPlain(_ text: Span<UInt8>) -> Bool {
    for index in text.indices where needsEscape(text[index]) { return false }
    return true
  }

  private static func needsEscape(_ unit: UInt8) -> Bool {
    unit < 0x20 || unit == 0x7F || unit == UInt8(ascii: "\"") || unit == UInt8(ascii: "\\")
  }

  private mutating func escaped(_ unit: UInt8) {
    guard Self.needsEscape(unit) else { return bytes.append(unit) }
    bytes.append(UInt8(ascii: "\\"))
    if unit >= 0x20, unit != 0x7F { return bytes.append(unit) }
    bytes.append(contentsOf: "u00".utf8)
    for nibble in [unit >> 4, unit & 15] { bytes.append(nibble + (nibble < 10 ? 0x30 : 0x57)) }
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
