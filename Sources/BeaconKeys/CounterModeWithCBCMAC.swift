import CCrypto

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
