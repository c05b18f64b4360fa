import CMosquitto
import Core
import Dispatch
import Glibc

/// Asks a broker what it would allow, without doing it.
///
/// A broker answers a QoS 2 message before it forwards it: its PUBREC says whether the message is allowed (MQTT 5.0, section
/// 3.5.2.1), and only our PUBREL would release it to subscribers. The probe never sends that PUBREL. It closes the connection
/// instead, and the broker drops the message with the session. So the probe can use the real topics; nothing is retained
/// and no subscriber gets it. This holds for mosquitto. Another broker might forward the message at once, so the caller
/// should check that first.
///
/// It always uses MQTT 5, because MQTT 3.1.1 cannot express a refusal.
package struct AccessProbe: Sendable {
  package enum Answer: Sendable, Equatable {
    case allowed
    case refused(reason: String)
    /// The broker closed the connection instead of answering, as some do with anything forbidden.
    case closed
    /// The broker has no room for the message now, which proves nothing about the topic.
    case noRoom(reason: String)
    case unreachable(ConnectionFailure)
  }

  private var options: Options
  /// How long a broker may take to greet, and at least to answer.
  package static let patience = Duration.seconds(3)
  /// A broker that is slow to greet gets this many times as long for an answer. Otherwise a topic would seem forbidden because a
  /// machine is busy.
  private static let slowness = 5

  /// - Parameter options: the options of the future client, or of one beside it; the last will is not used.
  package init(_ options: Options) {
    self.options = options.withoutWill()
    self.options.protocolVersion = .v5
  }

  package func mayPublish(_ payload: [UInt8] = [], to topic: String) async throws(InvalidOptions) -> Answer {
    let answers = try await ask([.publish(topic, payload)])
    return answers.first ?? .closed
  }

  package func maySubscribe(to filter: String) async throws(InvalidOptions) -> Answer {
    try await ask([.subscribe(filter)]).first ?? .closed
  }

  /// Asks about several topics over as few connections as possible. Returns one answer for each, or only `unreachable`.
  package func mayPublish(
    _ messages: [(topic: String, payload: [UInt8])]
  ) async throws(InvalidOptions) -> [Answer] {
    var answers: [Answer] = []
    while answers.count < messages.count {
      let rest = messages.dropFirst(answers.count).prefix(Self.messagesAtOnce)
      var more = try await ask(rest.map { .publish($0.topic, $0.payload) })
      // The connection is closed at one of these questions.
      if more.isEmpty, let first = rest.first {
        more = [try await mayPublish(first.payload, to: first.topic)]
      }
      if case .unreachable? = more.first { return more }
      answers += more
    }
    return answers
  }

  /// mosquitto accepts 20 by default.
  private static let messagesAtOnce = 16

  private enum Question: Sendable {
    case publish(String, [UInt8])
    case subscribe(String)

    /// Why the broker does not accept a packet of this size; nil: it does.
    func excess(over limit: Int) -> String? {
      guard case .publish(let topic, let payload) = self else { return nil }
      let size = Packet.size(topic: topic.utf8.count, payload: payload.count)
      return size > limit ? "packet too large: \(size) octets, and this broker accepts \(limit)" : nil
    }
  }

  /// Returns answers to the first questions, one each; or none.
  private func ask(_ questions: [Question]) async throws(InvalidOptions) -> [Answer] {
    let options = options
    let result = await withCheckedContinuation { continuation in
      DispatchQueue.global().async {
        continuation.resume(
          returning: Result { () throws(InvalidOptions) in
            let handle = try Handle(options)
            // This also makes libmosquitto hold back its PUBREL until we let it write.
            try handle.configure(options)
            var conversation = Conversation(options: options, questions: questions)
            return conversation.run(handle)
          })
      }
    }
    return try result.get()
  }

  /// One connection.
  private struct Conversation {
    let options: Options
    var questions: [Question]
    /// Places of the questions by libmosquitto's message id.
    private var places: [Int32: Int] = [:]
    /// The answers for what was not allowed, by the question's index.
    private var answers: [Int: Answer] = [:]

    init(options: Options, questions: [Question]) {
      self.options = options
      self.questions = questions
    }

    mutating func run(_ handle: borrowing Handle) -> [Answer] {
      let client = handle.pointer, began = ContinuousClock.now
      handle.inbox.diagnoseThisThread()
      errno = 0
      var error = mosquitto_connect_bind_v5(
        client, options.host, Int32(options.port), Int32(options.keepAlive.mqttSeconds), nil, nil)
      var number = errno
      var isAsked = false
      var refusal: ConnectionFailure?
      var deadline = ContinuousClock.now + AccessProbe.patience
      while error == MOSQ_ERR_SUCCESS.code, ContinuousClock.now < deadline {
        // Once the questions are sent, only PUBRELs are left to write, and they must not be sent.
        error = turn(handle, mayWrite: !isAsked)
        number = errno
        for item in handle.inbox.take() {
          switch item {
          case .connack(code: 0, _, let maximumPacket, let receiveMaximum):
            questions = Array(questions.prefix(receiveMaximum))
            let error = askAll(client, maximumPacket)
            if error == MOSQ_ERR_QOS_NOT_SUPPORTED.code {
              return [.unreachable(ConnectionFailure(.other, Self.noQoS2))]
            }
            guard error == MOSQ_ERR_SUCCESS.code, writeAll(handle) else { return [] }
            isAsked = true
            deadline = .now + AccessProbe.patience + min(.seconds(12), (.now - began) * AccessProbe.slowness)
          case .connack(let code, _, _, _):
            refusal = ConnectionFailure(connack: code, reason: reasonWords(code))
          case .answered(let mid, let reason):
            guard let place = places[mid] else { break }
            let words = reasonWords(reason)
            answers[place] = Client.isPassing(words) ? .noRoom(reason: words) : .refused(reason: words)
          case .subscribed(let mid, let granted) where granted >= 0x80:
            if let place = places[mid] { answers[place] = .refused(reason: reasonWords(granted)) }
          case .unsubscribed: return questions.indices.map { answers[$0] ?? .allowed }
          default: break
          }
        }
      }
      if isAsked { return answersSoFar }
      let silence = ConnectionFailure(.unreachable, "no answer to the MQTT greeting")
      let failure = ConnectionFailure(
        error: error, errno: number, diagnosis: handle.inbox.takeDiagnosis(), options)
      return [.unreachable(refusal ?? (error == MOSQ_ERR_SUCCESS.code ? silence : failure))]
    }

    /// Brokers answer messages in their order (MQTT 5.0, section 4.6), so those before one that was refused are answered, too.
    private var answersSoFar: [Answer] {
      guard let last = places.values.filter({ answers[$0] != nil }).max() else { return [] }
      return (0...last).map { answers[$0] ?? .allowed }
    }

    private static let noQoS2 = "the broker takes no messages of QoS 2, with which it could be asked"

    /// libmosquitto does not report permitted messages. So a harmless request comes last: brokers answer it after all the
    /// others.
    ///
    /// - Returns: libmosquitto's error.
    private mutating func askAll(_ client: OpaquePointer, _ maximumPacket: Int) -> Int32 {
      for (place, question) in questions.enumerated() {
        var mid: Int32 = 0
        // The broker would close the connection.
        if let reason = question.excess(over: maximumPacket) {
          answers[place] = .refused(reason: reason)
          continue
        }
        let error =
          switch question {
          case .publish(let topic, let payload):
            mosquitto_publish_v5(client, &mid, topic, Int32(payload.count), payload, 2, false, nil)
          case .subscribe(let filter): mosquitto_subscribe(client, &mid, filter, 0)
          }
        guard error == MOSQ_ERR_SUCCESS.code else { return error }
        places[mid] = place
      }
      return mosquitto_unsubscribe(client, nil, "beaconkeeper/nothing")
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
