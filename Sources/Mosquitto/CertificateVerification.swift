import CMosquitto
import CTLS
import Core

/// Why OpenSSL did not accept the broker's certificate.
///
/// libmosquitto reports only "certificate verify failed", but it hands out its `SSL` object.
struct CertificateVerification: Equatable, Sendable {
  /// `X509_V_ERR_…` of OpenSSL's `x509_vfy.h`.
  var code: Int
  var words: String

  /// The refusal did not come from OpenSSL but from libmosquitto, for the host name; its log says so.
  static let unspecified = 1

  /// nil if the client has no TLS connection, or if its certificate is fine.
  init?(of client: OpaquePointer) {
    guard let ssl = mosquitto_ssl_get(client) else { return nil }
    let code = SSL_get_verify_result(OpaquePointer(ssl))
    if code == 0 { return nil }
    self.code = code
    words = X509_verify_cert_error_string(code).map { String(cString: $0) } ?? "error \(code)"
  }

  /// At most this many octets of names are shown.
  private static let nameLimit: Int32 = 300

  /// The names and addresses in the certificate that a broker has shown, whether it was accepted or not; nil: none is known.
  static func names(of client: OpaquePointer) -> String? {
    guard let ssl = mosquitto_ssl_get(client), let chain = SSL_get0_verified_chain(OpaquePointer(ssl)),
      let leaf = OPENSSL_sk_value(chain, 0).map({ OpaquePointer($0) }),
      case let index = X509_get_ext_by_NID(leaf, NID_subject_alt_name, -1), index >= 0,
      let text = BIO_new(BIO_s_mem())
    else { return nil }
    defer { BIO_free(text) }
    guard X509V3_EXT_print(text, X509_get_ext(leaf, index), 0, 0) == 1 else { return nil }
    var octets = [UInt8](repeating: 0, count: Int(nameLimit))
    let count = BIO_read(text, &octets, nameLimit)
    guard count > 0 else { return nil }
    return String(decoding: octets.prefix(Int(count)), as: UTF8.self).replacing("DNS:", with: "")
      .replacing("IP Address:", with: "").printable
  }

  var failure: ConnectionFailure {
    switch code {
    case 10: ConnectionFailure(.certificateExpired, "the broker's certificate has expired")
    case 9:
      ConnectionFailure(
        .certificateNotYetValid, "the broker's certificate is not yet valid (is this machine's clock right?)")
    case 2, 18, 19, 20, 21, 27:
      ConnectionFailure(
        .unknownAuthority, "the broker's certificate is not signed by an authority that we trust (\(words))")
    case 62, 64: ConnectionFailure(.wrongHostName, "the broker's certificate is for another host name")
    default: ConnectionFailure(.tls, "the broker's certificate was not accepted: \(words)")
    }
  }
}
