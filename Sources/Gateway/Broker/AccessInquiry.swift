import Configuration
import Contract
import Core
import Glibc
import Mosquitto
import ServiceLifecycle
import Synchronization

/// With MQTT 3.1.1, finds out which of our topics the broker forbids: it acknowledges messages to them, and drops them.
final class AccessService: Feature {
  private let delivery: Delivery
  private let inquiry: AccessInquiry
  /// Whether the obstacle to asking the broker may be gone.
  private let isReloaded = Atomic(false)

  /// Many topics appear at once, so one process asks about many.
  private static let gathering = Duration.milliseconds(100)
  private static let topicsAtOnce = 200
  /// Refused topics are tried again one by one, each with a process of its own. New topics may appear one by one without end;
  /// then more of them share a process.
  private static let processes = RateLimit(burst: 100, interval: .seconds(2))

  init(_ options: Options, _ delivery: Delivery) {
    self.delivery = delivery
    inquiry = AccessInquiry(options, delivery.topics)
  }

  /// Perhaps the user has changed the broker's access rules, too.
  func configure(_ new: Configuration) {
    isReloaded.store(true, ordering: .relaxed)
    delivery.inquiry.yield()
  }

  func run() async throws {
    await cancelWhenGracefulShutdown { [delivery] in
      var (inquiry, processes) = (self.inquiry, Self.processes)
      for await _ in delivery.inquiries {
        while !Task.isCancelled {
          do { try await Task.sleep(for: Self.gathering) } catch { return }
          while delivery.hasQuestions, !processes.take(at: LiveClock.now) {
            do { try await Task.sleep(for: .seconds(1)) } catch { return }
          }
          if self.isReloaded.exchange(false, ordering: .relaxed) { inquiry.retry() }
          let questions = delivery.takeQuestions(atMost: Self.topicsAtOnce)
          if questions.isEmpty { break }
          let report = await inquiry.ask(questions)
          delivery.take(report)
          // The broker had a temporary problem, or was slow.
          if !report.left.isEmpty { try? await Task.sleep(for: .seconds(1)) }
        }
      }
    }
  }
}

/// Lets a child process ask the broker about topics, and judges its answers.
struct AccessInquiry: Sendable {
  /// What is known after an inquiry.
  struct Report: Sendable {
    /// By topic.
    var answers: [String: Permissions.Answer] = [:]
    /// Topics without an answer, to ask about again.
    var left: [String] = []
    /// Why the gateway cannot see what the broker refuses.
    var fault: String?
  }

  private let options: Options
  private let topics: Topics
  /// Whether the broker is known to forward no questions, so that no client of ours has to check.
  private var isDiscreet = false
  private var pace = InquiryPace()
  private var fault: String?

  init(_ options: Options, _ topics: Topics) {
    self.options = options
    self.topics = topics
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
      case .unadmitted(let reason):
        return fail(
          .unadmitted, "the broker admits no other client id than the gateway's: \(reason)", messages)
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

/// When to ask again after a broker could not be asked. A hostile or dead broker must cost little. A function of the time
/// passed in.
struct InquiryPace: Sendable {
  enum Failure {
    /// The broker accepts no connection at the moment.
    case unreachable
    /// The asking process ended.
    case died
    /// The broker admits the gateway, but not the client that asks.
    case unadmitted
    /// This kind of broker cannot be asked.
    case unable
  }

  /// After this many failures in a row, the problem is not a temporary one of the broker.
  private static let patience = 3
  private static let limit = TimeSpan.seconds(3600)

  private var until: MonotonicTime?
  private var inARow = 0

  /// How long to wait before asking; nil: ask now.
  func pause(at time: MonotonicTime) -> TimeSpan? { until.flatMap { $0 > time ? $0 - time : nil } }

  mutating func succeeded() { self = InquiryPace() }

  /// Returns the pause before the next attempt; nil: try again at the usual pace.
  mutating func failed(_ failure: Failure, at time: MonotonicTime) -> TimeSpan? {
    inARow += 1
    let doublings =
      switch failure {
      case .unreachable: inARow - Self.patience
      case .died, .unadmitted: inARow - 1
      case .unable: 6
      }
    guard doublings >= 0 else { return nil }
    let pause = min(TimeSpan.seconds(Double(60 << min(doublings, 6))), Self.limit)
    until = time + pause
    return pause
  }
}
