import CMosquitto

/// Owns one `struct mosquitto` and frees it.
///
/// It is Sendable because libmosquitto locks its own state. `Session` prevents the one thing that is not locked: connecting
/// again while publishing.
struct Handle: ~Copyable, @unchecked Sendable {
  let pointer: OpaquePointer
  /// The callbacks of libmosquitto write here. The handle holds it, so that it outlives libmosquitto's pointer.
  let inbox: Inbox

  /// `configure` must follow.
  init(_ options: Options) throws(InvalidOptions) {
    _ = Handle.library
    if options.clientID.utf8.contains(0) { throw InvalidOptions(description: "client id contains a NUL") }
    let inbox = Inbox(options)
    let context = Unmanaged.passUnretained(inbox).toOpaque()
    // A new session each time: what the broker kept for an earlier connection is not asked for.
    guard let pointer = mosquitto_new(options.clientID.isEmpty ? nil : options.clientID, true, context)
    else {
      throw InvalidOptions(description: "client id \(options.clientID.debugDescription) is not valid")
    }
    self.pointer = pointer
    self.inbox = inbox
  }

  deinit { mosquitto_destroy(pointer) }

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
  /// The reason with which a broker rejects a message that it has no room for at the moment (MQTT 5.0, section 3.4.2.1): its
  /// access list has no part in this.
  public static var quotaExceeded: String { reasonWords(0x97) }
}

/// The text of an MQTT 5 reason code.
func reasonWords(_ code: Int32) -> String {
  // MQTT 5.0 section 4.13: session taken over.
  if code == 0x8E {
    return "another client has connected with our client id; is the same gateway running twice?"
  }
  return String(cString: mosquitto_reason_string(code))
}
