import CCrypto

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
