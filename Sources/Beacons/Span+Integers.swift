/// Integers out of raw bytes. The subscripts of a span check bounds; a decoder checks the length first,
/// so that a short payload is declined and never traps.
extension Span<UInt8> {
  @inlinable func bigEndian16(at offset: Int) -> UInt16 {
    UInt16(self[offset]) << 8 | UInt16(self[offset + 1])
  }

  @inlinable func littleEndian16(at offset: Int) -> UInt16 {
    UInt16(self[offset]) | UInt16(self[offset + 1]) << 8
  }

  @inlinable func bigEndian24(at offset: Int) -> UInt32 {
    UInt32(bigEndian16(at: offset)) << 8 | UInt32(self[offset + 2])
  }

  @inlinable func bigEndian32(at offset: Int) -> UInt32 {
    UInt32(bigEndian16(at: offset)) << 16 | UInt32(bigEndian16(at: offset + 2))
  }

  @inlinable func bigEndian64(at offset: Int) -> UInt64 {
    UInt64(bigEndian32(at: offset)) << 32 | UInt64(bigEndian32(at: offset + 4))
  }

  @inlinable func bigEndian128(at offset: Int) -> UInt128 {
    UInt128(bigEndian64(at: offset)) << 64 | UInt128(bigEndian64(at: offset + 8))
  }

  /// A 48-bit device address, most significant octet first.
  @inlinable func bigEndian48(at offset: Int) -> UInt64 {
    UInt64(bigEndian16(at: offset)) << 32 | UInt64(bigEndian32(at: offset + 2))
  }

  /// A 48-bit device address as HCI and BTHome carry it: least significant octet first.
  @inlinable func littleEndian48(at offset: Int) -> UInt64 {
    UInt64(littleEndian32(at: offset)) | UInt64(littleEndian16(at: offset + 4)) << 32
  }

  @inlinable func littleEndian32(at offset: Int) -> UInt32 {
    UInt32(littleEndian16(at: offset)) | UInt32(littleEndian16(at: offset + 2)) << 16
  }

  @inlinable func signed8(at offset: Int) -> Int8 { Int8(bitPattern: self[offset]) }
}
