public import Beacons

/// Reads the encrypted BTHome frames of one device, each counter once.
///
/// The nonce is address (6, most significant octet first), service UUID (2), device information (1) and
/// counter (4). Source: https://bthome.io/encryption
///
/// A new battery starts the counter again from zero, so a counter below `restartLimit` is taken although it went
/// back, as Home Assistant's bthome-ble does. Whoever recorded such frames may send them again, and what followed them, until
/// the device itself is heard: its counter is ahead of all of them. Restarts in quick succession are therefore refused.
public struct BTHomeDecryptor: Sendable {
  /// Counters below this may be those of a device that starts anew.
  static let restartLimit: UInt32 = 100
  /// Between two restarts. Longer than a battery needs to be put in twice; a reading that is refused by mistake is
  /// refused no longer.
  static let restartPause = TimeSpan.seconds(600)

  private let cipher: CounterModeWithCBCMAC
  private let checksReplay: Bool
  /// Of the last frame that was opened.
  public private(set) var lastCounter: UInt32?
  private var restarted: MonotonicTime?
  private var text: [UInt8] = []

  public enum Opening: Hashable, Sendable {
    /// The counter went on, or the frame is the last one again.
    case continued
    /// The counter began anew.
    case restarted
  }

  /// - Parameters:
  ///   - checksReplay: declines counters that go back; the same counter is the same advertisement again, and is read.
  ///   - lastCounter: of the last frame that an earlier run opened.
  public init(key: SecretKey, checksReplay: Bool = true, lastCounter: UInt32? = nil) {
    cipher = CounterModeWithCBCMAC(key: key)
    self.checksReplay = checksReplay
    self.lastCounter = lastCounter
  }

  /// Whether it opens frames with this key.
  public func isFor(_ key: SecretKey) -> Bool { cipher.key == key }

  /// Visits the frame as it would look had it not been encrypted, with the data for `forEachReading`.
  /// `frame` was decoded from `data`; `address` is the sender's, used unless the frame includes its own.
  @discardableResult
  public mutating func open(
    _ frame: BTHome, in data: Span<UInt8>, from address: DeviceAddress, at time: MonotonicTime = .zero,
    _ body: (BTHome, Span<UInt8>) -> Void
  ) throws(Decline) -> Opening {
    guard case .encrypted(let range, let counter, let tag) = frame.content, range.upperBound <= data.count
    else {
      body(frame, data)
      return .continued
    }
    let isBehind = checksReplay && lastCounter.map { Self.isBehind(counter, $0) } ?? false
    if isBehind, !mayRestart(with: counter, at: time) { throw .replayed }
    text.removeAll(keepingCapacity: true)
    for offset in range { text.append(data[offset]) }
    let nonce = nonce(frame.address ?? address.bits, frame.information, counter)
    guard cipher.open(&text, nonce: nonce, tag: tag) else { throw .authenticationFailed }
    lastCounter = counter
    if isBehind { restarted = time }
    text.insert(frame.information & ~0x03, at: 0)
    var opened = try BTHome.decode(text.span)
    opened.information = frame.information
    opened.address = frame.address
    body(opened, text.span)
    return isBehind ? .restarted : .continued
  }

  private func mayRestart(with counter: UInt32, at time: MonotonicTime) -> Bool {
    guard counter < Self.restartLimit else { return false }
    return restarted.map { time - $0 >= Self.restartPause } ?? true
  }

  /// Counters wrap after 2³²; half the circle ahead is ahead.
  private static func isBehind(_ counter: UInt32, _ last: UInt32) -> Bool { counter &- last > 0x8000_0000 }

  private func nonce(
    _ address: UInt64, _ information: UInt8, _ counter: UInt32
  ) -> CounterModeWithCBCMAC.Nonce {
    CounterModeWithCBCMAC.Nonce { nonce in
      for shift in stride(from: UInt64(40), through: 0, by: -8) {
        nonce.append(UInt8(truncatingIfNeeded: address >> shift))
      }
      nonce.append(UInt8(truncatingIfNeeded: BTHome.serviceUUID & 0xFF))
      nonce.append(UInt8(truncatingIfNeeded: BTHome.serviceUUID >> 8))
      nonce.append(information)
      for shift in stride(from: UInt32(0), through: 24, by: 8) {
        nonce.append(UInt8(truncatingIfNeeded: counter >> shift))
      }
    }
  }
}
