/// BTHome version 2: service data of 0xFCD2. Little endian.
///
///     0   device information  1  bit 0: encrypted, bit 1: address included, bit 2: sends only on events,
///                                bits 5–7: version
///     1   address             6  least significant octet first; only if bit 1 is set
///     …   objects             object id (1), then a value whose length depends on the id; see `BTHomeObject`
///
/// Encrypted, the objects are AES-CCM ciphertext, followed by
///
///     …   counter             4
///     …   tag                 4
///
/// A receiver stops at the first unknown object id; the objects before it are valid.
/// Source: https://bthome.io/format, https://bthome.io/encryption
public struct BTHome: Hashable, Sendable {
  public var information: UInt8
  /// The sender's own address, 48 bits, if included.
  public var address: UInt64?
  public var content: Content

  public enum Content: Hashable, Sendable {
    /// The position of the complete, known objects in the data, and why the rest was declined, if there is a rest.
    case objects(Range<Int>, rest: Decline?)
    /// The position of the ciphertext in the data, with the counter and the tag after it.
    case encrypted(Range<Int>, counter: UInt32, tag: UInt32)
  }

  public static let serviceUUID: UInt16 = 0xFCD2

  public var isEncrypted: Bool { information & 0x01 != 0 }
  /// The device sends only when something happens. Its silence proves nothing about its health.
  public var isTriggerBased: Bool { information & 0x04 != 0 }

  public static func decode(_ data: Span<UInt8>) throws(Decline) -> BTHome {
    guard data.count >= 1 else { throw .wrongLength(expected: 1, got: 0) }
    let information = data[0]
    guard information >> 5 == 2 else { throw .unsupportedVersion(information >> 5) }
    var start = 1
    var address: UInt64?
    if information & 0x02 != 0 {
      guard data.count >= 7 else { throw .wrongLength(expected: 7, got: data.count) }
      address = data.littleEndian48(at: 1)
      start = 7
    }
    guard information & 0x01 != 0 else {
      let (end, rest) = BTHomeObject.extent(in: data, from: start)
      if end == start, let rest { throw rest }
      return BTHome(information: information, address: address, content: .objects(start..<end, rest: rest))
    }
    let end = data.count - 8
    guard end >= start else { throw .wrongLength(expected: start + 8, got: data.count) }
    return BTHome(
      information: information, address: address,
      content: .encrypted(
        start..<end, counter: data.littleEndian32(at: end), tag: data.bigEndian32(at: end + 4)))
  }

  /// Visits the readings in `data`, the bytes that were decoded. There are none while it is encrypted.
  @inlinable public func forEachReading(in data: Span<UInt8>, _ body: (Reading) -> Void) {
    guard case .objects(let range, _) = content, range.upperBound <= data.count else { return }
    BTHomeObject.forEachReading(in: data, range, body)
  }
}
