/// Writes values in sequence in few bytes: integers in as many as they need, with nothing between them.
struct PackedWriter {
  private(set) var octets: [UInt8] = []

  /// Seven bits per byte, lowest first; the highest bit says that more follow.
  mutating func write(_ number: UInt64) {
    var rest = number
    while rest > 0x7F {
      octets.append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    octets.append(UInt8(rest))
  }

  /// Small numbers of either sign take few bytes.
  mutating func write(_ number: Int64) { write(UInt64(bitPattern: (number << 1) ^ (number >> 63))) }

  mutating func write(_ number: Double) { append(number.bitPattern, 8) }

  mutating func write(_ flag: Bool) { octets.append(flag ? 1 : 0) }

  mutating func write(_ text: String) {
    write(UInt64(text.utf8.count))
    octets += text.utf8
  }

  mutating func write(_ bytes: [UInt8]) {
    write(UInt64(bytes.count))
    octets += bytes
  }

  private mutating func append(_ bits: UInt64, _ count: Int) {
    for place in 0..<count { octets.append(UInt8(truncatingIfNeeded: bits >> (8 * place))) }
  }

  /// The data, with a checksum to detect damage.
  var sealed: [UInt8] {
    var sealed = self
    sealed.append(UInt64(packedSum(octets[...])), 4)
    return sealed.octets
  }
}

/// Reads the output of `PackedWriter`. Damaged data gives an error, never a trap.
struct PackedReader {
  struct Damaged: Error {}

  private var rest: ArraySlice<UInt8>

  init(sealed octets: [UInt8]) throws(Damaged) {
    guard octets.count >= 4 else { throw Damaged() }
    var sum = PackedReader(octets.suffix(4))
    guard try sum.take(4) == UInt64(packedSum(octets.dropLast(4))) else { throw Damaged() }
    rest = octets.dropLast(4)
  }

  private init(_ octets: ArraySlice<UInt8>) { rest = octets }

  var isAtEnd: Bool { rest.isEmpty }

  mutating func unsigned() throws(Damaged) -> UInt64 {
    var number: UInt64 = 0
    for place in 0..<10 {
      guard let octet = rest.popFirst() else { throw Damaged() }
      number |= UInt64(octet & 0x7F) << (7 * place)
      if octet & 0x80 == 0 { return number }
    }
    throw Damaged()
  }

  mutating func signed() throws(Damaged) -> Int64 {
    let number = try unsigned()
    return Int64(bitPattern: number >> 1) ^ -Int64(bitPattern: number & 1)
  }

  mutating func double() throws(Damaged) -> Double { Double(bitPattern: try take(8)) }

  mutating func finite() throws(Damaged) -> Double {
    let number = try double()
    guard number.isFinite else { throw Damaged() }
    return number
  }

  mutating func flag() throws(Damaged) -> Bool {
    switch rest.popFirst() {
    case 0: return false
    case 1: return true
    default: throw Damaged()
    }
  }

  mutating func text() throws(Damaged) -> String {
    guard let text = String(validating: try octets(), as: UTF8.self) else { throw Damaged() }
    return text
  }

  mutating func octets() throws(Damaged) -> [UInt8] {
    let count = try unsigned()
    guard count <= UInt64(rest.count) else { throw Damaged() }
    defer { rest = rest.dropFirst(Int(count)) }
    return Array(rest.prefix(Int(count)))
  }

  private mutating func take(_ count: Int) throws(Damaged) -> UInt64 {
    guard rest.count >= count else { throw Damaged() }
    var bits: UInt64 = 0
    for (place, octet) in rest.prefix(count).enumerated() { bits |= UInt64(octet) << (8 * place) }
    rest = rest.dropFirst(count)
    return bits
  }
}

/// FNV-1a of 32 bits (RFC 9923).
func packedSum(_ octets: ArraySlice<UInt8>) -> UInt32 {
  octets.reduce(0x811C_9DC5) { ($0 ^ UInt32($1)) &* 0x0100_0193 }
}
