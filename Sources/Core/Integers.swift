/// Reads integers from raw bytes with bounds checks. A decoder checks the length first, so that a short payload is
/// declined and never traps.
extension Span<UInt8> {
  /// The integer at an offset, in the byte order of this machine.
  @inlinable @inline(__always)
  package func load<Integer: FixedWidthInteger & BitwiseCopyable>(_ offset: Int, as type: Integer.Type)
    -> Integer
  {
    // Unsafe in general because a type may have invalid bit patterns; integers have none.
    unsafe bytes.unsafeLoadUnaligned(fromByteOffset: offset, as: type)
  }

  @inlinable @inline(__always) package func bigEndian16(at offset: Int) -> UInt16 {
    UInt16(bigEndian: load(offset, as: UInt16.self))
  }

  @inlinable @inline(__always) package func littleEndian16(at offset: Int) -> UInt16 {
    UInt16(littleEndian: load(offset, as: UInt16.self))
  }

  @inlinable @inline(__always) package func bigEndian24(at offset: Int) -> UInt32 {
    UInt32(bigEndian16(at: offset)) << 8 | UInt32(self[offset + 2])
  }

  @inlinable @inline(__always) package func littleEndian24(at offset: Int) -> UInt32 {
    UInt32(littleEndian16(at: offset)) | UInt32(self[offset + 2]) << 16
  }

  @inlinable @inline(__always) package func bigEndian32(at offset: Int) -> UInt32 {
    UInt32(bigEndian: load(offset, as: UInt32.self))
  }

  @inlinable @inline(__always) package func littleEndian32(at offset: Int) -> UInt32 {
    UInt32(littleEndian: load(offset, as: UInt32.self))
  }

  /// A 48-bit device address, most significant octet first.
  @inlinable @inline(__always) package func bigEndian48(at offset: Int) -> UInt64 {
    UInt64(bigEndian16(at: offset)) << 32 | UInt64(bigEndian32(at: offset + 2))
  }

  /// A 48-bit device address as HCI and BTHome carry it: least significant octet first.
  @inlinable @inline(__always) package func littleEndian48(at offset: Int) -> UInt64 {
    UInt64(littleEndian32(at: offset)) | UInt64(littleEndian16(at: offset + 4)) << 32
  }

  @inlinable @inline(__always) package func littleEndian64(at offset: Int) -> UInt64 {
    UInt64(littleEndian: load(offset, as: UInt64.self))
  }

  @inlinable @inline(__always) package func bigEndian64(at offset: Int) -> UInt64 {
    UInt64(bigEndian: load(offset, as: UInt64.self))
  }

  @inlinable @inline(__always) package func bigEndian128(at offset: Int) -> UInt128 {
    UInt128(bigEndian64(at: offset)) << 64 | UInt128(bigEndian64(at: offset + 8))
  }

  @inlinable @inline(__always) package func signed8(at offset: Int) -> Int8 { Int8(bitPattern: self[offset]) }
}

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
