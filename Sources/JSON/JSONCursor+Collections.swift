extension JSONCursor {
  /// Takes an object, and passes the name of each member to `body`, which takes the value.
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

  /// Takes an array. `body` takes each element.
  package mutating func elements(
    _ bytes: Span<UInt8>, _ body: (inout JSONCursor) throws(Malformed) -> Void
  ) throws(Malformed) {
    try expect("[", bytes, "an array belongs here")
    if take("]", bytes) { return }
    repeat { try body(&self) } while take(",", bytes)
    try expect("]", bytes, "the array has no closing bracket")
  }
}
