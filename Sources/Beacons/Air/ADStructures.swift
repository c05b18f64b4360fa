/// Walks the AD structures of an advertisement payload (Core Specification Supplement, Part A, 1;
/// Core Specification, Vol 3, Part C, 11):
///
///     length   1  bytes that follow, type included
///     type     1
///     data     length − 1
///
/// A length of zero ends the payload early. A length beyond the end is declined; the structures
/// before it remain valid.
///
/// It keeps only offsets, so it is a plain value beside the bytes:
///
///     var structures = ADStructures()
///     while let next = structures.next(in: payload) { … }
public struct ADStructures: Sendable {
  public enum Element: Hashable, Sendable {
    /// The type, and the position of the data in the payload.
    case structure(type: UInt8, data: Range<Int>)
    /// The last element: its length is wrong.
    case declined(type: UInt8?, Decline)
  }

  @usableFromInline var offset = 0

  @inlinable public init() {}

  @inlinable public mutating func next(in payload: Span<UInt8>) -> Element? {
    guard offset < payload.count else { return nil }
    let length = Int(payload[offset])
    let start = offset + 1
    let rest = payload.count - start
    guard length > 0 else {
      offset = payload.count
      return nil
    }
    guard length <= rest else {
      offset = payload.count
      return .declined(type: rest > 0 ? payload[start] : nil, .truncated(needs: length, has: rest))
    }
    offset = start + length
    return .structure(type: payload[start], data: (start + 1)..<offset)
  }
}

/// AD types that Beaconkeeper reads (Bluetooth Assigned Numbers, 2.3).
public enum ADType {
  public static let flags: UInt8 = 0x01
  public static let shortenedLocalName: UInt8 = 0x08
  public static let completeLocalName: UInt8 = 0x09
  public static let txPowerLevel: UInt8 = 0x0A
  public static let serviceData16: UInt8 = 0x16
  public static let manufacturerData: UInt8 = 0xFF
}
