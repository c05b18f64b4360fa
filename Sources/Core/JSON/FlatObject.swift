/// A JSON object without nested arrays or objects, with the place of each value: a line of a timeline, or an app's report.
package struct FlatObject {
  package enum Value: Hashable {
    case text(String)
    case number(Double)
    case flag(Bool)
    case null
  }

  package struct Member {
    package var name: String
    package var nameOffset: Int
    package var value: Value
    package var valueOffset: Int

    package init(name: String, nameOffset: Int, value: Value, valueOffset: Int) {
      self.name = name
      self.nameOffset = nameOffset
      self.value = value
      self.valueOffset = valueOffset
    }

    /// An error about the value.
    package func malformed(_ message: String) -> JSONCursor.Malformed {
      JSONCursor.Malformed(offset: valueOffset, message: message)
    }

    /// An error about the name.
    package func misnamed(_ message: String) -> JSONCursor.Malformed {
      JSONCursor.Malformed(offset: nameOffset, message: message)
    }
  }

  static let memberLimit = 32

  package private(set) var members: [Member] = []

  package init(_ bytes: [UInt8]) throws(JSONCursor.Malformed) {
    let bytes = bytes.span
    var cursor = JSONCursor()
    try cursor.expect("{", bytes, "a JSON object is wanted")
    if !cursor.take("}", bytes) {
      repeat {
        _ = cursor.peek(bytes)
        let nameOffset = cursor.position
        let name = try JSONString.decode(cursor.string(bytes), of: bytes)
        try cursor.expect(":", bytes, "a colon is wanted after the name")
        _ = cursor.peek(bytes)
        let valueOffset = cursor.position
        let value = try Self.value(bytes, &cursor)
        members.append(Member(name: name, nameOffset: nameOffset, value: value, valueOffset: valueOffset))
        guard members.count <= Self.memberLimit else {
          throw JSONCursor.Malformed(offset: nameOffset, message: "too many members")
        }
      } while cursor.take(",", bytes)
      try cursor.expect("}", bytes, "a comma or the end of the object is wanted")
    }
    guard cursor.peek(bytes) == nil else { throw cursor.malformed("nothing may follow the object") }
  }

  /// The members by name. All must be among these names, and none may occur twice.
  ///
  /// - Parameter whole: what they are members of, for messages.
  package func members(
    named names: [String], of whole: String = ""
  ) throws(JSONCursor.Malformed) -> [String: Member] {
    var found: [String: Member] = [:]
    for member in members {
      guard names.contains(member.name) else {
        throw member.misnamed(
          "no member\(whole) is called \"\(member.name.prefix(40))\"; \(names.joined(separator: ", "))")
      }
      guard found.updateValue(member, forKey: member.name) == nil else {
        throw member.misnamed("\"\(member.name)\" stands here twice")
      }
    }
    return found
  }

  private static func value(
    _ bytes: Span<UInt8>, _ cursor: inout JSONCursor
  ) throws(JSONCursor.Malformed) -> Value {
    switch cursor.peek(bytes) {
    case UInt8(ascii: "\""): return .text(try JSONString.decode(cursor.string(bytes), of: bytes))
    case UInt8(ascii: "t") where cursor.takeWord("true", bytes): return .flag(true)
    case UInt8(ascii: "f") where cursor.takeWord("false", bytes): return .flag(false)
    case UInt8(ascii: "n") where cursor.takeWord("null", bytes): return .null
    case UInt8(ascii: "{"), UInt8(ascii: "["):
      throw cursor.malformed("a string, number, true, false or null is wanted")
    default: return .number(try cursor.double(bytes))
    }
  }
}
