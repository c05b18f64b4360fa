import CCrypto
import Synchronization

/// A reusable cipher context of libcrypto. Creating one allocates memory; using it does not.
final class CipherContext: Sendable {
  private let handle: Mutex<Handle>

  /// - Parameter cipher: a name as in EVP_CIPHER-AES(7ssl).
  ///
  /// nil if libcrypto has no such cipher or no memory is left.
  init?(_ cipher: String) {
    guard let handle = Handle(cipher) else { return nil }
    self.handle = Mutex(handle)
  }

  /// Makes calls that belong together; returns whether all succeeded.
  func perform(_ calls: (OpaquePointer) -> Bool) -> Bool {
    let isDone = handle.withLock { handle in unsafe calls(handle.pointer) }
    // libcrypto's errors stay in the thread's queue, where TLS would take them for its own.
    if !isDone { ERR_clear_error() }
    return isDone
  }

  /// Owns the context and frees it.
  @safe private struct Handle: ~Copyable {
    let pointer: OpaquePointer

    init?(_ cipher: String) {
      // The context keeps the cipher alive.
      let cipher = unsafe EVP_CIPHER_fetch(nil, cipher, nil)
      defer { unsafe EVP_CIPHER_free(cipher) }
      guard let cipher = unsafe cipher, let pointer = unsafe EVP_CIPHER_CTX_new() else { return nil }
      guard unsafe EVP_DecryptInit_ex2(pointer, cipher, nil, nil, nil) == 1 else {
        unsafe EVP_CIPHER_CTX_free(pointer)
        return nil
      }
      unsafe self.pointer = pointer
    }

    deinit { unsafe EVP_CIPHER_CTX_free(pointer) }
  }
}
