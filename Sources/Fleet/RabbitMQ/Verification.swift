import CRabbitMQ
import CTLS

/// Checks the certificate of a RabbitMQ node, and keeps the reason if it is invalid. librabbitmq reports only that it is, and
/// does not accept certificates for addresses.
final class Verification {
  /// `X509_V_ERR_…`; 0: no error.
  private var code: Int32 = 0

  /// For the connection that `socket` is about to open, and which must not outlive this.
  init(of socket: OpaquePointer, host: String) {
    amqp_ssl_socket_set_verify_peer(socket, 1)
    amqp_ssl_socket_set_verify_hostname(socket, 0)
    guard let context = amqp_ssl_socket_get_context(socket).map(OpaquePointer.init) else { return }
    let expected = SSL_CTX_get0_param(context)
    if X509_VERIFY_PARAM_set1_ip_asc(expected, host) != 1 { X509_VERIFY_PARAM_set1_host(expected, host, 0) }
    SSL_CTX_set_ex_data(context, 0, Unmanaged.passUnretained(self).toOpaque())
    SSL_CTX_set_verify(context, SSL_VERIFY_PEER) { isFine, store in
      guard isFine == 0, let store,
        let session = X509_STORE_CTX_get_ex_data(store, SSL_get_ex_data_X509_STORE_CTX_idx()),
        let box = SSL_CTX_get_ex_data(SSL_get_SSL_CTX(OpaquePointer(session)), 0)
      else { return isFine }
      Unmanaged<Verification>.fromOpaque(box).takeUnretainedValue().code = X509_STORE_CTX_get_error(store)
      return isFine
    }
  }

  /// Why a connection failed; nil: not because of encryption.
  ///
  /// - Parameter status: the library's. OpenSSL's last error on this thread must be that of the failure.
  func failure(_ status: Int32) -> RabbitMQError? {
    if code != 0 { return certificateFailure }
    // With TLS 1.3 the node checks our certificate after the handshake has ended for us, and may close the connection before we
    // read its reason.
    let cut = [AMQP_STATUS_SSL_ERROR, AMQP_STATUS_SOCKET_ERROR, AMQP_STATUS_CONNECTION_CLOSED].contains {
      $0.rawValue == status
    }
    guard cut || status == AMQP_STATUS_SSL_CONNECTION_FAILED.rawValue else { return nil }
    let error = ERR_peek_last_error()
    guard error != 0, let reason = ERR_reason_error_string(error) else {
      return status == AMQP_STATUS_SSL_ERROR.rawValue
        ? RabbitMQError("it broke off the connection (does it want a client certificate, or another one?)")
        : nil
    }
    return Self.failure(reason: String(cString: reason))
  }

  private var certificateFailure: RabbitMQError {
    let words = X509_verify_cert_error_string(Int(code)).map { String(cString: $0) } ?? "error \(code)"
    // After the certificate is renewed or the clock is set, we need no restart.
    return switch code {
    case X509_V_ERR_CERT_HAS_EXPIRED: RabbitMQError("its certificate has expired")
    case X509_V_ERR_CERT_NOT_YET_VALID:
      RabbitMQError("its certificate is not yet valid (is this machine's clock right?)")
    case X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT, X509_V_ERR_DEPTH_ZERO_SELF_SIGNED_CERT,
      X509_V_ERR_SELF_SIGNED_CERT_IN_CHAIN, X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY,
      X509_V_ERR_UNABLE_TO_VERIFY_LEAF_SIGNATURE, X509_V_ERR_CERT_UNTRUSTED:
      RabbitMQError("its certificate is not signed by an authority that we trust (\(words))", isRefusal: true)
    case X509_V_ERR_HOSTNAME_MISMATCH, X509_V_ERR_IP_ADDRESS_MISMATCH:
      RabbitMQError("its certificate is for another host name", isRefusal: true)
    default: RabbitMQError("its certificate was not accepted: \(words)", isRefusal: true)
    }
  }

  /// - Parameter reason: OpenSSL's text.
  static func failure(reason: String) -> RabbitMQError {
    let known = [
      ("certificate required", "it wants a client certificate"),
      ("alert unknown ca", "it does not trust our certificate's authority"),
      ("alert certificate expired", "our certificate has expired"),
      ("alert certificate revoked", "our certificate is revoked"),
      ("alert bad certificate", "it does not accept our certificate"),
      ("alert handshake failure", "it refused the TLS handshake (client certificate?)"),
      ("wrong version number", "it does not speak TLS on this port (amqps:// is at 5671 by custom)"),
      ("packet length too long", "it does not speak TLS on this port (amqps:// is at 5671 by custom)"),
      ("unsupported protocol", "it does not speak TLS 1.2 or newer"),
      ("alert protocol version", "it does not speak TLS 1.2 or newer"),
    ]
    guard let match = known.first(where: { reason.contains($0.0) }) else {
      return RabbitMQError("the encryption failed: \(reason)")
    }
    return RabbitMQError(match.1, isRefusal: true)
  }
}
