import CMosquitto
import CTLS
import Core
import Glibc

/// Owns one `struct mosquitto` and frees it.
///
/// It is Sendable because libmosquitto locks its own state. `Session` prevents the one thing that is not locked: connecting
/// again while publishing.
struct Handle: ~Copyable, @unchecked Sendable {
  let pointer: OpaquePointer
  /// The callbacks of libmosquitto write here. The handle holds it, so that it outlives libmosquitto's pointer.
  let inbox: Inbox
  /// For libssl, if the certificate must be for another name than the host's; see `TLS.expect`.
  let tlsContext: OpaquePointer?

  /// `configure` must follow.
  init(_ options: Options) throws(InvalidOptions) {
    _ = Handle.library
    if options.clientID.utf8.contains(0) { throw InvalidOptions(description: "client id contains a NUL") }
    let inbox = Inbox(options)
    let context = Unmanaged.passUnretained(inbox).toOpaque()
    // A new session each time: messages that the broker kept for an earlier connection do not come.
    guard let pointer = mosquitto_new(options.clientID.isEmpty ? nil : options.clientID, true, context)
    else {
      throw InvalidOptions(description: "client id \(options.clientID.debugDescription) is not valid")
    }
    self.pointer = pointer
    self.inbox = inbox
    tlsContext = options.tls?.serverName == nil ? nil : SSL_CTX_new(TLS_client_method())
  }

  deinit {
    mosquitto_destroy(pointer)
    SSL_CTX_free(tlsContext)
  }

  /// Reads the files of TLS again, because they may have been renewed. libmosquitto does so itself, except
  /// for a context of ours.
  func readCertificates(_ options: Options) throws(InvalidOptions) {
    if let tlsContext, let tls = options.tls { try tls.load(into: tlsContext) }
  }

  /// Makes libmosquitto forget all messages. Nobody else may use it meanwhile.
  func renew(_ options: Options) throws(InvalidOptions) {
    let clientID = options.clientID.isEmpty ? nil : options.clientID
    let context = Unmanaged.passUnretained(inbox).toOpaque()
    let error = mosquitto_reinitialise(pointer, clientID, true, context)
    if error != MOSQ_ERR_SUCCESS.code { throw InvalidOptions(description: words(error)) }
    try configure(options)
  }

  /// libmosquitto requires this before all else, once per process.
  private static let library: Int32 = mosquitto_lib_init()
}

/// The text of a libmosquitto error.
func words(_ error: Int32) -> String { String(cString: mosquitto_strerror(error)) }

extension Client {
  /// Reasons with which a broker rejects a message that it has no room for at the moment (MQTT 5.0, section 3.4.2.1): quota
  /// exceeded, packet identifier in use. Its access list has no part in this.
  private static let passing = Set([0x97, 0x91].map(reasonWords))

  /// Whether a message rejected for this reason may be accepted soon.
  package static func isPassing(_ reason: String) -> Bool { passing.contains(reason) }

  /// How the reason begins if the broker gives none, and closes the connection.
  static let closure = "the broker closes the connection when it receives this message"

  /// Whether the reason leaves open whether the access list or a limit for the size refused the message.
  package static func mayConcernSize(_ reason: String) -> Bool { reason.hasPrefix(closure) }

  /// Whether a message was refused because of its size. libmosquitto, MQTT 5 (0x95) and this module begin alike.
  package static func concernsSize(_ reason: String) -> Bool {
    reason.lowercased().hasPrefix("packet too large")
  }
}

/// The text of an MQTT 5 reason code.
func reasonWords(_ code: Int32) -> String {
  // MQTT 5.0 section 4.13: session taken over.
  if code == 0x8E {
    return "another client has connected with our client id; is the same gateway running twice?"
  }
  return String(cString: mosquitto_reason_string(code))
}

extension Handle {
  /// Passes callbacks and all options to libmosquitto; they must be set before the first connection.
  func configure(_ options: Options) throws(InvalidOptions) {
    Inbox.attach(to: pointer, usesTLS: options.tls != nil)
    try check(options)
    let version = options.protocolVersion == .v5 ? MQTT_PROTOCOL_V5 : MQTT_PROTOCOL_V311
    try demand(mosquitto_int_option(pointer, MOSQ_OPT_PROTOCOL_VERSION, version), "protocol version")
    try demand(mosquitto_int_option(pointer, MOSQ_OPT_TCP_NODELAY, 1), "TCP_NODELAY")
    try demand(mosquitto_max_inflight_messages_set(pointer, UInt32(options.window)), "window")
    // Our own thread runs the loop. Without this, other threads would write to the socket and close it while the loop polls
    // it.
    try demand(mosquitto_threaded_set(pointer, true), "threads")
    if let credentials = options.credentials {
      try demand(
        mosquitto_username_pw_set(pointer, credentials.username, credentials.password),
        "user name or password")
    }
    if let tls = options.tls { try configure(tls) }
    if let will = options.will { try configure(will, options) }
  }

  private func check(_ options: Options) throws(InvalidOptions) {
    if options.host.isEmpty || options.host.utf8.contains(0) {
      throw InvalidOptions(description: "the broker's host name is empty or contains a NUL")
    }
    if !(1...65535).contains(options.port) {
      throw InvalidOptions(description: "port \(options.port) is not within 1 … 65535")
    }
    if !(1...65535).contains(options.window) {
      throw InvalidOptions(description: "window \(options.window) is not within 1 … 65535")
    }
    // Message ids have 16 bits.
    if !(1...60_000).contains(options.maximumOutstanding) {
      throw InvalidOptions(description: "limit of outstanding messages is not within 1 … 60000")
    }
    if !(0...100_000_000).contains(options.maximumPayload) {
      throw InvalidOptions(description: "largest payload is not within 0 … 100000000 bytes")
    }
    if options.keepAlive < .seconds(5) || options.keepAlive > .seconds(65535) {
      throw InvalidOptions(description: "keep-alive is not within 5 s … 65535 s")
    }
    if let credentials = options.credentials,
      credentials.username.utf8.contains(0) || credentials.password?.utf8.contains(0) == true
    {
      throw InvalidOptions(description: "user name or password contains a NUL")
    }
  }

  private func demand(_ error: Int32, _ what: String) throws(InvalidOptions) {
    if error != MOSQ_ERR_SUCCESS.code { throw InvalidOptions(description: "\(what): \(words(error))") }
  }

  private func configure(_ tls: TLS) throws(InvalidOptions) {
    var file: String?
    var directory: String?
    switch tls.authority {
    case .system:
      try demand(mosquitto_int_option(pointer, MOSQ_OPT_TLS_USE_OS_CERTS, 1), "system certificates")
      // libmosquitto accepts a client certificate only together with a file or directory of authorities.
      if tls.identity != nil { directory = "/etc/ssl/certs" }
    case .file(let path): file = path
    case .directory(let path): directory = path
    }
    let identity = tls.identity
    for path in [file, directory, identity?.certificateFile, identity?.keyFile] {
      guard let path else { continue }
      if path.utf8.contains(0) { throw InvalidOptions(description: "path of a TLS file contains a NUL") }
      if access(path, R_OK) != 0 {
        throw InvalidOptions(description: "\(path) cannot be read: \(String(cString: strerror(errno)))")
      }
    }
    if let name = tls.serverName { return try tls.expect(name, of: pointer, with: tlsContext) }
    if file != nil || directory != nil {
      // Without a callback OpenSSL would ask for the passphrase on the terminal.
      let error = mosquitto_tls_set(
        pointer, file, directory, identity?.certificateFile, identity?.keyFile
      ) { _, _, _, _ in 0 }
      try demand(error, "TLS files")
    }
    try demand(mosquitto_tls_opts_set(pointer, 1, "tlsv1.2", nil), "TLS version")
  }

  private func configure(_ will: Will, _ options: Options) throws(InvalidOptions) {
    if let reason = Topic.refusal(ofName: will.topic) {
      throw InvalidOptions(description: "topic of the last will \(will.topic.debugDescription) \(reason)")
    }
    if will.payload.count > min(options.maximumPayload, 65535) {
      throw InvalidOptions(description: "payload of the last will is too large")
    }
    let error = mosquitto_will_set(
      pointer, will.topic, Int32(will.payload.count), will.payload, will.qos.rawValue, will.retain)
    try demand(error, "last will")
  }
}

extension mosq_err_t {
  var code: Int32 { Int32(rawValue) }
}
