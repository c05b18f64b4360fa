public import Beacons

/// Reads the encrypted BTHome frames of one device.
///
/// The nonce is address (6, most significant octet first), service UUID (2), device information (1) and
/// counter (4). Source: https://bthome.io/encryption
public struct BTHomeDecryptor: Sendable {
  private let cipher: CounterModeWithCBCMAC
  private let checksReplay: Bool
  private var lastCounter: UInt32?
  private var text: [UInt8] = []

  /// `checksReplay` declines counters that go back; a repeated one is the same advertisement again and is
  /// read. Senders that restart from zero (a new battery) need `restart`.
  public init(key: SecretKey, checksReplay: Bool = true) {
    cipher = CounterModeWithCBCMAC(key: key)
    self.checksReplay = checksReplay
  }

  /// Forgets the last counter.
  public mutating func restart() { lastCounter = nil }

  /// Visits the frame as it would look had it not been encrypted, with the data for `forEachReading`.
  /// `frame` was decoded from `data`; `address` is the sender's, used unless the frame includes its own.
  public mutating func open(
    _ frame: BTHome, in data: Span<UInt8>, from address: DeviceAddress,
    _ body: (BTHome, Span<UInt8>) -> Void
  ) throws(Decline) {
    guard case .encrypted(let range, let counter, let tag) = frame.content, range.upperBound <= data.count
    else {
      body(frame, data)
      return
    }
    if checksReplay, let lastCounter, isBehind(counter, lastCounter) { throw .replayed }
    text.removeAll(keepingCapacity: true)
    for offset in range { text.append(data[offset]) }
    let nonce = nonce(frame.address ?? address.bits, frame.information, counter)
    guard cipher.open(&text, nonce: nonce, tag: tag) else { throw .authenticationFailed }
    lastCounter = counter
    text.insert(frame.information & ~0x03, at: 0)
    var opened = try BTHome.decode(text.span)
    opened.information = frame.information
    opened.address = frame.address
    body(opened, text.span)
  }

  /// Counters wrap after 2³²; half the circle ahead is ahead.
  private func isBehind(_ counter: UInt32, _ last: UInt32) -> Bool { counter &- last > 0x8000_0000 }

  private func nonce(_ address: UInt64, _ information: UInt8, _ counter: UInt32) -> [UInt8] {
    var nonce: [UInt8] = []
    nonce.reserveCapacity(13)
    for shift in stride(from: UInt64(40), through: 0, by: -8) {
      nonce.append(UInt8(truncatingIfNeeded: address >> shift))
    }
    nonce.append(UInt8(truncatingIfNeeded: BTHome.serviceUUID & 0xFF))
    nonce.append(UInt8(truncatingIfNeeded: BTHome.serviceUUID >> 8))
    nonce.append(information)
    for shift in stride(from: UInt32(0), through: 24, by: 8) {
      nonce.append(UInt8(truncatingIfNeeded: counter >> shift))
    }
    return nonce
  }
}
