/// Integers in a stated byte order, read in place. Out of bounds traps, so callers check lengths first.
extension Span where Element == UInt8 {
  @inlinable func bigEndian16(at offset: Int) -> UInt16 { UInt16(bigEndian: load(offset)) }
  @inlinable func bigEndian32(at offset: Int) -> UInt32 { UInt32(bigEndian: load(offset)) }
  @inlinable func bigEndian64(at offset: Int) -> UInt64 { UInt64(bigEndian: load(offset)) }
  @inlinable func littleEndian16(at offset: Int) -> UInt16 { UInt16(littleEndian: load(offset)) }
  @inlinable func littleEndian32(at offset: Int) -> UInt32 { UInt32(littleEndian: load(offset)) }

  /// Any bit pattern is an integer and the load checks its bounds, so nothing here can go wrong in memory.
  @inlinable func load<Integer: FixedWidthInteger & BitwiseCopyable>(_ offset: Int) -> Integer {
    unsafe bytes.unsafeLoadUnaligned(fromByteOffset: offset, as: Integer.self)
  }
}

/// The order a capture file was written in, which its magic number tells.
enum ByteOrder: Sendable {
  case big, little

  func integer16(_ bytes: Span<UInt8>, at offset: Int) -> UInt16 {
    self == .big ? bytes.bigEndian16(at: offset) : bytes.littleEndian16(at: offset)
  }

  func integer32(_ bytes: Span<UInt8>, at offset: Int) -> UInt32 {
    self == .big ? bytes.bigEndian32(at: offset) : bytes.littleEndian32(at: offset)
  }
}

extension Array where Element == UInt8 {
  mutating func append(bigEndian value: some FixedWidthInteger) {
    for shift in stride(from: value.bitWidth - 8, through: 0, by: -8) {
      append(UInt8(truncatingIfNeeded: value >> shift))
    }
  }

  mutating func append(littleEndian value: some FixedWidthInteger) {
    for shift in stride(from: 0, to: value.bitWidth, by: 8) {
      append(UInt8(truncatingIfNeeded: value >> shift))
    }
  }

  mutating func append(_ bytes: Span<UInt8>) {
    for offset in bytes.indices { append(bytes[offset]) }
  }
}
