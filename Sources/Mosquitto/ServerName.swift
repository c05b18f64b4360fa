import CMosquitto
import CTLS
import Glibc

/// TLS with a broker whose certificate is for another name than that of the host to which we connect.
///
/// libmosquitto compares the certificate with that host, or accepts any. So libssl gets a context of our own, with which
/// libmosquitto leaves the certificate to it (`MOSQ_OPT_SSL_CTX` in libmosquitto's `mosquitto.h`).
extension TLS {
  /// Passes the context to a client. libmosquitto takes a reference of its own, and drops it with the client.
  func expect(
    _ name: String, of client: OpaquePointer, with context: OpaquePointer?
  ) throws(InvalidOptions) {
    guard let context else { throw InvalidOptions(description: "libssl has no memory") }
    _ = beaconkeeper_require_tls12(context)
    SSL_CTX_set_verify(context, SSL_VERIFY_PEER, nil)
    // Without a callback OpenSSL would ask for the passphrase on the terminal.
    SSL_CTX_set_default_passwd_cb(context) { _, _, _, _ in 0 }
    try load(into: context)
    let expected = SSL_CTX_get0_param(context)
    // A wildcard stands for a whole label, as in libmosquitto (RFC 9525, section 6.3): “b*.example” does not
    // match “broker.example”.
    X509_VERIFY_PARAM_set_hostflags(expected, UInt32(X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS))
    if X509_VERIFY_PARAM_set1_ip_asc(expected, name) != 1 {
      guard X509_VERIFY_PARAM_set1_host(expected, name, 0) == 1 else {
        throw InvalidOptions(description: "\(name) cannot be the name in a certificate")
      }
    }
    // libmosquitto asks for the host's certificate. A broker with several must be asked for this one; addresses are not sent
    // (RFC 6066, section 3).
    SSL_CTX_set_info_callback(context) { connection, event, _ in
      guard event & SSL_CB_HANDSHAKE_START != 0, let connection else { return }
      let session = OpaquePointer(UnsafeRawPointer(connection))
      _ = beaconkeeper_name_server(session, X509_VERIFY_PARAM_get0_host(SSL_get0_param(session), 0))
    }
    let errors = [
      mosquitto_int_option(client, MOSQ_OPT_SSL_CTX_WITH_DEFAULTS, 0),
      mosquitto_void_option(client, MOSQ_OPT_SSL_CTX, UnsafeMutableRawPointer(context)),
    ]
    guard errors.allSatisfy({ $0 == MOSQ_ERR_SUCCESS.code }) else {
      throw InvalidOptions(description: "this libmosquitto cannot expect another name (server_name)")
    }
  }

  /// Reads the authorities, and our certificate and key. What an earlier reading trusted is forgotten.
  func load(into context: OpaquePointer) throws(InvalidOptions) {
    guard let store = X509_STORE_new() else { throw InvalidOptions(description: "libssl has no memory") }
    SSL_CTX_set_cert_store(context, store)
    let trusts =
      switch authority {
      case .system: SSL_CTX_set_default_verify_paths(context)
      case .file(let path): SSL_CTX_load_verify_locations(context, path, nil)
      case .directory(let path): SSL_CTX_load_verify_locations(context, nil, path)
      }
    guard trusts == 1 else { throw Self.unusable("the authorities to trust (ca_file)") }
    if let identity {
      guard SSL_CTX_use_certificate_chain_file(context, identity.certificateFile) == 1,
        SSL_CTX_use_PrivateKey_file(context, identity.keyFile, SSL_FILETYPE_PEM) == 1
      else { throw Self.unusable("the certificate or key (cert_file, key_file)") }
    }
  }

  private static func unusable(_ what: String) -> InvalidOptions {
    defer { ERR_clear_error() }
    let words = ERR_reason_error_string(ERR_peek_last_error()).map { String(cString: $0) }
    return InvalidOptions(description: "\(what) cannot be used: \(words ?? "it cannot be read")")
  }
}
