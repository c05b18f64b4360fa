/// Integers as raw bytes, in a stated byte order.
extension Array where Element == UInt8 {
  package mutating func append(bigEndian value: some FixedWidthInteger) {
    for shift in stride(from: value.bitWidth - 8, through: 0, by: -8) {
      append(UInt8(truncatingIfNeeded: value >> shift))
    }
  }

  package mutating func append(littleEndian value: some FixedWidthInteger) {
    self += value.littleEndianOctets
  }

  package mutating func append(_ bytes: Span<UInt8>) {
    for offset in bytes.indices { append(bytes[offset]) }
  }
}

extension FixedWidthInteger {
  package var littleEndianOctets: [UInt8] {
    stride(from: 0, to: bitWidth, by: 8).map { UInt8(truncatingIfNeeded: self >> $0) }
  }
}

/// At most 16 octets as a number, the first most significant.
package func number(bigEndian octets: [UInt8]) -> UInt128 { octets.reduce(0) { $0 << 8 | UInt128($1) } }
