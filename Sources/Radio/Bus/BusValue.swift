/// A D-Bus value (D-Bus Specification, "Type System"), as far as BlueZ uses it.
enum BusValue: Equatable, Sendable {
  case flag(Bool)
  /// Any integer; those above 2⁶³-1 wrap.
  case number(Int64)
  case real(Double)
  /// Strings, object paths and signatures.
  case text(String)
  case bytes([UInt8])
  case list([BusValue])
  case map([String: BusValue])

  var text: String? { if case .text(let text) = self { text } else { nil } }
  var flag: Bool? { if case .flag(let flag) = self { flag } else { nil } }
  var number: Int64? { if case .number(let number) = self { number } else { nil } }
  var bytes: [UInt8]? { if case .bytes(let bytes) = self { bytes } else { nil } }
  var map: [String: BusValue]? { if case .map(let map) = self { map } else { nil } }
}

/// Reads values from a message that may be malformed: then it returns nil.
struct BusReader {
  /// The depth of nested containers; BlueZ needs five.
  private static let depthLimit = 12

  private let bytes: [UInt8]
  private(set) var offset: Int
  private let end: Int
  /// The start of the message, to which alignment refers.
  private let base: Int
  private let isBigEndian: Bool

  init(_ bytes: [UInt8], in range: Range<Int>, base: Int, isBigEndian: Bool) {
    self.bytes = bytes
    offset = range.lowerBound
    end = min(range.upperBound, bytes.count)
    self.base = base
    self.isBigEndian = isBigEndian
  }

  /// All values of a signature.
  mutating func values(_ signature: String) -> [BusValue]? {
    var types = Array(signature.utf8)[...]
    var values: [BusValue] = []
    while !types.isEmpty {
      guard let value = value(&types, depth: 0) else { return nil }
      values.append(value)
    }
    return values
  }

  mutating func align(_ boundary: Int) -> Bool {
    offset = base + (offset - base + boundary - 1) / boundary * boundary
    return offset <= end
  }

  mutating func integer(_ size: Int) -> UInt64? {
    guard align(size), end - offset >= size else { return nil }
    var number: UInt64 = 0
    for place in 0..<size {
      let byte = bytes[offset + (isBigEndian ? place : size - 1 - place)]
      number = number << 8 | UInt64(byte)
    }
    offset += size
    return number
  }

  /// Preceded by its length in this many bytes, and followed by a zero.
  mutating func text(lengthSize: Int) -> String? {
    guard let length = integer(lengthSize), length < UInt64(end - offset) else { return nil }
    let text = String(decoding: bytes[offset..<offset + Int(length)], as: UTF8.self)
    offset += Int(length) + 1
    return text
  }

  private mutating func value(_ types: inout ArraySlice<UInt8>, depth: Int) -> BusValue? {
    guard depth < Self.depthLimit, let type = types.popFirst() else { return nil }
    switch Character(UnicodeScalar(type)) {
    case "y": return integer(1).map { .number(Int64($0)) }
    case "b": return integer(4).map { .flag($0 != 0) }
    case "n": return integer(2).map { .number(Int64(Int16(truncatingIfNeeded: $0))) }
    case "q": return integer(2).map { .number(Int64($0)) }
    case "i": return integer(4).map { .number(Int64(Int32(truncatingIfNeeded: $0))) }
    case "u", "h": return integer(4).map { .number(Int64($0)) }
    case "x", "t": return integer(8).map { .number(Int64(truncatingIfNeeded: $0)) }
    case "d": return integer(8).map { .real(Double(bitPattern: $0)) }
    case "s", "o": return text(lengthSize: 4).map { .text($0) }
    case "g": return text(lengthSize: 1).map { .text($0) }
    case "v":
      guard let signature = text(lengthSize: 1) else { return nil }
      var inner = Array(signature.utf8)[...]
      guard let inside = value(&inner, depth: depth + 1), inner.isEmpty else { return nil }
      return inside
    case "a": return array(&types, depth: depth)
    case "(": return structure(&types, until: UInt8(ascii: ")"), depth: depth).map { .list($0) }
    default: return nil
    }
  }

  private mutating func structure(
    _ types: inout ArraySlice<UInt8>, until close: UInt8, depth: Int
  ) -> [BusValue]? {
    guard align(8) else { return nil }
    var values: [BusValue] = []
    while types.first != close {
      guard let inside = value(&types, depth: depth + 1) else { return nil }
      values.append(inside)
    }
    types = types.dropFirst()
    return values
  }

  private mutating func array(_ types: inout ArraySlice<UInt8>, depth: Int) -> BusValue? {
    guard let length = integer(4), let first = types.first else { return nil }
    let boundary = Self.alignment(of: first)
    guard align(boundary), length <= UInt64(end - offset) else { return nil }
    let stop = offset + Int(length)
    if first == UInt8(ascii: "y") {
      types = types.dropFirst()
      defer { offset = stop }
      return .bytes(Array(bytes[offset..<stop]))
    }
    var values: [BusValue] = []
    var map: [String: BusValue] = [:]
    let isMap = first == UInt8(ascii: "{")
    var rest = types
    while offset < stop {
      rest = types
      let before = offset
      if isMap {
        rest = rest.dropFirst()
        guard let entry = structure(&rest, until: UInt8(ascii: "}"), depth: depth), entry.count == 2 else {
          return nil
        }
        map[Self.key(entry[0])] = entry[1]
      } else {
        guard let inside = value(&rest, depth: depth + 1) else { return nil }
        values.append(inside)
      }
      // An element of no length would never end.
      guard offset > before else { return nil }
    }
    guard offset == stop else { return nil }
    types = length == 0 ? Self.skipType(types) : rest
    return isMap ? .map(map) : .list(values)
  }

  private static func key(_ value: BusValue) -> String {
    switch value {
    case .text(let text): text
    case .number(let number): String(number)
    default: "?"
    }
  }

  private static func alignment(of type: UInt8) -> Int {
    switch Character(UnicodeScalar(type)) {
    case "y", "g", "v": 1
    case "n", "q": 2
    case "x", "t", "d", "(", "{": 8
    default: 4
    }
  }

  /// What follows the first complete type.
  private static func skipType(_ types: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    var depth = 0
    for (place, type) in zip(types.indices, types) {
      switch Character(UnicodeScalar(type)) {
      case "a": continue
      case "(", "{": depth += 1
      case ")", "}": depth -= 1
      default: break
      }
      if depth <= 0 { return types[(place + 1)...] }
    }
    return types[types.endIndex...]
  }
}
