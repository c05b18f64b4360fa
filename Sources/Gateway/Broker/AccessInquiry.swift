import MQTT
import Beacons
import Glibc
import Machine
import Messages
import Mosquitto
import Synchronization

/// Lets a child process ask the broker about topics, and judges its answers.
struct AccessInquiry: Sendable {
  /// What is known after an inquiry.
  struct Report: Sendable {
    /// By topic.
    var answers: [String: Permissions.Answer] = [:]
    /// Not answered; ask again.
    var left: [String] = []
    /// Why the gateway cannot see what the broker refuses.
    var fault: String?
  }

  private let options: Options
  private let topics: Topics
  /// No client of ours is needed to know whether it is discreet: the broker forwards nothing.
  private var isDiscreet = false
  private var pace = InquiryPace()
  private var fault: String?

  init(_ options: Options, gateway: String) {
    self.options = options
    topics = Topics(gateway: gateway)
  }

  /// Whether the cause that prevented asking may have been fixed.
  mutating func retry() { pace = InquiryPace() }

  mutating func ask(_ messages: [Message]) async -> Report {
    if let pause = pace.pause(at: LiveClock.now) {
      return unknown(messages, for: pause)
    }
    // Every account that works may publish one of these. If neither is allowed, the broker decides by client id, and its
    // answers to the child prove nothing about us.
    let controls = [
      Status.online.message(topics: topics),
      Message(topic: topics.instance, payload: Array(#"{"v":1}"#.utf8), qos: .atLeastOnce, retained: false),
    ]
    let lines = await lines(of: controls + messages)
    return judge(lines, controls.map(\.topic), messages)
  }

  private func lines(of messages: [Message]) async -> [AccessQuestions.Line] {
    let questions = AccessQuestions(
      options, instanceTopic: topics.instance, isDiscreet: isDiscreet, messages)
    let lines = Lines()
    do throws(ChildProcess.StartError) {
      // The running program itself, even if another version was installed meanwhile.
      let child = try await ChildProcess.start(["/proc/self/exe", "ask-broker"], input: questions.encoded) {
        line in
        if let line = AccessQuestions.Line(line) { lines.all.withLock { $0.append(line) } }
      }
      if await child.ended(within: AccessQuestions.patience) == nil {
        child.signal(SIGKILL)
        _ = await child.ended(within: .seconds(1))
      }
    } catch {
      return [.unreachable("cannot start a process to ask the broker: \(error)")]
    }
    return lines.all.withLock { $0 }
  }

  private final class Lines: Sendable {
    let all = Mutex<[AccessQuestions.Line]>([])
  }

  mutating func judge(
    _ lines: [AccessQuestions.Line], _ controls: [String], _ messages: [Message]
  ) -> Report {
    let asked = controls + messages.map(\.topic)
    var answers: [String: Permissions.Answer] = [:]
    for line in lines {
      switch line {
      case .allowed(let number) where asked.indices.contains(number): answers[asked[number]] = .allowed
      case .refused(let number, let reason) where asked.indices.contains(number):
        answers[asked[number]] = .refused(reason: reason)
      // Then the gateway's own connection is closed too, and `Caution` finds the message.
      case .closed(let number) where asked.indices.contains(number):
        answers[asked[number]] = .unknown(Permissions.term)
      case .allowed, .refused, .closed: break
      case .passedOn: return fail(.unable, "the broker delivers test messages to subscribers", messages)
      case .unsupported: return fail(.unable, "the broker speaks MQTT 3.1.1 only", messages)
      case .unreachable(let reason): return fail(.unreachable, reason, messages)
      }
    }
    guard messages.contains(where: { answers[$0.topic] != nil }) else {
      return fail(.died, "the process that asks the broker ended without an answer", messages)
    }
    isDiscreet = true
    pace.succeeded()
    let isKnown = answers.contains { $0.key.hasPrefix(topics.base + "/") && $0.value == .allowed }
    fault = isKnown ? nil : "the broker also refuses \(topics.status) to another client id"
    var report = Report(fault: fault)
    for message in messages {
      switch answers[message.topic] {
      case .refused where !isKnown: report.answers[message.topic] = .unknown(Permissions.term)
      case let answer?: report.answers[message.topic] = answer
      case nil: report.left.append(message.topic)
      }
    }
    return report
  }

  private mutating func fail(_ failure: InquiryPace.Failure, _ fault: String, _ messages: [Message]) -> Report
  {
    guard let pause = pace.failed(failure, at: LiveClock.now) else {
      return Report(left: messages.map(\.topic))
    }
    self.fault = fault
    return unknown(messages, for: pause)
  }

  private func unknown(_ messages: [Message], for pause: TimeSpan) -> Report {
    var report = Report(fault: fault)
    for message in messages { report.answers[message.topic] = .unknown(pause) }
    return report
  }
}
