/// A whole JSON text (RFC 8259) as values, for texts that are not read value by value. The number of values and their depth are
/// limited, so a hostile text costs a bounded amount of memory.
package enum JSONTree: Equatable, Sendable {
  case null
  case flag(Bool)
  case number(Double)
  case text(String)
  case list([JSONTree])
  case object([Member])

  package struct Member: Equatable, Sendable {
    package var name: String
    package var value: JSONTree
  }

  /// The most values in one text.
  package static let limit = 20_000

  /// - Parameter limit: the most values.
  package init(_ bytes: [UInt8], limit: Int = Self.limit) throws(JSONCursor.Malformed) {
    let bytes = bytes.span
    var cursor = JSONCursor()
    var room = limit
    self = try Self.value(bytes, &cursor, depth: 0, room: &room)
    guard cursor.peek(bytes) == nil else { throw cursor.malformed("nothing may follow the value") }
  }

  /// The first member of this name, if this is an object.
  package subscript(name: String) -> JSONTree? {
    guard case .object(let members) = self else { return nil }
    return members.first { $0.name == name }?.value
  }

  private static func value(
    _ bytes: Span<UInt8>, _ cursor: inout JSONCursor, depth: Int, room: inout Int
  ) throws(JSONCursor.Malformed) -> JSONTree {
    guard depth < JSONCursor.deepest else {
      throw cursor.malformed("nested deeper than \(JSONCursor.deepest) levels")
    }
    guard room > 0 else { throw cursor.malformed("there are too many values") }
    room -= 1
    switch cursor.peek(bytes) {
    case UInt8(ascii: "\""): return .text(try JSONString.decode(cursor.string(bytes), of: bytes))
    case UInt8(ascii: "{"):
      cursor.position += 1
      var members: [Member] = []
      if cursor.take("}", bytes) { return .object(members) }
      repeat {
        let name = try JSONString.decode(cursor.string(bytes), of: bytes)
        try cursor.expect(":", bytes, "a colon belongs between key and value")
        members.append(
          Member(name: name, value: try value(bytes, &cursor, depth: depth + 1, room: &room)))
      } while cursor.take(",", bytes)
      try cursor.expect("}", bytes, "the object has no closing brace")
      return .object(members)
    case UInt8(ascii: "["):
      cursor.position += 1
      var elements: [JSONTree] = []
      if cursor.take("]", bytes) { return .list(elements) }
      repeat {
        elements.append(try value(bytes, &cursor, depth: depth + 1, room: &room))
      } while cursor.take(",", bytes)
      try cursor.expect("]", bytes, "the array has no closing bracket")
      return .list(elements)
    case UInt8(ascii: "t") where cursor.takeWord("true", bytes): return .flag(true)
    case UInt8(ascii: "f") where cursor.takeWord("false", bytes): return .flag(false)
    case UInt8(ascii: "n") where cursor.takeWord("null", bytes): return .null
    default: return .number(try cursor.double(bytes))
    }
  }
}

extension JSONTree {
  /// A member that is text.
  package func text(_ name: String) -> String? {
    if case .text(let text)? = self[name] { text } else { nil }
  }

  /// A member that is true or false.
  package func flag(_ name: String) -> Bool? {
    if case .flag(let flag)? = self[name] { flag } else { nil }
  }

  /// Whether the member is missing or null.
  package func lacks(_ name: String) -> Bool { self[name].map { $0 == .null } ?? true }

  /// nil for anything but a whole number that a double holds exactly.
  package var wholeNumber: Int64? {
    guard case .number(let number) = self, number.magnitude <= 9_007_199_254_740_992 else { return nil }
    return Int64(exactly: number)
  }
}
