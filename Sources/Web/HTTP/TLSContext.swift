import CTLS
import Configuration

/// What connections share: a server's certificate and private key, or the authorities that a client trusts. TLS 1.2 and newer.
///
/// libssl is already loaded, because libmosquitto needs it.
@safe final class TLSContext: @unchecked Sendable {
  /// Why the certificate cannot be used, in plain words.
  struct Unusable: Error, CustomStringConvertible {
    let description: String
  }

  // Never changed after `init`; libssl counts references under its own lock (SSL_CTX_up_ref(3)).
  let pointer: OpaquePointer

  init(_ certificate: HTTPSettings.Certificate) throws(Unusable) {
    guard let context = unsafe SSL_CTX_new(TLS_server_method()) else {
      throw Unusable(description: "libssl has no memory")
    }
    unsafe pointer = context
    unsafe _ = beaconkeeper_require_tls12(context)
    guard unsafe SSL_CTX_use_certificate_chain_file(context, certificate.certFile) == 1 else {
      throw Self.unusable("the certificate \(certificate.certFile)")
    }
    guard unsafe SSL_CTX_use_PrivateKey_file(context, certificate.keyFile, SSL_FILETYPE_PEM) == 1,
      unsafe SSL_CTX_check_private_key(context) == 1
    else { throw Self.unusable("the private key \(certificate.keyFile)") }
  }

  /// A client's.
  init(trusting trust: HTTPClient.Trust) throws(Unusable) {
    guard let context = unsafe SSL_CTX_new(TLS_client_method()) else {
      throw Unusable(description: "libssl has no memory")
    }
    unsafe pointer = context
    unsafe _ = beaconkeeper_require_tls12(context)
    unsafe SSL_CTX_set_verify(context, SSL_VERIFY_PEER, nil)
    switch trust {
    case .system: unsafe _ = SSL_CTX_set_default_verify_paths(context)
    case .authorities(let file), .certificates(let file):
      guard unsafe SSL_CTX_load_verify_locations(context, file, nil) == 1 else {
        throw Self.unusable("the certificate \(file)")
      }
    }
    if case .certificates = trust {
      // The gateway's own certificate may be trusted directly, without an authority.
      unsafe _ = X509_VERIFY_PARAM_set_flags(
        SSL_CTX_get0_param(context), UInt(X509_V_FLAG_PARTIAL_CHAIN))
    }
  }

  deinit { unsafe SSL_CTX_free(pointer) }

  private static func unusable(_ what: String) -> Unusable {
    let code = ERR_peek_last_error()
    let words = unsafe ERR_reason_error_string(code).map { unsafe String(cString: $0) }
    ERR_clear_error()
    return Unusable(description: "\(what) cannot be used: \(words ?? "it cannot be read")")
  }
}
