import CMosquitto
import Core
import Glibc

/// Why the broker could not be reached or refused the connection, as text.
package struct ConnectionFailure: Error, Sendable, Equatable, CustomStringConvertible {
  package enum Kind: Sendable, Equatable {
    /// Wrong user name or password.
    case badCredentials
    /// The broker does not admit this client. Some brokers also report this for a wrong password.
    case notAuthorised
    /// The broker does not speak this version of MQTT.
    case unsupportedProtocol
    case clientIDRejected
    /// The broker accepts no retained messages, or none of QoS 1.
    case lacksFeature
    /// Busy, shutting down, or it asks the client to come back later.
    case serverUnavailable
    /// Nothing listens on that port.
    case connectionRefused
    case hostUnknown
    /// No route, or no answer in time.
    case unreachable
    case certificateExpired
    case certificateNotYetValid
    case wrongHostName
    case unknownAuthority
    /// The broker rejected our certificate, or requires one.
    case clientCertificate
    /// Our own certificate or its key cannot be used.
    case ownCertificate
    /// The other side closed the connection instead of answering.
    case closed
    /// The other side does not speak TLS, or not a version or cipher that we accept.
    case tls
    case noMQTT
    case other
  }

  package var kind: Kind
  /// One sentence for the user, without the host.
  package var sentence: String
  /// The names in the broker's certificate, if they are the reason. Anybody can put anything there.
  package var names: String?

  package var peersWords: String? { names.map { ": it is for \($0)" } }
  package var description: String { sentence + (peersWords ?? "") }

  /// Whether the same attempt will always fail unless someone changes a configuration.
  ///
  /// Expired and not yet valid certificates do not count: setting the clock or renewing the
  /// certificate fixes them.
  package var isPermanent: Bool {
    switch kind {
    case .badCredentials, .notAuthorised, .unsupportedProtocol, .clientIDRejected, .lacksFeature,
      .wrongHostName,
      .unknownAuthority, .clientCertificate, .ownCertificate, .tls:
      true
    case .serverUnavailable, .connectionRefused, .hostUnknown, .unreachable, .certificateExpired,
      .certificateNotYetValid, .closed, .noMQTT, .other:
      false
    }
  }

  package init(_ kind: Kind, _ sentence: String) {
    self.kind = kind
    self.sentence = sentence
  }
}

extension ConnectionFailure {
  /// The meaning of the reason code of a CONNACK (MQTT 5.0 section 3.2.2.2, MQTT 3.1.1 section 3.2.2.3).
  init(connack code: Int32, reason: String) {
    switch code {
    case 4, 0x86: self.init(.badCredentials, "the broker refused the user name or password")
    case 5, 0x87:
      self.init(
        .notAuthorised,
        "the broker refused this client: not authorised (wrong or missing user name or password?)")
    case 0x8A: self.init(.notAuthorised, "the broker has banned this client")
    case 1, 0x84: self.init(.unsupportedProtocol, "the broker does not speak this version of MQTT")
    case 2, 0x85: self.init(.clientIDRejected, "the broker refused the client id")
    case 0x9A: self.init(.lacksFeature, "the broker takes no retained messages, and the gateway needs them")
    case 0x9B: self.init(.lacksFeature, "the broker takes no messages of QoS 1, and the gateway needs them")
    case 3, 0x88, 0x89: self.init(.serverUnavailable, "the broker is busy or unavailable")
    default: self.init(.other, "the broker refused the connection: \(reason)")
    }
  }
}

extension ConnectionFailure {
  /// Why an attempt failed before the broker answered.
  init(error: Int32, errno: Int32, diagnosis: Inbox.Diagnosis, _ options: Options) {
    self.init(causeOf: error, errno: errno, diagnosis, options)
    if kind == .wrongHostName { names = diagnosis.names }
  }

  private init(causeOf error: Int32, errno: Int32, _ diagnosis: Inbox.Diagnosis, _ options: Options) {
    if let verification = diagnosis.verification, verification.code != CertificateVerification.unspecified {
      self = verification.failure
      return
    }
    if let line = diagnosis.line {
      guard options.tls != nil else {
        self.init(.noMQTT, "the server on this port does not speak MQTT (\(line))")
        return
      }
      self.init(tlsLog: line)
      return
    }
    switch error {
    case MOSQ_ERR_EAI.code:
      self.init(.hostUnknown, "the host is unknown: \(String(cString: gai_strerror(errno)))")
    // libmosquitto 2.0.21 reports an answer that is not TLS like this.
    case MOSQ_ERR_ERRNO.code where errno == EPROTO && options.tls != nil: self.init(.tls, Self.noTLS)
    // Or with no log line, if the connection ends at the same time.
    case MOSQ_ERR_TLS.code where options.tls != nil:
      self.init(.tls, "the TLS handshake failed without a reason; perhaps \(Self.noTLS)")
    case MOSQ_ERR_ERRNO.code where errno != 0, MOSQ_ERR_CONN_REFUSED.code: self.init(errno: errno)
    // errno is not set: the stream ended within a packet.
    case MOSQ_ERR_CONN_LOST.code, MOSQ_ERR_NO_CONN.code, MOSQ_ERR_ERRNO.code:
      let hint =
        switch (options.tls == nil, options.protocolVersion) {
        case (true, .v5):
          " (is it a broker, does it expect TLS on this port or MQTT 3.1.1, or has it as many clients as it allows?)"
        case (true, .v311):
          " (is it a broker, does it expect TLS on this port, take no retained messages or none of QoS 1, or has it as many clients as it allows?)"
        case (false, _): ""
        }
      self.init(.closed, "the other side closed the connection without a valid answer\(hint)")
    case MOSQ_ERR_KEEPALIVE.code: self.init(.unreachable, "no answer to the MQTT greeting")
    case MOSQ_ERR_PROTOCOL.code, MOSQ_ERR_MALFORMED_PACKET.code:
      let version = options.protocolVersion == .v5 ? " 5" : ""
      self.init(.noMQTT, "the server on this port does not speak MQTT\(version)")
    default: self.init(.other, words(error))
    }
  }

  private init(errno: Int32) {
    switch errno {
    case ECONNREFUSED: self.init(.connectionRefused, "connection refused: no broker listens on this port")
    case ETIMEDOUT: self.init(.unreachable, "no answer from the host")
    case EHOSTUNREACH, ENETUNREACH: self.init(.unreachable, "no route to the host")
    default: self.init(.other, String(cString: strerror(errno)))
    }
  }

  private static let noTLS =
    "the broker does not speak TLS on this port (is it the one for mqtt://? mqtts:// is at 8883 by custom)"

  /// libmosquitto reports most TLS errors only in its log.
  private init(tlsLog line: String) {
    let noTLS = Self.noTLS
    let known: [(String, Kind, String)] = [
      ("host name verification failed", .wrongHostName, "the broker's certificate is for another host name"),
      ("wrong version number", .tls, noTLS),
      ("packet length too long", .tls, noTLS),
      ("unexpected eof", .tls, "the other side broke off the TLS handshake; \(noTLS)"),
      ("unsupported protocol", .tls, "the broker does not speak TLS 1.2 or newer"),
      ("alert protocol version", .tls, "the broker does not speak TLS 1.2 or newer"),
      // With TLS 1.3 the broker may close the connection before its reason is read.
      (
        "Connection reset by peer", .tls,
        "the other side broke off the TLS handshake (does the broker want a client certificate, or another one?)"
      ),
      ("certificate required", .clientCertificate, "the broker wants a client certificate"),
      ("alert unknown ca", .clientCertificate, "the broker does not trust our certificate's authority"),
      ("alert certificate expired", .clientCertificate, "our client certificate has expired"),
      ("alert certificate revoked", .clientCertificate, "our client certificate is revoked"),
      ("alert bad certificate", .clientCertificate, "the broker does not accept our certificate"),
      (
        "alert handshake failure", .clientCertificate,
        "the broker refused the TLS handshake (client certificate?)"
      ),
      (
        "certificate/key are inconsistent", .ownCertificate,
        "our certificate (cert_file) and key (key_file) do not belong together"
      ),
      (
        "Unable to load client key", .ownCertificate,
        "our key (key_file) cannot be used: it is locked with a passphrase, damaged, or not of our certificate (cert_file)"
      ),
      (
        "Unable to load client certificate", .ownCertificate,
        "our certificate (cert_file) cannot be used: it is damaged, or no PEM file"
      ),
      ("Unable to load CA", .unknownAuthority, line),
    ]
    if let match = known.first(where: { line.contains($0.0) }) {
      self.init(match.1, match.2)
    } else {
      self.init(.tls, "the TLS handshake failed (\(line))")
    }
  }
}
