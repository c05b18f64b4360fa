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
