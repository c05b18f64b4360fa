import Contract
import Core
import Glibc
import Mosquitto

/// The questions that a child process asks the broker about our topics, and the form of its answers.
///
/// Only MQTT 5 can express a refusal, but with a libmosquitto before 2.0.21 a packet from the broker may crash the process. So
/// a child process asks. It reads the questions from standard input, where no list of processes shows the password, and writes
/// a line for each answer.
package struct AccessQuestions: Sendable {
  struct Question: Sendable {
    var topic: String
    /// The latest payload at this topic: if the broker forwards it after all, subscribers have already seen it.
    var payload: [UInt8]
  }

  /// The broker and our account there.
  private(set) var options: Options
  /// A topic that only gateways subscribe to.
  let instanceTopic: String
  /// Whether the broker is known not to forward the questions.
  let isDiscreet: Bool
  let questions: [Question]

  init(_ options: Options, instanceTopic: String, isDiscreet: Bool, _ messages: [Message]) {
    self.options = options
    self.instanceTopic = instanceTopic
    self.isDiscreet = isDiscreet
    questions = messages.map { Question(topic: $0.topic, payload: $0.payload) }
  }

  /// In the form that the child reads.
  var encoded: [UInt8] {
    JSONWriter.object {
      $0.field("host", options.host)
      $0.field("port", options.port)
      $0.field("client", options.clientID)
      $0.field("username", options.credentials?.username)
      $0.field("password", options.credentials?.password)
      $0.object("tls", of: options.tls) { json, tls in
        if case .file(let path) = tls.authority { json.field("authority", path) }
        json.field("certificate", tls.identity?.certificateFile)
        json.field("key", tls.identity?.keyFile)
        json.field("name", tls.serverName)
      }
      $0.field("instance", instanceTopic)
      $0.field("discreet", isDiscreet)
      $0.objects("questions", questions) { json, question in
        json.field("topic", question.topic)
        json.field("payload", String(decoding: question.payload, as: UTF8.self))
      }
    }
  }

  init(_ encoded: [UInt8]) throws(JSONCursor.Malformed) {
    let tree = try JSONTree(encoded, limit: encoded.count)
    guard let host = tree.text("host"), let port = tree["port"]?.wholeNumber, let tls = tree["tls"],
      let instance = tree.text("instance"), let isDiscreet = tree.flag("discreet"),
      case .list(let questions)? = tree["questions"]
    else { throw JSONCursor.Malformed(offset: 0, message: "a member is missing") }
    options = Options(host: host, port: Int(port))
    options.clientID = tree.text("client") ?? ""
    options.credentials = tree.text("username").map {
      Credentials(username: $0, password: tree.text("password"))
    }
    if tls != .null {
      options.tls = TLS(
        authority: tls.text("authority").map(TLS.Authority.file) ?? .system, serverName: tls.text("name"))
      if let certificate = tls.text("certificate"), let key = tls.text("key") {
        options.tls?.identity = TLS.Identity(certificateFile: certificate, keyFile: key)
      }
    }
    instanceTopic = instance
    self.isDiscreet = isDiscreet
    self.questions = questions.compactMap { question in
      question.text("topic").map {
        Question(topic: $0, payload: Array((question.text("payload") ?? "").utf8))
      }
    }
  }

  /// A line from the child.
  enum Line: Equatable {
    /// With the number of the question.
    case allowed(Int)
    case refused(Int, reason: String)
    /// The broker closed the connection at it.
    case closed(Int)
    /// The broker forwards the questions to subscribers.
    case passedOn
    case unsupported
    /// The broker refuses the child, although it admits the gateway.
    case unadmitted(String)
    case unreachable(String)

    static func unreachable(_ failure: ConnectionFailure) -> Line {
      switch failure.kind {
      case .unsupportedProtocol: .unsupported
      case .badCredentials, .notAuthorised, .clientIDRejected: .unadmitted("\(failure)")
      default: .unreachable("\(failure)")
      }
    }

    init?(_ text: String) {
      let words = text.split(separator: " ", maxSplits: 2).map(String.init)
      let number = words.count > 1 ? Int(words[1]) : nil
      switch (words.first, number) {
      case ("allowed", let number?): self = .allowed(number)
      case ("refused", let number?) where words.count > 2: self = .refused(number, reason: words[2])
      case ("closed", let number?): self = .closed(number)
      case ("passed-on", _): self = .passedOn
      case ("unsupported", _): self = .unsupported
      case ("unadmitted", _): self = .unadmitted(words.dropFirst().joined(separator: " "))
      case ("unreachable", _): self = .unreachable(words.dropFirst().joined(separator: " "))
      default: return nil
      }
    }

    var text: String {
      switch self {
      case .allowed(let number): "allowed \(number)"
      case .refused(let number, let reason): "refused \(number) \(reason)"
      case .closed(let number): "closed \(number)"
      case .passedOn: "passed-on"
      case .unsupported: "unsupported"
      case .unadmitted(let reason): "unadmitted \(reason)"
      case .unreachable(let reason): "unreachable \(reason)"
      }
    }
  }

  // MARK: In the child

  /// The longest life of a child, even if its parent is gone.
  static let patience = Duration.seconds(20)

  /// Reads the questions from standard input, asks them and reports the answers.
  package static func answer(tell: (String) -> Void) async throws {
    alarm(UInt32(patience.components.seconds))
    // If it crashes, it must end at once and silently. Swift's backtracer would keep the parent waiting.
    for fault in [SIGABRT, SIGBUS, SIGFPE, SIGILL, SIGQUIT, SIGSEGV, SIGTRAP] { signal(fault, SIG_DFL) }
    // The password is in its memory.
    var none = rlimit(rlim_cur: 0, rlim_max: 0)
    setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &none)
    let input = try FileDescriptor(0).readToEnd(limit: .max)
    let questions = try AccessQuestions(input)
    try await questions.ask { tell($0.text) }
  }

  private func ask(_ tell: (Line) -> Void) async throws {
    let probe = AccessProbe(options.beside())
    if !isDiscreet {
      switch try await probe.discretion(options.beside(), instanceTopic: instanceTopic) {
      case .discreet: break
      case .passedOn: return tell(.passedOn)
      case .unadmitted(let failure): return tell(await line(failure))
      }
    }
    // In small portions, so that some answers are known before the broker crashes this process.
    for start in stride(from: 0, to: questions.count, by: Self.atOnce) {
      let some = questions[start..<min(start + Self.atOnce, questions.count)]
      let answers = try await probe.mayPublish(some.map { ($0.topic, $0.payload) })
      for (place, answer) in answers.enumerated() {
        switch answer {
        case .allowed: tell(.allowed(start + place))
        case .refused(let reason): tell(.refused(start + place, reason: reason))
        case .closed, .noRoom: tell(.closed(start + place))
        case .unreachable(let failure): return tell(await line(failure))
        }
      }
    }
  }

  /// Some brokers of MQTT 3.1.1 just close the connection of a client of MQTT 5 (RabbitMQ 3).
  private func line(_ failure: ConnectionFailure) async -> Line {
    guard failure.kind == .closed else { return .unreachable(failure) }
    var older = options.beside()
    older.protocolVersion = .v311
    if case .accepted = await BrokerTrial(older).run() { return .unsupported }
    return .unreachable(failure)
  }

  private static let atOnce = 16
}

extension AccessProbe {
  /// Whether subscribers see a question.
  enum Discretion: Sendable {
    /// The broker forwards nothing.
    case discreet
    case passedOn
    /// The broker does not admit the client that asks.
    case unadmitted(ConnectionFailure)
  }

  /// mosquitto's use_username_as_clientid. Each question would end the gateway's own connection.
  private static let sharedID =
    "it ends a connection when another of the same user begins, as if both had one client id (use_username_as_clientid)"

  /// Whether the broker forwards questions to subscribers. It is tried with `instance`: only gateways subscribe to it, and they
  /// ignore a repetition.
  ///
  /// - Parameter options: for a client beside that of the probe.
  func discretion(_ options: Options, instanceTopic topic: String) async throws(InvalidOptions) -> Discretion
  {
    var options = options
    options.reconnects = false
    let listener = try Client(options)
    do { try listener.subscribe(to: topic) } catch { return .discreet }
    listener.start()
    let events = listener.events
    let question = Array(#"{"v":1}"#.utf8)
    let listens = Alarm()
    let hearing = Task {
      for await event in events {
        switch event {
        case .message(let message) where !message.retain && message.payload == question:
          return Discretion.passedOn
        case .refused(let failure):
          listens.ring()
          return .unadmitted(failure)
        case .subscribed, .subscriptionRefused: listens.ring()
        default: break
        }
      }
      return .discreet
    }
    await listens.wait(for: Self.patience)
    // A client that was not admitted has ended.
    if listener.isConnected {
      _ = try await mayPublish(question, to: topic)
      // A broker that forwards nothing sends nothing either, so wait a moment.
      try? await Task.sleep(for: .milliseconds(300))
      if !listener.isConnected {
        await listener.stop()
        return .unadmitted(ConnectionFailure(.clientIDRejected, Self.sharedID))
      }
    }
    await listener.stop()
    return await hearing.value
  }
}
