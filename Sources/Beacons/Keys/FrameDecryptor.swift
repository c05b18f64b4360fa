import CCrypto
import Core

/// Decrypts the frames of one device and accepts each counter once.
///
/// A device with a new battery restarts its counter at zero. Therefore a counter below `restartLimit` is accepted although
/// it went back, as Home Assistant's bthome-ble does. An attacker who recorded such frames could replay them and their
/// successors until the device itself is heard, whose counter is ahead of all of them. Therefore restarts in quick
/// succession are refused. A seal without a counter protects against forgery only: a recorded frame can be sent again.
///
/// ```swift
/// var decryptor = FrameDecryptor(key: key)
/// try decryptor.open(frame, in: data.span, from: sender, at: time) { frame, opened in
///   frame.forEachReading(in: opened) { print($0.name, $0.value) }
/// }
/// ```
public struct FrameDecryptor: Sendable {
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

  /// Visits the frame as if it had not been encrypted, with the data for `forEachReading`. A plain frame is visited as it is.
  /// `frame` was decoded from `data`. `address` is the sender's address, used unless the frame includes its own.
  @discardableResult
  public mutating func open(
    _ frame: Frame, in data: Span<UInt8>, from address: DeviceAddress, at time: MonotonicTime = .zero,
    _ body: (Frame, Span<UInt8>) -> Void
  ) throws(Decline) -> Opening {
    guard let seal = frame.seal(in: data, from: address) else {
      body(frame, data)
      return .continued
    }
    guard seal.text.upperBound <= data.count, seal.head.upperBound <= data.count else {
      throw .wrongLength(expected: seal.text.upperBound, got: data.count)
    }
    let isBehind: Bool
    if checksReplay, let counter = seal.counter, let lastCounter {
      isBehind = Self.isBehind(counter, lastCounter)
      if isBehind, !mayRestart(with: counter, at: time) { throw .replayed }
    } else {
      isBehind = false
    }
    if seal.isFromAnother { throw .authenticationFailed }
    text.removeAll(keepingCapacity: true)
    for offset in seal.text { text.append(data[offset]) }
    guard cipher.open(&text, seal), seal.fits(text.span) else { throw .authenticationFailed }
    if let counter = seal.counter { lastCounter = counter }
    if isBehind { restarted = time }
    for (place, offset) in seal.head.enumerated() { text.insert(data[offset], at: place) }
    if !seal.head.isEmpty { text[0] &= ~seal.sealedBits }
    switch frame {
    case .bthome(let frame):
      var opened = try BTHome.decode(text.span)
      opened.information = frame.information
      opened.address = frame.address
      body(.bthome(opened), text.span)
    case .sensor(let frame): body(.sensor(frame.opened), text.span)
    default: break
    }
    return isBehind ? .restarted : .continued
  }

  private func mayRestart(with counter: UInt32, at time: MonotonicTime) -> Bool {
    guard counter < Self.restartLimit else { return false }
    return restarted.map { time - $0 >= Self.restartPause } ?? true
  }

  /// Counters wrap at 2³². A counter counts as ahead if it is less than half of that ahead.
  private static func isBehind(_ counter: UInt32, _ last: UInt32) -> Bool { counter &- last > 0x8000_0000 }
}

/// The key is not included, because it is secret.
extension FrameDecryptor: StateFields {
  public mutating func fields(_ coder: inout StateCoder) throws(StateError) {
    try coder("last_counter", &lastCounter)
    try coder("restarted", &restarted)
  }
}

/// What is needed to decrypt a frame besides the key: AES-CCM (RFC 3610) with a tag of four octets, or with the first octet of a
/// tag of 16.
package struct Seal: Sendable {
  /// The encrypted octets in the data.
  var text: Range<Int>
  /// The octets before it, most significant first.
  var tag: UInt32
  /// Increases with each message; nil: the frame has no counter that is long enough.
  var counter: UInt32?
  /// Octets of the data that stand before the text once it is open.
  var head: Range<Int>
  /// Bits of the head's first octet that mark the data as encrypted.
  var sealedBits: UInt8 = 0
  /// Authenticated, but not sent; nil: nothing.
  var associated: UInt8?
  /// The octet of the text that says how many follow it. Then the tag has one octet, and this is a second check; nil: the tag has
  /// four.
  var tellsLength: Int?
  /// Whether the data states another address than its sender has.
  var isFromAnother = false
  private(set) var nonce = InlineArray<13, UInt8>(repeating: 0)
  private(set) var nonceLength = 0

  init(text: Range<Int>, tag: UInt32, counter: UInt32?, head: Range<Int>) {
    self.text = text
    self.tag = tag
    self.counter = counter
    self.head = head
  }

  /// Whether an open text has the length that it says.
  func fits(_ text: Span<UInt8>) -> Bool {
    guard let tellsLength else { return true }
    return text.count > tellsLength && text.count - tellsLength - 1 == Int(text[tellsLength])
  }

  /// Appends to the nonce.
  mutating func salt(_ octet: UInt8) {
    guard nonceLength < 13 else { return }
    nonce[nonceLength] = octet
    nonceLength += 1
  }

  mutating func salt(_ octets: Span<UInt8>, _ range: Range<Int>) {
    for offset in range { salt(octets[offset]) }
  }

  /// - Parameter isReversed: least significant octet first.
  mutating func salt(_ address: UInt64, isReversed: Bool) {
    for place in 0..<6 as Range<UInt64> {
      salt(UInt8(truncatingIfNeeded: address >> (8 * (isReversed ? place : 5 - place))))
    }
  }
}

extension Frame {
  /// Whether it must be decrypted first.
  public func isEncrypted(in data: Span<UInt8>) -> Bool {
    switch self {
    case .bthome(let frame): frame.isEncrypted
    case .sensor(let frame): frame.isEncrypted(in: data)
    default: false
    }
  }

  /// nil: it is not encrypted.
  func seal(in data: Span<UInt8>, from address: DeviceAddress) -> Seal? {
    switch self {
    case .bthome(let frame): frame.seal(from: address)
    case .sensor(let frame): frame.seal(in: data, from: address)
    default: nil
    }
  }

  /// Whether frames of its kind may be encrypted.
  public var mayBeEncrypted: Bool {
    switch self {
    case .bthome: true
    case .sensor(let frame): frame.format.maySeal
    default: false
    }
  }

  /// Whether the sender's address is needed to decrypt the frame, because the frame does not contain it.
  public func needsSender(in data: Span<UInt8>) -> Bool {
    guard let one = seal(in: data, from: DeviceAddress(bits: 0, kind: .public)),
      let other = seal(in: data, from: DeviceAddress(bits: .max >> 16, kind: .public))
    else { return false }
    return one.nonce.indices.contains { one.nonce[$0] != other.nonce[$0] }
  }

  /// The counter of an encrypted frame; nil: it has none.
  public func counter(in data: Span<UInt8>) -> UInt32? {
    seal(in: data, from: DeviceAddress(bits: 0, kind: .public))?.counter
  }
}

extension BTHome {
  /// The nonce is address (6, most significant octet first), service UUID (2), device information (1) and
  /// counter (4). Source: https://bthome.io/encryption
  fileprivate func seal(from sender: DeviceAddress) -> Seal? {
    guard case .encrypted(let range, let counter, let tag) = content else { return nil }
    var seal = Seal(text: range, tag: tag, counter: counter, head: 0..<1)
    seal.sealedBits = 0x03
    seal.salt(address ?? sender.bits, isReversed: false)
    seal.salt(UInt8(truncatingIfNeeded: Self.serviceUUID))
    seal.salt(UInt8(truncatingIfNeeded: Self.serviceUUID >> 8))
    seal.salt(information)
    for shift in stride(from: UInt32(0), through: 24, by: 8) {
      seal.salt(UInt8(truncatingIfNeeded: counter >> shift))
    }
    return seal
  }
}

/// AES-CCM (RFC 3610).
struct CounterModeWithCBCMAC: Sendable {
  let key: SecretKey

  /// Shared by all keys: a sensor sends only now and then, and each context takes half a kilobyte.
  private static let context = CipherContext("AES-128-CCM")
  /// For tags of which only the first octet is sent, because libcrypto checks only whole tags.
  private static let signing = CipherContext("AES-128-CCM")

  /// Decrypts `text` in place. Returns false if the tag is wrong; then `text` must not be used.
  func open(_ text: inout [UInt8], _ seal: Seal) -> Bool {
    // An empty text has nothing to read, and its null pointer would mean something else to libcrypto.
    guard !text.isEmpty, let length = Int32(exactly: text.count), let context = Self.context else {
      return false
    }
    if seal.tellsLength != nil { return openByFirstOctet(&text, length, seal) }
    return unsafe context.perform { context in
      var tag = seal.tag.bigEndian
      guard
        unsafe EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_IVLEN, Int32(seal.nonceLength), nil) == 1,
        unsafe EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_TAG, 4, &tag) == 1
      else { return false }
      let hasNonce = unsafe seal.nonce.span.withUnsafeBufferPointer { nonce in
        unsafe EVP_DecryptInit_ex2(context, nil, key.octets, nonce.baseAddress, nil) == 1
      }
      var count: Int32 = 0
      // Passing the length makes libcrypto use the new nonce. Otherwise it does so only after a text with a valid tag.
      guard hasNonce, unsafe EVP_DecryptUpdate(context, nil, &count, nil, length) == 1 else { return false }
      if var associated = seal.associated,
        unsafe EVP_DecryptUpdate(context, nil, &count, &associated, 1) != 1
      {
        return false
      }
      return unsafe text.withUnsafeMutableBufferPointer { text in
        unsafe EVP_DecryptUpdate(context, text.baseAddress, &count, text.baseAddress, length) == 1
      }
    }
  }
  /// CCM's encryption is its own inverse, so encrypting the text decrypts it. Encrypting the result again gives the tag.
  private func openByFirstOctet(_ text: inout [UInt8], _ length: Int32, _ seal: Seal) -> Bool {
    guard let context = Self.signing, sign(&text, length, seal, context) != nil else { return false }
    var copy = text
    return sign(&copy, length, seal, context) == UInt8(truncatingIfNeeded: seal.tag)
  }

  /// Encrypts `text` in place, and returns the first octet of its tag of 16.
  private func sign(_ text: inout [UInt8], _ length: Int32, _ seal: Seal, _ context: CipherContext) -> UInt8?
  {
    var tag = [UInt8](repeating: 0, count: 16)
    let isDone = unsafe context.perform { context in
      guard
        unsafe EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_IVLEN, Int32(seal.nonceLength), nil) == 1,
        unsafe EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_TAG, 16, nil) == 1
      else { return false }
      let hasNonce = unsafe seal.nonce.span.withUnsafeBufferPointer { nonce in
        unsafe EVP_EncryptInit_ex2(context, nil, key.octets, nonce.baseAddress, nil) == 1
      }
      var count: Int32 = 0
      guard hasNonce, unsafe EVP_EncryptUpdate(context, nil, &count, nil, length) == 1 else { return false }
      if var associated = seal.associated,
        unsafe EVP_EncryptUpdate(context, nil, &count, &associated, 1) != 1
      {
        return false
      }
      let isEncrypted = unsafe text.withUnsafeMutableBufferPointer { text in
        unsafe EVP_EncryptUpdate(context, text.baseAddress, &count, text.baseAddress, length) == 1
      }
      return unsafe isEncrypted && EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_GET_TAG, 16, &tag) == 1
    }
    return isDone ? tag[0] : nil
  }
}
