/// Writes a snapshot: `BKST`, the number of the layout, the length of the whole, what was written, a checksum over all of that.
/// Integers have their least significant octet first.
public struct StateWriter: Sendable {
  /// Increase it with every change of what is written, or of its order. See `StateReader.init`.
  public static let layout: UInt32 = 15
  static let magic: UInt32 = 0x5453_4B42
  static let head = 16
  static let tail = 8

  @usableFromInline var octets: [UInt8] = []

  public init() {
    append(Self.magic)
    append(Self.layout)
    // The length, once it is known.
    append(0 as UInt64)
  }

  /// - Parameter capacity: octets that are expected.
  public mutating func reserve(_ capacity: Int) { octets.reserveCapacity(capacity) }

  @inlinable public mutating func write<Value: StateCoded>(_ value: Value) { value.write(to: &self) }

  /// How many elements follow.
  @inlinable public mutating func count(_ count: Int) { append(UInt32(count)) }

  @inlinable @inline(__always) mutating func append<Number: FixedWidthInteger & BitwiseCopyable>(
    _ number: Number
  ) {
    unsafe withUnsafeBytes(of: number.littleEndian) { unsafe octets.append(contentsOf: $0) }
  }

  /// A number that two snapshots have in common if the same was written so far.
  public var fingerprint: UInt64 { StateChecksum.of(octets, count: octets.count) }

  public consuming func finished() -> [UInt8] {
    for (place, octet) in Self.octets(of: UInt64(octets.count + Self.tail)).enumerated() {
      octets[8 + place] = octet
    }
    octets += Self.octets(of: StateChecksum.of(octets, count: octets.count))
    return octets
  }

  private static func octets(of number: UInt64) -> [UInt8] {
    (0..<8).map { UInt8(truncatingIfNeeded: number >> (8 * UInt64($0))) }
  }
}

/// Finds every change within eight octets, and all others but one in 2⁶⁴. It is no protection against intent.
package enum StateChecksum {
  package static func of(_ octets: [UInt8], count: Int) -> UInt64 {
    let span = octets.span
    var sum: UInt64 = 0x9E37_79B9_7F4A_7C15
    var offset = 0
    while offset + 8 <= count {
      add(span.littleEndian64(at: offset), to: &sum)
      offset += 8
    }
    while offset < count {
      add(UInt64(span[offset]), to: &sum)
      offset += 1
    }
    return sum
  }

  /// Each step can be undone, so what differs once differs at the end.
  private static func add(_ word: UInt64, to sum: inout UInt64) {
    sum = (sum ^ word) &* 0xBF58_476D_1CE4_E5B9
    sum ^= sum >> 32
  }
}
