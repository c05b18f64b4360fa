/// Apple and Google's Exposure Notification: service data of 0xFD6F. It comes from phones, never from beacons, and is
/// recognised only to be ignored.
///
///     0   rolling proximity identifier      16
///     16  associated encrypted metadata      4
///
/// Source: Exposure Notification Bluetooth Specification 1.2
public struct ExposureNotification: Hashable, Sendable {
  public var identifier: UInt128
  public var encryptedMetadata: UInt32

  public static func decode(_ data: Span<UInt8>) throws(Decline) -> ExposureNotification {
    guard data.count >= 20 else { throw .wrongLength(expected: 20, got: data.count) }
    return ExposureNotification(
      identifier: data.bigEndian128(at: 0), encryptedMetadata: data.bigEndian32(at: 16))
  }
}
