import CCrypto

/// AES-128 of single blocks with one key, whose schedule is made once: an address is tried with every key there is.
struct BlockCipher: Sendable {
  private let context: CipherContext

  /// nil where libcrypto does not give it.
  init?(key: SecretKey) {
    guard let context = CipherContext("AES-128-ECB") else { return nil }
    self.context = context
    let isReady = unsafe context.perform { context in
      // Whole blocks only.
      unsafe EVP_EncryptInit_ex2(context, nil, key.octets, nil, nil) == 1
        && EVP_CIPHER_CTX_set_padding(context, 0) == 1
    }
    guard isReady else { return nil }
  }

  /// Encrypts one block in place; false where it could not.
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
