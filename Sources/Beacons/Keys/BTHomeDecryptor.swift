import CCrypto
import Core

/// Decrypts the BTHome frames of one device and accepts each counter once.
///
/// The nonce is address (6, most significant octet first), service UUID (2), device information (1) and
/// counter (4). Source: https://bthome.io/encryption
///
/// A device with a new battery restarts its counter at zero. Therefore a counter below `restartLimit` is accepted although
/// it went back, as Home Assistant's bthome-ble does. An attacker who recorded such frames could replay them and their
/// successors until the device itself is heard, whose counter is ahead of all of them. Therefore restarts in quick
/// succession are refused.
///
/// ```swift
/// var decryptor = BTHomeDecryptor(key: key)
/// let sealed = try BTHome.decode(data.span)
/// try decryptor.open(sealed, in: data.span, from: sender, at: time) { frame, opened in
///   frame.forEachReading(in: opened) { print($0.name, $0.value) }
/// }
/// ```
public struct BTHomeDecryptor: Sendable {
  /// A counter below this may come from a device that restarted.
  static let restartLimit: UInt32 = 100
  /// The least time between two restarts: longer than changing a battery twice takes. If a genuine restart is refused, its
  /// readings are refused no longer than this.
  static let restartPause = TimeSpan.seconds(600)

  private let cipher: CounterModeWithCBCMAC
  private let checksReplay: Bool
  /// The counter of the last decrypted frame.
  public private(set) var lastCounter: UInt32?
  private var restarted: MonotonicTime?
  private var text: [UInt8] = []

  public enum Opening: Hashable, Sendable {
    /// The counter went up, or the last frame was repeated.
    case continued
    /// The counter restarted.
    case restarted
  }

  /// - Parameters:
  ///   - checksReplay: decline counters that went back. An equal counter is a repeated advertisement, and is read.
  ///   - lastCounter: the counter of the last frame that an earlier run decrypted.
  public init(key: SecretKey, checksReplay: Bool = true, lastCounter: UInt32? = nil) {
    cipher = CounterModeWithCBCMAC(key: key)
    self.checksReplay = checksReplay
    self.lastCounter = lastCounter
  }

  /// Whether it uses this key.
  public func isFor(_ key: SecretKey) -> Bool { cipher.key == key }

  /// Visits the frame as if it had not been encrypted, with the data for `forEachReading`.
  /// `frame` was decoded from `data`. `address` is the sender's address, used unless the frame includes its own.
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

  /// Counters wrap at 2³². A counter counts as ahead if it is less than half of that ahead.
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

/// The key is not included, because it is secret.
extension BTHomeDecryptor: StateFields {
  public mutating func fields(_ coder: inout StateCoder) throws(StateError) {
    try coder("last_counter", &lastCounter)
    try coder("restarted", &restarted)
  }
}

/// AES-CCM (RFC 3610) with a 13-octet nonce, a 4-octet tag and no associated data, as BTHome uses it.
struct CounterModeWithCBCMAC: Sendable {
  typealias Nonce = InlineArray<13, UInt8>

  let key: SecretKey

  /// Shared by all keys: a sensor sends only now and then, and each context takes half a kilobyte.
  private static let context = CipherContext("AES-128-CCM")

  /// Decrypts `text` in place. Returns false if the tag is wrong; then `text` must not be used.
  func open(_ text: inout [UInt8], nonce: Nonce, tag: UInt32) -> Bool {
    // An empty text has nothing to read, and its null pointer would mean something else to libcrypto.
    guard !text.isEmpty, let length = Int32(exactly: text.count), let context = Self.context else {
      return false
    }
    return unsafe context.perform { context in
      var tag = tag.bigEndian
      guard unsafe EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_IVLEN, 13, nil) == 1,
        unsafe EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_TAG, 4, &tag) == 1
      else { return false }
      let hasNonce = unsafe nonce.span.withUnsafeBufferPointer { nonce in
        unsafe EVP_DecryptInit_ex2(context, nil, key.octets, nonce.baseAddress, nil) == 1
      }
      var count: Int32 = 0
      // Passing the length makes libcrypto use the new nonce. Otherwise it does so only after a text with a valid tag.
      guard hasNonce, unsafe EVP_DecryptUpdate(context, nil, &count, nil, length) == 1 else { return false }
      return unsafe text.withUnsafeMutableBufferPointer { text in
        unsafe EVP_DecryptUpdate(context, text.baseAddress, &count, text.baseAddress, length) == 1
      }
    }
  }
}
