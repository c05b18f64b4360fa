import CCrypto

/// A PEM file with the certificates of authorities.
package enum CertificateAuthorities {
  /// Whether there is one at least, as libssl reads them.
  package static func canBeRead(_ path: String) -> Bool {
    defer { ERR_clear_error() }
    guard let store = unsafe X509_STORE_new() else { return false }
    defer { unsafe X509_STORE_free(store) }
    return unsafe X509_STORE_load_locations(store, path, nil) == 1
  }
}

/// A PEM file with a certificate, and one with its private key.
package struct CertificatePair: Sendable {
  package enum Fault: Sendable, Equatable {
    case noCertificate
    case noKey
    /// The key is of another certificate.
    case isForeignKey
    case hasExpired
  }

  private let certificate: String
  private let key: String

  package init(certificate: String, key: String) {
    self.certificate = certificate
    self.key = key
  }

  /// nil: they can be used.
  package var fault: Fault? {
    defer { ERR_clear_error() }
    guard
      let certificate = unsafe read(
        self.certificate, { unsafe PEM_read_bio_X509($0, nil, { _, _, _, _ in 0 }, nil) })
    else { return .noCertificate }
    defer { unsafe X509_free(certificate) }
    // Without a callback libcrypto would ask for the passphrase on the terminal.
    guard
      let key = unsafe read(
        self.key, { unsafe PEM_read_bio_PrivateKey($0, nil, { _, _, _, _ in 0 }, nil) })
    else { return .noKey }
    defer { unsafe EVP_PKEY_free(key) }
    guard unsafe X509_check_private_key(certificate, key) == 1 else { return .isForeignKey }
    return unsafe X509_cmp_current_time(X509_get0_notAfter(certificate)) < 0 ? .hasExpired : nil
  }

  private func read(_ path: String, _ parse: (OpaquePointer) -> OpaquePointer?) -> OpaquePointer? {
    guard let file = unsafe BIO_new_file(path, "r") else { return nil }
    defer { unsafe BIO_free(file) }
    return unsafe parse(file)
  }
}
