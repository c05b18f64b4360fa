import FoundationEssentials
import Glibc
import Machine
import Messages
import Mosquitto

/// The questions that a child process asks the broker about our topics, and the form of its answers.
///
/// MQTT 5 alone has words for "forbidden", but with a libmosquitto before 2.0.21 a packet of the broker's may end the process. So it
/// is spoken by a process that nobody misses. It finds the questions on its standard input, where no list of processes shows the
/// password, and writes a line for each answer.
public struct AccessQuestions: Codable, Sendable {
  struct Question: Codable, Sendable {
    var topic: String
    /// What was sent there just now: should the broker pass it on, subscribers have heard it before.
    var payload: Data
  }

  private var host: String
  private var port: Int
  private var username: String?
  private var password: String?
  private var hasTLS: Bool
  private var authorityFile: String?
  private var certificateFile: String?
  private var keyFile: String?
  /// Where gateways alone listen.
  private var instanceTopic: String
  /// Whether it is known that the broker keeps to itself what we ask with.
  private var isDiscreet: Bool
  private var questions: [Question]

  init(_ options: Options, instanceTopic: String, isDiscreet: Bool, _ messages: [Message]) {
    host = options.host
    port = options.port
    username = options.credentials?.username
    password = options.credentials?.password
    hasTLS = options.tls != nil
    if case .file(let path)? = options.tls?.authority { authorityFile = path }
    certificateFile = options.tls?.identity?.certificateFile
    keyFile = options.tls?.identity?.keyFile
    self.instanceTopic = instanceTopic
    self.isDiscreet = isDiscreet
    questions = messages.map { Question(topic: $0.topic, payload: Data($0.payload)) }
  }

  /// As the child reads it.
  var encoded: [UInt8]? { (try? JSONEncoder().encode(self)).map(Array.init) }

  private var options: Options {
    var options = Options(host: host, port: port)
    options.credentials = username.map { Credentials(username: $0, password: password) }
    guard hasTLS else { return options }
    var tls = TLS(authority: authorityFile.map(TLS.Authority.file) ?? .system)
    if let certificateFile, let keyFile {
      tls.identity = TLS.Identity(certificateFile: certificateFile, keyFile: keyFile)
    }
    options.tls = tls
    return options
  }

  /// A line of the child's.
  enum Line: Equatable {
    /// By the number of the question.
    case allowed(Int)
    case refused(Int, reason: String)
    /// The broker closed the connection at it.
    case closed(Int)
    /// The broker passes on what we ask with.
    case passedOn
    case unsupported
    case unreachable(String)

    init?(_ text: String) {
      let words = text.split(separator: " ", maxSplits: 2).map(String.init)
      let number = words.count > 1 ? Int(words[1]) : nil
      switch (words.first, number) {
      case ("allowed", let number?): self = .allowed(number)
      case ("refused", let number?) where words.count > 2: self = .refused(number, reason: words[2])
      case ("closed", let number?): self = .closed(number)
      case ("passed-on", _): self = .passedOn
      case ("unsupported", _): self = .unsupported
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
      case .unreachable(let reason): "unreachable \(reason)"
      }
    }
  }

  // MARK: In the child

  /// The longest life of a child, even if its parent is gone.
  static let patience = Duration.seconds(20)

  /// Reads the questions from standard input, asks them and reports the answers.
  public static func answer(tell: (String) -> Void) async throws {
    alarm(UInt32(patience.components.seconds))
    // If it crashes, it must end at once and silently. Swift's backtracer would keep the parent waiting.
    for fault in [SIGABRT, SIGBUS, SIGFPE, SIGILL, SIGQUIT, SIGSEGV, SIGTRAP] { signal(fault, SIG_DFL) }
    // The password is in its memory.
    var none = rlimit(rlim_cur: 0, rlim_max: 0)
    setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &none)
    let input = try FileDescriptor(0).readToEnd(limit: .max)
    let questions = try JSONDecoder().decode(AccessQuestions.self, from: Data(input))
    try await questions.ask { tell($0.text) }
  }

  private func ask(_ tell: (Line) -> Void) async throws {
    let probe = AccessProbe(options)
    if !isDiscreet, try await probe.isPassedOn(options, instanceTopic: instanceTopic) {
      return tell(.passedOn)
    }
    // So that some answers are in before a broker makes this process crash.
    for start in stride(from: 0, to: questions.count, by: Self.atOnce) {
      let some = questions[start..<min(start + Self.atOnce, questions.count)]
      let answers = try await probe.mayPublish(some.map { ($0.topic, Array($0.payload)) })
      for (place, answer) in answers.enumerated() {
        switch answer {
        case .allowed: tell(.allowed(start + place))
        case .refused(let reason): tell(.refused(start + place, reason: reason))
        case .closed: tell(.closed(start + place))
        case .unreachable(let failure):
          return tell(failure.kind == .unsupportedProtocol ? .unsupported : .unreachable("\(failure)"))
        }
      }
    }
  }

  private static let atOnce = 16
}

extension AccessProbe {
  /// Whether subscribers hear of the questions. It is tried on `instance`, where gateways alone listen, and which they know to ignore.
  func isPassedOn(_ options: Options, instanceTopic topic: String) async throws(InvalidOptions) -> Bool {
    var options = options
    options.clientID = ""
    options.will = nil
    let listener = try Client(options)
    do { try listener.subscribe(to: topic) } catch { return false }
    listener.start()
    let events = listener.events
    let question = Array(#"{"v":1}"#.utf8)
    let listens = Alarm()
    let hearing = Task {
      for await event in events {
        switch event {
        case .message(let message) where !message.retain && message.payload == question: return true
        case .subscribed, .subscriptionRefused, .refused: listens.ring()
        default: break
        }
      }
      return false
    }
    await listens.wait(for: Self.patience)
    _ = try await mayPublish(question, to: topic)
    // Nothing says that nothing comes.
    try? await Task.sleep(for: .milliseconds(300))
    await listener.stop()
    return await hearing.value
  }
}
