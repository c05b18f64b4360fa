import CMosquitto
import Glibc

/// Why OpenSSL did not accept the broker's certificate.
///
/// libmosquitto reports only "certificate verify failed", but it hands out its `SSL` object. OpenSSL is loaded with
/// libmosquitto, so its two functions are looked up by name. If they are missing, libmosquitto's words are used.
struct CertificateVerification: Equatable, Sendable {
  /// `X509_V_ERR_…` of OpenSSL's `x509_vfy.h`.
  var code: Int
  var words: String

  /// The refusal did not come from OpenSSL but from libmosquitto, for the host name; its log says so.
  static let unspecified = 1

  /// nil if the client has no TLS connection, or if its certificate is fine.
  init?(of client: OpaquePointer) {
    guard let ssl = mosquitto_ssl_get(client), let result = Self.result else { return nil }
    let code = result(ssl)
    if code == 0 { return nil }
    self.code = code
    words = Self.errorString.flatMap { $0(code) }.map { String(cString: $0) } ?? "error \(code)"
  }

  private typealias Result = @convention(c) (UnsafeMutableRawPointer) -> Int
  private typealias ErrorString = @convention(c) (Int) -> UnsafePointer<CChar>?

  private static let result: Result? =
    dlsym(nil, "SSL_get_verify_result").map { unsafeBitCast($0, to: Result.self) }
  private static let errorString: ErrorString? =
    dlsym(nil, "X509_verify_cert_error_string").map { unsafeBitCast($0, to: ErrorString.self) }

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
