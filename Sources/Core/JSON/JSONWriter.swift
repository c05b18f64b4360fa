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
    // A beacon's state, or the occupancy of a zone with few.
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

  /// A member's name, in which nothing needs an escape; its value must follow.
  public mutating func key(_ name: StaticString) {
    element(octets: name.utf8CodeUnitCount + 3) { json in
      json.append(UInt8(ascii: "\""))
      json.append(name)
      json.append(UInt8(ascii: "\""))
      json.append(UInt8(ascii: ":"))
    }
    isFollowing = false
  }

  /// A member's name that is known only now; its value must follow.
  public mutating func key(named name: String) {
    value(name)
    bytes.append(UInt8(ascii: ":"))
    isFollowing = false
  }

  public mutating func value(_ text: String) {
    let text = text.utf8
    let isPlain = text.span.isPlainInJSON
    element(octets: escapeLimit(isPlain: isPlain) * text.count + 2) { json in
      json.append(quoted: text, isPlain: isPlain)
    }
  }

  public mutating func value(_ flag: Bool) { literal(flag ? "true" : "false") }

  public mutating func value(_ number: some BinaryInteger) {
    guard let magnitude = UInt64(exactly: number.magnitude) else { return value(digits: String(number)) }
    element(octets: decimalTextLimit) { json in
      if number < 0 { json.append(UInt8(ascii: "-")) }
      json.append(digits: magnitude)
    }
  }

  /// A whole number of more than 64 bits.
  private mutating func value(digits text: String) {
    element(octets: text.utf8.count) { json in
      for octet in text.utf8 { json.append(octet) }
    }
  }

  /// A number rounded to at most this many decimals; null for nil, infinity and "not a number".
  public mutating func value(_ number: Double?, decimals: Int) {
    element(octets: decimalTextLimit) { $0.append(number, decimals: decimals) }
  }

  public mutating func value(_ time: WallTime) {
    element(octets: WallTime.rfc3339Length + 2) { json in
      json.append(UInt8(ascii: "\""))
      json.append(time)
      json.append(UInt8(ascii: "\""))
    }
  }

  public mutating func null() { literal("null") }

  private mutating func literal(_ text: StaticString) {
    element(octets: text.utf8CodeUnitCount) { $0.append(text) }
  }

  private mutating func nested(open: UInt8, close: UInt8, _ body: (inout JSONWriter) -> Void) {
    element(octets: 1) { $0.append(open) }
    isFollowing = false
    body(&self)
    bytes.append(close)
    isFollowing = true
  }

  /// Appends the output of `write`, up to a number of octets, after a comma if one is due.
  @inline(__always)
  mutating func element(octets: Int, _ write: (inout OutputSpan<UInt8>) -> Void) {
    let needsComma = isFollowing
    isFollowing = true
    // The capacity and the uniqueness of the array are checked once for all octets.
    bytes.append(addingCapacity: octets + 1) { json in
      if needsComma { json.append(UInt8(ascii: ",")) }
      write(&json)
    }
  }
}

/// Members whose names are in the source; others are `key(named:)` and a value.
extension JSONWriter {
  public mutating func object(_ name: StaticString, _ members: (inout JSONWriter) -> Void) {
    key(name)
    object(members)
  }
  /// Writes the member, with null for nil.
  public mutating func object<Value>(
    _ name: StaticString, of value: Value?, _ members: (inout JSONWriter, Value) -> Void
  ) {
    key(name)
    if let value { object { members(&$0, value) } } else { null() }
  }
  public mutating func array<Element>(
    _ name: StaticString, _ elements: some Sequence<Element>, _ write: (inout JSONWriter, Element) -> Void
  ) {
    key(name)
    array(elements, write)
  }
  /// An array with an object for each element.
  public mutating func objects<Element>(
    _ name: StaticString, _ elements: some Sequence<Element>, _ members: (inout JSONWriter, Element) -> Void
  ) {
    array(name, elements) { json, element in json.object { members(&$0, element) } }
  }
  /// Writes the member, with null for nil.
  public mutating func field(_ name: StaticString, _ text: String?) {
    key(name)
    if let text { value(text) } else { null() }
  }
  public mutating func field(_ name: StaticString, _ flag: Bool) {
    key(name)
    value(flag)
  }
  public mutating func field(_ name: StaticString, _ number: some BinaryInteger) {
    key(name)
    value(number)
  }
  /// Writes the member, with null for nil.
  public mutating func field(_ name: StaticString, _ time: WallTime?) {
    key(name)
    if let time { value(time) } else { null() }
  }
  /// Writes the member, with null for nil.
  public mutating func field(_ name: StaticString, _ number: Double?, decimals: Int) {
    key(name)
    value(number, decimals: decimals)
  }
}

extension JSONWriter {
  /// A value that is already JSON text.
  public mutating func value(json: [UInt8]) {
    element(octets: json.count) { text in
      for octet in json { text.append(octet) }
    }
  }
}
