extension OutputSpan<UInt8> {
  /// Appends all octets of a text; the standard library copies them to a span one by one as yet.
  mutating func append(contentsOf text: Span<UInt8>) {
    text.withUnsafeBytes { append(copying: $0) }
  }

  mutating func append(contentsOf text: StaticString) {
    text.withUTF8Buffer { append(copying: UnsafeRawBufferPointer($0)) }
  }

  private mutating func append(copying octets: UnsafeRawBufferPointer) {
    withUnsafeMutableBufferPointer { buffer, count in
      precondition(octets.count <= buffer.count - count, "no room for \(octets.count) octets")
      UnsafeMutableRawBufferPointer(rebasing: UnsafeMutableRawBufferPointer(buffer)[count...])
        .copyMemory(from: octets)
      count += octets.count
    }
  }

  /// Appends 16 hexadecimal digits.
  mutating func append(hexadecimal number: UInt64) {
    for shift in stride(from: 60, through: 0, by: -4) {
      append(hexadecimal: UInt8(truncatingIfNeeded: number >> UInt64(shift)) & 15)
    }
  }

  mutating func append(hexadecimal nibble: UInt8) { append(nibble + (nibble < 10 ? 0x30 : 0x57)) }
}
