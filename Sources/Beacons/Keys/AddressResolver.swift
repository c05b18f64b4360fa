import CCrypto
import Core

/// Finds the configured entry behind a resolvable private address.
///
/// An address is `prand` (24 bits) and `hash` (24 bits). It belongs to the key for which
/// `ah(key, prand) = hash` (Core Specification, Vol 6, Part B, 1.3.2.3; Vol 3, Part H, 2.2.2). There may be many keys
/// and many strangers' phones, so each address is tried once and the answer is remembered, also "nobody". The memory is
/// limited, and so is the number of keys tried per second. An address that exceeds the limit is tried when it is heard
/// again.
///
/// ```swift
/// var resolver = AddressResolver(keys: [(entry: BeaconEntryIndex(rawValue: 0), key: key)])
/// if let entry = resolver.entry(for: advertisement.address, at: advertisement.time) { print(entry.rawValue) }
/// ```
public struct AddressResolver: Sendable {
  private let ciphers: [(entry: BeaconEntryIndex, cipher: BlockCipher)]
  /// How many addresses one generation holds.
  private let generation: Int
  /// Indexed by the 48 bits of the address; −1: nobody.
  private var recent: [UInt64: Int32] = [:]
  private var older: [UInt64: Int32] = [:]
  private var budget = ResolutionBudget()
  /// How many advertisements came from an address that was not tried yet.
  public private(set) var postponed: UInt64 = 0
  private var block: [UInt8] = Array(repeating: 0, count: 16)

  /// `keys` are tried in this order. `memory` is how many addresses are remembered.
  public init(keys: [(entry: BeaconEntryIndex, key: SecretKey)], memory: Int = 16_384) {
    ciphers = keys.compactMap { entry, key in BlockCipher(key: key).map { (entry, $0) } }
    generation = max(1, memory / 2)
  }

  /// The entry whose key made this address; nil for other addresses and for those that have to wait.
  public mutating func entry(for address: DeviceAddress, at time: MonotonicTime) -> BeaconEntryIndex? {
    guard !ciphers.isEmpty, address.isResolvablePrivate else { return nil }
    if let known = recent[address.bits] { return entry(known) }
    let answer: Int32
    if let known = older[address.bits] {
      answer = known
    } else if budget.allows(address.bits, cost: ciphers.count, at: time) {
      answer = resolve(address)
    } else {
      postponed += 1
      return nil
    }
    if recent.count >= generation {
      swap(&recent, &older)
      recent.removeAll(keepingCapacity: true)
    }
    recent[address.bits] = answer
    return entry(answer)
  }

  private func entry(_ answer: Int32) -> BeaconEntryIndex? {
    answer < 0 ? nil : BeaconEntryIndex(rawValue: answer)
  }

  /// Takes over the counter of an earlier resolver.
  public mutating func adopt(_ other: AddressResolver) { postponed = other.postponed }

  private mutating func resolve(_ address: DeviceAddress) -> Int32 {
    let prand = UInt32(truncatingIfNeeded: address.bits >> 24)
    let hash = UInt32(truncatingIfNeeded: address.bits & 0xFFFFFF)
    for (entry, cipher) in ciphers where ah(cipher, prand) == hash { return entry.rawValue }
    return -1
  }

  /// The random address hash function: the lowest 24 bits of AES-128 of `prand`, padded with zeros.
  private mutating func ah(_ cipher: BlockCipher, _ prand: UInt32) -> UInt32? {
    for position in 0..<13 { block[position] = 0 }
    block[13] = UInt8(truncatingIfNeeded: prand >> 16)
    block[14] = UInt8(truncatingIfNeeded: prand >> 8)
    block[15] = UInt8(truncatingIfNeeded: prand)
    guard cipher.encrypt(&block) else { return nil }
    return UInt32(block[13]) << 16 | UInt32(block[14]) << 8 | UInt32(block[15])
  }
}

/// The addresses that were tried. Without keys there are none.
extension AddressResolver: StateFields {
  public mutating func fields(_ coder: inout StateCoder) throws(StateError) {
    try coder(tally: "postponed", &postponed)
    try coder("recent", &recent)
    try coder("older", &older)
    try coder("budget", &budget)
    for known in [recent, older] {
      try coder.check(known.count <= generation && known.values.allSatisfy { $0 < coder.bounds.entries })
    }
  }
}

/// AES-128 of single blocks with one key. The key schedule is computed once, because every address is tried with every key.
struct BlockCipher: Sendable {
  private let context: CipherContext

  /// nil if libcrypto does not offer AES-128.
  init?(key: SecretKey) {
    guard let context = CipherContext("AES-128-ECB") else { return nil }
    self.context = context
    let isReady = unsafe context.perform { context in
      // No padding: only whole blocks.
      unsafe EVP_EncryptInit_ex2(context, nil, key.octets, nil, nil) == 1
        && EVP_CIPHER_CTX_set_padding(context, 0) == 1
    }
    guard isReady else { return nil }
  }

  /// For keys that are used once.
  private static let shared = CipherContext("AES-128-ECB")

  /// Decrypts one block; nil on failure.
  static func decrypt(_ block: [UInt8], key: [UInt8]) -> [UInt8]? {
    guard block.count == 16, key.count == 16, let shared else { return nil }
    var open = block
    let isDone = unsafe shared.perform { context in
      var count: Int32 = 0
      return unsafe open.withUnsafeMutableBufferPointer { open in
        unsafe EVP_DecryptInit_ex2(context, nil, key, nil, nil) == 1
          && EVP_CIPHER_CTX_set_padding(context, 0) == 1
          && EVP_DecryptUpdate(context, open.baseAddress, &count, open.baseAddress, 16) == 1
      }
    }
    return isDone ? open : nil
  }

  /// Encrypts one block in place; returns false on failure.
  func encrypt(_ block: inout [UInt8]) -> Bool {
    guard block.count == 16 else { return false }
    return unsafe context.perform { context in
      var count: Int32 = 0
      return unsafe block.withUnsafeMutableBufferPointer { block in
        unsafe EVP_EncryptUpdate(context, block.baseAddress, &count, block.baseAddress, 16) == 1
      }
    }
  }
}
