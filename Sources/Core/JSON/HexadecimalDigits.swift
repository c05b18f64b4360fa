extension OutputSpan<UInt8> {
  /// Appends 32 hexadecimal digits.
  @_lifetime(self: copy self)
  @inlinable
  package mutating func append(hexadecimal number: UInt128) {
    for shift in stride(from: 96, through: 0, by: -32) {
      append(hexadecimal: UInt32(truncatingIfNeeded: number >> UInt128(shift)))
    }
  }

  /// Appends eight hexadecimal digits, made at once: each in an octet of one word.
  @_lifetime(self: copy self)
  @inlinable @inline(__always)
  mutating func append(hexadecimal number: UInt32) {
    var digits = UInt64(number)
    digits = (digits | digits << 16) & 0x0000_FFFF_0000_FFFF
    digits = (digits | digits << 8) & 0x00FF_00FF_00FF_00FF
    digits = (digits | digits << 4) & 0x0F0F_0F0F_0F0F_0F0F
    // 1 for each of 10 and more: six more carry into the upper half of the octet.
    let letters = (digits + 0x0606_0606_0606_0606) >> 4 & 0x0101_0101_0101_0101
    append(octetsOf: (digits + 0x3030_3030_3030_3030 + letters * 0x27).bigEndian)
  }
}
