import CMosquitto
import Dispatch
import Glibc

/// Asks a broker what it would let us do, without doing it.
///
/// A message of QoS 2 is answered before it goes anywhere: the broker's PUBREC says whether it is allowed (MQTT 5.0, section 3.5.2.1),
/// and only our PUBREL would release it to subscribers. That is never sent: the connection is closed instead, and the broker forgets
/// the message with the session. So the very topics can be asked about, nothing is retained, and nobody hears of it. mosquitto
/// does that; a broker may pass the message on at once, and whoever asks should find that out first.
///
/// MQTT 5 is spoken whatever else is configured, for 3.1.1 has no word for "forbidden".
public struct AccessProbe: Sendable {
  public enum Answer: Sendable, Equatable {
    case allowed
    case refused(reason: String)
    /// The broker closed the connection instead of an answer, as some do with what they forbid.
    case closed
    case unreachable(ConnectionFailure)
  }

  private let options: Options
  private static let patience = Duration.seconds(3)

  /// - Parameter options: those of the client to be; its id and its last will stay out of this.
  public init(_ options: Options) {
    var options = options
    options.protocolVersion = .v5
    options.clientID = ""
    options.cleanStart = true
    options.will = nil
    self.options = options
  }

  public func mayPublish(_ payload: [UInt8] = [], to topic: String) async throws(InvalidOptions) -> Answer {
    try await ask { client in
      mosquitto_publish_v5(client, nil, topic, Int32(payload.count), payload, 2, false, nil)
    }
  }

  public func maySubscribe(to filter: String) async throws(InvalidOptions) -> Answer {
    try await ask { mosquitto_subscribe($0, nil, filter, 0) }
  }

  private func ask(
    _ question: @escaping @Sendable (OpaquePointer) -> Int32
  ) async throws(InvalidOptions) -> Answer {
    let options = options
    let result = await withCheckedContinuation { continuation in
      DispatchQueue.global().async {
        continuation.resume(
          returning: Result { () throws(InvalidOptions) in
            let handle = try Handle(options, inbox: Inbox(options))
            // Also makes libmosquitto keep its PUBREL until it is told to write.
            try handle.configure(options)
            return Conversation(options: options).run(handle, question)
          })
      }
    }
    return try result.get()
  }

  /// One connection for one question.
  private struct Conversation {
    let options: Options

    func run(_ handle: borrowing Handle, _ question: (OpaquePointer) -> Int32) -> Answer {
      let client = handle.pointer
      handle.inbox.diagnoseThisThread()
      errno = 0
      var error = mosquitto_connect_bind_v5(
        client, options.host, Int32(options.port), Int32(options.keepAlive.mqttSeconds), nil, nil)
      var number = errno
      var isAsked = false
      var refusal: ConnectionFailure?
      let deadline = ContinuousClock.now + AccessProbe.patience
      while error == MOSQ_ERR_SUCCESS.code, ContinuousClock.now < deadline {
        // Once the question is out, what is to be written is the PUBREL, and says that the broker has said yes.
        if isAsked, mosquitto_want_write(client) { return .allowed }
        error = turn(handle, mayWrite: !isAsked)
        number = errno
        for item in handle.inbox.take() {
          switch item {
          case .connack(code: 0, _, _):
            error = question(client)
            guard error == MOSQ_ERR_SUCCESS.code, writeAll(handle) else { return .closed }
            isAsked = true
          case .connack(let code, _, _):
            refusal = ConnectionFailure(connack: code, reason: reasonWords(code))
          case .answered(_, let reason): return .refused(reason: reasonWords(reason))
          case .subscribed(_, let granted):
            return granted < 0x80 ? .allowed : .refused(reason: reasonWords(granted))
          default: break
          }
        }
      }
      if isAsked { return .closed }
      let silence = ConnectionFailure(.unreachable, "no answer to the MQTT greeting")
      let failure = ConnectionFailure(
        error: error, errno: number, diagnosis: handle.inbox.takeDiagnosis(), options)
      return .unreachable(refusal ?? (error == MOSQ_ERR_SUCCESS.code ? silence : failure))
    }

    private func writeAll(_ handle: borrowing Handle) -> Bool {
      let deadline = ContinuousClock.now + AccessProbe.patience
      while mosquitto_want_write(handle.pointer), ContinuousClock.now < deadline {
        let (inbox, client) = (handle.inbox, handle.pointer)
        guard inbox.writing({ mosquitto_loop_write(client, 1) }) == MOSQ_ERR_SUCCESS.code else {
          return false
        }
      }
      return true
    }

    private func turn(_ handle: borrowing Handle, mayWrite: Bool) -> Int32 {
      let client = handle.pointer
      let socket = mosquitto_socket(client)
      guard socket >= 0 else { return MOSQ_ERR_NO_CONN.code }
      let wanted = mayWrite && mosquitto_want_write(client) ? POLLIN | POLLOUT : POLLIN
      var entry = pollfd(fd: socket, events: Int16(wanted), revents: 0)
      guard poll(&entry, 1, 100) >= 0 else {
        return errno == EINTR ? MOSQ_ERR_SUCCESS.code : MOSQ_ERR_ERRNO.code
      }
      errno = 0
      if entry.revents & ~Int16(POLLOUT) != 0 || options.tls != nil {
        let error = mosquitto_loop_read(client, 1)
        if error != MOSQ_ERR_SUCCESS.code { return error }
      }
      if mayWrite, entry.revents & Int16(POLLOUT) != 0 {
        return handle.inbox.writing { mosquitto_loop_write(client, 1) }
      }
      return MOSQ_ERR_SUCCESS.code
    }
  }
}
