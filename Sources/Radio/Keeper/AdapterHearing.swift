import Beacons
import Core

/// Determines from an adapter's reports, answers and commands whether it receives. A pure state machine. Silence alone proves
/// nothing, so a silent controller gets a command that every working one answers.
struct AdapterHearing {
  /// The longest silence before the controller is probed.
  static let calm = TimeSpan.milliseconds(800)
  /// With much traffic it is probed sooner, but not before this time.
  private static let briefCalm = TimeSpan.milliseconds(300)
  /// The pause between two questions to a controller that answers.
  static let questionInterval = TimeSpan.seconds(2)
  /// How long to wait for an answer. After two missing answers the adapter counts as deaf. The kernel itself waits 2 s before it
  /// sends the next command.
  static let patience = TimeSpan.milliseconds(1_200)
  /// The pause between two questions to a controller that does not answer; longer than the kernel waits for each.
  static let pleaInterval = TimeSpan.seconds(3)
  /// How long other programs may disturb the scan.
  static let tolerance = TimeSpan.milliseconds(1_500)
  /// After this silence the adapter is called quiet, unless its reports are always that rare.
  static let quietAfter = TimeSpan.seconds(4)
  /// A cut-off, in which regular senders fall silent together, is recognized within this range of silence.
  private static let cutOff = TimeSpan.seconds(3)...TimeSpan.seconds(15)
  private static let cutOffSenders = 3
  private static let emptyReports = 3
  private static let tick = TimeSpan.milliseconds(250)

  private(set) var overheard: Overheard
  private var census = SenderCensus()
  /// The time of the last report, or since when one is expected.
  private var lastReport: MonotonicTime
  private var hasReported = false
  /// Smoothed time between any two reports, nanoseconds.
  private var interval: Int64 = 0
  private var question: MonotonicTime?
  private var nextQuestion: MonotonicTime
  private var missedAnswers = 0
  private var hasAnswered = false
  /// The controller responds again after a silence, and may have lost its settings.
  var hasReturned = false
  /// Whether silence is no longer blamed on the controller, because all recovery steps were tried.
  private var isAcquitted = false
  private var silenced = 0
  private var emptySince: MonotonicTime?
  private var emptyRun = 0
  private var isEmptySuspicious = false
  private var hasHeardData = false
  private var ticked: MonotonicTime

  init(at time: MonotonicTime) {
    overheard = Overheard(at: time)
    lastReport = time
    nextQuestion = time + Self.calm
    ticked = time
  }

  /// When `advance` must be called next.
  var deadline: MonotonicTime {
    let tick = ticked + Self.tick
    return question.map { min(tick, $0 + Self.patience) } ?? tick
  }

  /// The controller was switched on: earlier observations no longer apply.
  mutating func poweredOn(at time: MonotonicTime) {
    overheard.poweredOn(at: time)
    lastReport = time
    hasReported = false
    silenced = 0
    question = nil
    missedAnswers = 0
    nextQuestion = time + Self.calm
    hasAnswered = false
    hasReturned = false
  }

  mutating func poweredOff(at time: MonotonicTime) { overheard.poweredOff(at: time) }

  /// The current silence has a harmless cause.
  mutating func acquit() { isAcquitted = true }

  /// - Parameter isEmpty: whether the report has no data although its kind normally has some.
  mutating func report(from address: UInt64, isEmpty: Bool, hasData: Bool, at time: MonotonicTime) {
    if hasReported {
      interval += ((time - lastReport).nanoseconds - interval) / 16
    }
    hasReported = true
    lastReport = time
    silenced = 0
    isAcquitted = false
    question = nil
    if missedAnswers >= 2 { hasReturned = true }
    missedAnswers = 0
    let hadData = census.note(address, hasData: hasData, at: time)
    overheard.noteReport(at: time)
    if hasData {
      emptyRun = 0
      hasHeardData = true
    } else if isEmpty {
      if emptyRun == 0 {
        emptySince = time
        isEmptySuspicious = false
      }
      emptyRun += emptyRun < .max ? 1 : 0
      if hadData || !hasHeardData { isEmptySuspicious = true }
    }
  }

  /// Processes any other packet of the raw socket, from its type on.
  mutating func overhear(_ packet: Span<UInt8>, at time: MonotonicTime) {
    guard packet.count >= 2 else { return }
    if packet[0] == HCIPacketType.command {
      overheard.command(packet.extracting(1...), at: time)
      return
    }
    guard packet[0] == HCIPacketType.event else { return }
    switch packet[1] {
    case 0x0E, 0x0F:
      // An answer to any program proves that it works.
      if overheard.answer(packet.extracting(1...), at: time) { answered(at: time) }
    case 0x10: overheard.hardwareError(at: time)
    case 0x3E where packet.count >= 4 && [0x01, 0x0A, 0x29].contains(packet[3]): overheard.connected()
    default: break
    }
  }

  /// Whether to send a command to the controller now.
  ///
  /// - Parameter canAsk: whether that is possible.
  mutating func advance(to time: MonotonicTime, canAsk: Bool) -> Bool {
    ticked = time
    guard canAsk else {
      judgeSilence(at: time)
      return false
    }
    if let asked = question {
      guard time - asked >= Self.patience else { return false }
      question = nil
      missedAnswers = min(missedAnswers + 1, 2)
      if missedAnswers == 2 { nextQuestion = asked + Self.pleaInterval } else { nextQuestion = time }
    }
    judgeSilence(at: time)
    guard time - lastReport >= calm, time >= nextQuestion else { return false }
    question = time
    return true
  }

  /// Twenty missing reports justify a question.
  private var calm: TimeSpan {
    guard hasReported else { return Self.calm }
    return min(max(TimeSpan(nanoseconds: interval) * 20, Self.briefCalm), Self.calm)
  }

  func state(at time: MonotonicTime) -> HearingState {
    if missedAnswers >= 2 { return .deaf(.noAnswer) }
    if let reset = overheard.resetAt, time - reset >= Self.calm { return .deaf(.wasReset) }
    if overheard.isScanning == false, time - overheard.scanChanged >= Self.tolerance {
      return .deaf(overheard.connectingSince == nil ? .notScanning : .connecting)
    }
    if overheard.usesAcceptList, time - overheard.acceptListChanged >= Self.tolerance {
      return .deaf(.acceptList)
    }
    if silenced >= Self.cutOffSenders, !isAcquitted { return .deaf(.fellSilent(senders: silenced)) }
    let silence = time - lastReport
    let usual = TimeSpan(nanoseconds: interval) * 3
    if silence >= max(Self.quietAfter, min(usual, .seconds(60))) { return .quiet }
    if emptyRun >= Self.emptyReports, isEmptySuspicious, let emptySince,
      lastReport - emptySince >= Self.tolerance
    {
      return .empty
    }
    return .ok
  }

  /// Whether it has proved that it receives since it was switched on.
  var isProved: Bool { hasReported || (hasAnswered && overheard.isScanning == true) }

  private mutating func answered(at time: MonotonicTime) {
    if question != nil || missedAnswers > 0 { nextQuestion = time + Self.questionInterval }
    if question != nil { hasAnswered = true }
    if missedAnswers >= 2 { hasReturned = true }
    question = nil
    missedAnswers = 0
  }

  private mutating func judgeSilence(at time: MonotonicTime) {
    guard hasReported, !isAcquitted, Self.cutOff.contains(time - lastReport) else { return }
    silenced = max(silenced, census.silenced(since: lastReport, at: time))
  }
}

/// How well an adapter receives, judged by its own packets.
enum HearingState: Equatable {
  case ok
  /// No device seems to be near: it scans and responds.
  case quiet
  /// Reports arrive without data.
  case empty
  case deaf(Deafness)
}

/// Why an adapter reports nothing.
enum Deafness: Equatable {
  case noAnswer
  /// Another program reset it and did not configure it again.
  case wasReset
  case notScanning
  case acceptList
  case connecting
  /// How many regular senders fell silent together.
  case fellSilent(senders: Int)

  var reason: String {
    switch self {
    case .noAnswer: "the controller answers no commands"
    case .wasReset: "the controller was reset and not configured again"
    case .notScanning: "the controller is not scanning"
    case .acceptList: "the controller reports only the devices that another program waits for"
    case .connecting: "another program is connecting to a device, and the controller does not scan meanwhile"
    case .fellSilent(let senders): "\(senders) regular senders fell silent at the same moment"
    }
  }
}
