/// AES-CCM (RFC 3610) with a 13-octet nonce, a 4-octet tag and no associated data, as BTHome uses it. The
/// library has the block cipher but not this mode.
struct CounterModeWithCBCMAC: Sendable {
  let key: SecretKey

  /// Decrypts `text` in place; false where the tag does not fit, and then `text` is worthless.
  func open(_ text: inout [UInt8], nonce: [UInt8], tag: UInt32) -> Bool {
    guard nonce.count == 13, text.count <= 0xFFFF else { return false }
    apply(&text, nonce: nonce)
    return authenticator(text, nonce: nonce) ^ keystream(0, nonce: nonce).word == tag
  }

  /// Encrypts `text` in place and gives its tag.
  func seal(_ text: inout [UInt8], nonce: [UInt8]) -> UInt32 {
    let tag = authenticator(text, nonce: nonce) ^ keystream(0, nonce: nonce).word
    apply(&text, nonce: nonce)
    return tag
  }

  private func apply(_ text: inout [UInt8], nonce: [UInt8]) {
    var stream: [UInt8] = []
    for position in text.indices {
      if position % 16 == 0 {
        stream = keystream(UInt16(truncatingIfNeeded: position / 16 + 1), nonce: nonce)
      }
      text[position] ^= stream[position % 16]
    }
  }

  /// Block A_i: flags (L − 1), nonce, counter.
  private func keystream(_ counter: UInt16, nonce: [UInt8]) -> [UInt8] {
    var block = [0x01] + nonce + [UInt8(counter >> 8), UInt8(counter & 0xFF)]
    key.encrypt(&block)
    return block
  }

  /// The first four octets of the CBC-MAC over B_0 (flags 8·(M − 2)/2 + L − 1, nonce, length) and the text.
  private func authenticator(_ text: [UInt8], nonce: [UInt8]) -> UInt32 {
    var block = [0x09] + nonce + [UInt8(text.count >> 8), UInt8(text.count & 0xFF)]
    key.encrypt(&block)
    for start in stride(from: 0, to: text.count, by: 16) {
      for position in start..<min(start + 16, text.count) { block[position - start] ^= text[position] }
      key.encrypt(&block)
    }
    return block.word
  }
}

extension [UInt8] {
  fileprivate var word: UInt32 { prefix(4).reduce(0) { $0 << 8 | UInt32($1) } }
}
