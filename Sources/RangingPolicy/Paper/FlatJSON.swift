/// One line of a timeline file: a JSON object whose values are no arrays or objects, each with its place.
struct FlatJSON {
  enum Value: Hashable {
    case text(String)
    case number(Double)
    case flag(Bool)
    case null
  }

  struct Member {
    var name: String
    var nameOffset: Int
    var value: Value
    var valueOffset: Int
  }

  struct Fault: Error {
    var offset: Int
    var message: String
  }

  private(set) var members: [Member] = []
  private let bytes: [UInt8]
  private var offset = 0

  init(_ bytes: [UInt8]) throws(Fault) {
    self.bytes = bytes
    skipSpace()
    try expect("{", "a JSON object is wanted")
    skipSpace()
    if peek != UInt8(ascii: "}") {
      repeat {
        skipSpace()
        let nameOffset = offset
        let name = try text()
        skipSpace()
        try expect(":", "a colon is wanted after the name")
        skipSpace()
        let valueOffset = offset
        members.append(
          Member(name: name, nameOffset: nameOffset, value: try value(), valueOffset: valueOffset))
        guard members.count <= 32 else { throw Fault(offset: nameOffset, message: "too many members") }
        skipSpace()
      } while take(",")
    }
    try expect("}", "a comma or the end of the object is wanted")
    skipSpace()
    guard offset == bytes.count else { throw fault("nothing may follow the object") }
  }

  private var peek: UInt8? { offset < bytes.count ? bytes[offset] : nil }

  private func fault(_ message: String) -> Fault { Fault(offset: offset, message: message) }

  private mutating func skipSpace() {
    while let byte = peek, byte == 0x20 || byte == 0x09 || byte == 0x0D { offset += 1 }
  }

  private mutating func take(_ character: Unicode.Scalar) -> Bool {
    guard peek == UInt8(ascii: character) else { return false }
    offset += 1
    return true
  }

  private mutating func expect(_ character: Unicode.Scalar, _ message: String) throws(Fault) {
    guard take(character) else { throw fault(message) }
  }

  private mutating func value() throws(Fault) -> Value {
    switch peek {
    case UInt8(ascii: "\""): return .text(try text())
    case UInt8(ascii: "t"): return try word("true", .flag(true))
    case UInt8(ascii: "f"): return try word("false", .flag(false))
    case UInt8(ascii: "n"): return try word("null", .null)
    default: return .number(try number())
    }
  }

  private mutating func word(_ word: String, _ value: Value) throws(Fault) -> Value {
    guard bytes[offset...].starts(with: word.utf8) else { throw fault("a value is wanted") }
    offset += word.utf8.count
    return value
  }

  private mutating func number() throws(Fault) -> Double {
    let start = offset
    while let byte = peek, byte != UInt8(ascii: ","), byte != UInt8(ascii: "}"), byte > 0x20 { offset += 1 }
    let text = String(decoding: bytes[start..<offset], as: UTF8.self)
    let isPlain = text.utf8.allSatisfy { (0x30...0x39).contains($0) || "+-.eE".utf8.contains($0) }
    guard isPlain, text.utf8.count <= 40, let number = Double(text), number.isFinite else {
      throw Fault(offset: start, message: "a string, number, true, false or null is wanted")
    }
    return number
  }

  private mutating func text() throws(Fault) -> String {
    try expect("\"", "a name in double quotes is wanted")
    var content: [UInt8] = []
    while let byte = peek, byte != UInt8(ascii: "\"") {
      guard byte >= 0x20 else { throw fault("a control character must be escaped") }
      offset += 1
      guard byte == UInt8(ascii: "\\") else {
        content.append(byte)
        continue
      }
      let escapes: [UInt8: UInt8] = [
        0x22: 0x22, 0x5C: 0x5C, 0x2F: 0x2F, 0x62: 0x08, 0x66: 0x0C, 0x6E: 0x0A, 0x72: 0x0D, 0x74: 0x09,
      ]
      guard let next = peek, let plain = escapes[next] else {
        throw fault("this escape is not supported here")
      }
      content.append(plain)
      offset += 1
    }
    try expect("\"", "the string has no end")
    return String(decoding: content, as: UTF8.self)
  }
}
