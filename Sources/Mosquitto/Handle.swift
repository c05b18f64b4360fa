import CMosquitto

/// Owns one `struct mosquitto` and frees it once.
///
/// Sendable because libmosquitto guards its own state; what it does not guard (connecting again while
/// publishing) `Session` keeps apart.
struct Handle: ~Copyable, @unchecked Sendable {
  let pointer: OpaquePointer
  /// What libmosquitto's callbacks write into. Held here, so that it outlives the pointer.
  let inbox: Inbox

  init(_ options: Options, inbox: Inbox) throws(InvalidOptions) {
    _ = Handle.library
    if options.clientID.utf8.contains(0) { throw InvalidOptions(description: "client id contains a NUL") }
    let context = Unmanaged.passUnretained(inbox).toOpaque()
    // MQTT 3.1.1 knows nameless clients only with a clean session.
    let clean = options.cleanStart || options.clientID.isEmpty
    guard let pointer = mosquitto_new(options.clientID.isEmpty ? nil : options.clientID, clean, context)
    else {
      throw InvalidOptions(description: "client id \(options.clientID.debugDescription) is not valid")
    }
    self.pointer = pointer
    self.inbox = inbox
    Inbox.attach(to: pointer, usesTLS: options.tls != nil)
  }

  deinit { mosquitto_destroy(pointer) }

  /// Makes libmosquitto forget all messages, while nobody else calls it.
  func renew(_ options: Options) throws(InvalidOptions) {
    let clientID = options.clientID.isEmpty ? nil : options.clientID
    let context = Unmanaged.passUnretained(inbox).toOpaque()
    let error = mosquitto_reinitialise(
      pointer, clientID, options.cleanStart || options.clientID.isEmpty, context)
    if error != MOSQ_ERR_SUCCESS.code { throw InvalidOptions(description: words(error)) }
    Inbox.attach(to: pointer, usesTLS: options.tls != nil)
    try configure(options)
  }

  /// libmosquitto wants this before anything else, once a process.
  private static let library: Int32 = mosquitto_lib_init()
}

/// The words for a libmosquitto error.
func words(_ error: Int32) -> String { String(cString: mosquitto_strerror(error)) }

/// The words for a reason code of MQTT 5.
func reasonWords(_ code: Int32) -> String {
  // MQTT 5.0 section 4.13: session taken over.
  if code == 0x8E {
    return "another client has connected with our client id; is the same gateway running twice?"
  }
  return String(cString: mosquitto_reason_string(code))
}
