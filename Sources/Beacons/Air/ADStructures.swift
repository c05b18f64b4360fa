import Core

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
  public static let incompleteServices16: UInt8 = 0x02
  public static let completeServices16: UInt8 = 0x03
  public static let incompleteServices128: UInt8 = 0x06
  public static let completeServices128: UInt8 = 0x07
  public static let shortenedLocalName: UInt8 = 0x08
  public static let completeLocalName: UInt8 = 0x09
  public static let txPowerLevel: UInt8 = 0x0A
  public static let serviceData16: UInt8 = 0x16
  public static let serviceData128: UInt8 = 0x21
  public static let manufacturerData: UInt8 = 0xFF
}

/// What a payload says about its sender apart from beacon frames.
public struct AdvertisedFields: Hashable, Sendable {
  /// Core Specification Supplement, Part A, 1.3.
  public var flags: UInt8?
  /// Transmit power in dBm (Part A, 1.5).
  public var txPower: Int8?
  /// The position of the local name in the payload; of the complete one if both are there.
  public var localName: Range<Int>?

  public init(_ payload: Span<UInt8>) {
    var structures = ADStructures()
    var nameIsComplete = false
    while case .structure(let type, let data)? = structures.next(in: payload) {
      switch type {
      case ADType.flags where !data.isEmpty: flags = payload[data.lowerBound]
      case ADType.txPowerLevel where !data.isEmpty: txPower = payload.signed8(at: data.lowerBound)
      case ADType.completeLocalName:
        localName = data
        nameIsComplete = true
      case ADType.shortenedLocalName where !nameIsComplete: localName = data
      default: break
      }
    }
  }

  /// The local name as text that is safe for a terminal. Invalid UTF-8 is replaced.
  public static func localName(in payload: Span<UInt8>) -> String? {
    guard let range = AdvertisedFields(payload).localName else { return nil }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(range.count)
    for offset in range { bytes.append(payload[offset]) }
    return String(decoding: bytes, as: UTF8.self).printable
  }
}
