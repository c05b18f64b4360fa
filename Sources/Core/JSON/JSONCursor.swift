/// Reads the tokens of a JSON text (RFC 8259) in place. Values that are not wanted are checked for structure and skipped. It
/// stores only its position; the bytes are passed in each time.
package struct JSONCursor {
  package struct Malformed: Error {
    /// Offset into the line.
    package var offset: Int
    package var message: String

    package init(offset: Int, message: String) {
      self.offset = offset
      self.message = message
    }
  }

  /// The deepest nesting of a value; deeper ones count as an attack.
  package static let deepest = 32

  package var position = 0

  package init() {}

  /// The next byte that is not white space; nil at the end.
  package mutating func peek(_ bytes: Span<UInt8>) -> UInt8? {
    while position < bytes.count {
      let byte = bytes[position]
      guard byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D else { return byte }
      position += 1
    }
    return nil
  }

  /// Skips the byte if it comes next, and returns whether it did.
  package mutating func take(_ character: Unicode.Scalar, _ bytes: Span<UInt8>) -> Bool {
    guard peek(bytes) == UInt8(ascii: character) else { return false }
    position += 1
    return true
  }

  package mutating func expect(
    _ character: Unicode.Scalar, _ bytes: Span<UInt8>, _ message: String
  ) throws(Malformed) {
    guard take(character, bytes) else { throw malformed(message) }
  }

  package func malformed(_ message: String) -> Malformed { Malformed(offset: position, message: message) }

  /// The range of a string's bytes, without its quotation marks and with its escapes; see `JSONString.decode`.
  package mutating func string(_ bytes: Span<UInt8>) throws(Malformed) -> Range<Int> {
    try expect("\"", bytes, "a string in quotation marks belongs here")
    let start = position
    while position < bytes.count {
      switch bytes[position] {
      case UInt8(ascii: "\""):
        position += 1
        return start..<position - 1
      case UInt8(ascii: "\\"): position += 2
      case 0..<0x20: throw malformed("a control character inside a string")
      default: position += 1
      }
    }
    position = bytes.count
    throw malformed("the string has no closing quotation mark")
  }

  /// Skips `true`, `false` or `null` if one of them comes next.
  package mutating func takeWord(_ word: StaticString, _ bytes: Span<UInt8>) -> Bool {
    guard peek(bytes) != nil else { return false }
    let length = word.utf8CodeUnitCount
    guard bytes.count - position >= length else { return false }
    guard bytes.extracting(position..<position + length).equals(word) else { return false }
    position += length
    return true
  }

  package mutating func skipValue(_ bytes: Span<UInt8>, depth: Int = 0) throws(Malformed) {
    guard depth < Self.deepest else { throw malformed("nested deeper than \(Self.deepest) levels") }
    switch peek(bytes) {
    case UInt8(ascii: "\""): _ = try string(bytes)
    case UInt8(ascii: "{"):
      position += 1
      if take("}", bytes) { return }
      repeat {
        _ = try string(bytes)
        try expect(":", bytes, "a colon belongs between key and value")
        try skipValue(bytes, depth: depth + 1)
      } while take(",", bytes)
      try expect("}", bytes, "the object has no closing brace")
    case UInt8(ascii: "["):
      position += 1
      if take("]", bytes) { return }
      repeat { try skipValue(bytes, depth: depth + 1) } while take(",", bytes)
      try expect("]", bytes, "the array has no closing bracket")
    case UInt8(ascii: "t") where takeWord("true", bytes): break
    case UInt8(ascii: "f") where takeWord("false", bytes): break
    case UInt8(ascii: "n") where takeWord("null", bytes): break
    default: _ = try number(bytes)
    }
  }
}

extension Span where Element == UInt8 {
  /// Whether these are the bytes of an ASCII word.
  package func equals(_ word: StaticString) -> Bool {
    guard count == word.utf8CodeUnitCount else { return false }
    return word.withUTF8Buffer { characters in
      for index in indices where unsafe characters[index] != self[index] { return false }
      return true
    }
  }
}

extension JSONCursor {
  /// Reads an object, and calls `body` with the name of each member; `body` reads the value.
  package mutating func members(
    _ bytes: Span<UInt8>, _ body: (String, inout JSONCursor) throws(Malformed) -> Void
  ) throws(Malformed) {
    try expect("{", bytes, "an object belongs here")
    if take("}", bytes) { return }
    repeat {
      let name = try JSONString.decode(string(bytes), of: bytes)
      try expect(":", bytes, "a colon belongs between key and value")
      try body(name, &self)
    } while take(",", bytes)
    try expect("}", bytes, "the object has no closing brace")
  }

  /// Reads an array; `body` reads each element.
  package mutating func elements(
    _ bytes: Span<UInt8>, _ body: (inout JSONCursor) throws(Malformed) -> Void
  ) throws(Malformed) {
    try expect("[", bytes, "an array belongs here")
    if take("]", bytes) { return }
    repeat { try body(&self) } while take(",", bytes)
    try expect("]", bytes, "the array has no closing bracket")
  }
}
