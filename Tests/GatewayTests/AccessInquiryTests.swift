import Beacons
import Contract
import Core
import Mosquitto
import Testing

@testable import Gateway

/// What the process that asks the broker says, and what is made of it.
@Suite struct AccessInquiryTests {
  private var inquiry = AccessInquiry(Options(host: "broker"), Topics(gateway: "home"))
  private let controls = ["beaconkeeper/home/status", "beaconkeeper/home/instance"]
  private let messages = ["enter", "exit"].map {
    Message(topic: "beaconkeeper/home/zone/Garage/\($0)", payload: [], qos: .atLeastOnce, retained: false)
  }

  private mutating func judge(_ lines: [AccessQuestions.Line]) -> AccessInquiry.Report {
    inquiry.judge(lines, controls, messages)
  }

  private func answer(_ report: AccessInquiry.Report, _ number: Int) -> Permissions.Answer? {
    report.answers[messages[number].topic]
  }

  @Test mutating func eachTopicHasItsAnswer() {
    let report = judge([.allowed(0), .refused(1, reason: "no"), .refused(2, reason: "no"), .allowed(3)])
    #expect(answer(report, 0) == .refused(reason: "no") && answer(report, 1) == .allowed)
    #expect(report.left.isEmpty && report.fault == nil)
  }

  /// As with mosquitto's `pattern write beaconkeeper/%c/#`: what it says of another client id tells nothing of the gateway.
  @Test mutating func whereTheClientIDCountsNothingIsConcluded() {
    let report = judge((0..<4).map { .refused($0, reason: "no") })
    #expect(answer(report, 0) == .unknown(Permissions.term))
    #expect(answer(report, 1) == .unknown(Permissions.term))
    #expect(report.fault?.contains("client id") == true)
    // What lies elsewhere says nothing of it.
    let discovery = Message(topic: "homeassistant/a/config", payload: [], qos: .atLeastOnce, retained: true)
    let other = inquiry.judge(
      [.refused(0, reason: "no"), .refused(1, reason: "no"), .allowed(2)], controls, [discovery])
    #expect(other.answers[discovery.topic] == .allowed && other.fault == report.fault)
  }

  @Test mutating func whereTheConnectionIsClosedTheGatewayFindsOutByItself() {
    let report = judge([.allowed(0), .allowed(1), .closed(2), .allowed(3)])
    #expect(answer(report, 0) == .unknown(Permissions.term) && answer(report, 1) == .allowed)
  }

  @Test mutating func whatWasNotAnsweredIsAskedAgain() {
    #expect(judge([.allowed(0), .allowed(1), .allowed(2)]).left == [messages[1].topic])
  }

  @Test mutating func aBrokerThatEndsWhoAsksIsLeftAlone() async {
    for lines in [[], [AccessQuestions.Line.allowed(0), .allowed(1)]] {
      inquiry.retry()
      #expect(answer(judge(lines), 0) == .unknown(.seconds(60)))
      let report = await inquiry.ask(messages)
      #expect(report.fault?.contains("ended without an answer") == true && report.answers.count == 2)
    }
  }

  @Test mutating func aBrokerThatCannotBeAskedIsTakenAtItsWord() {
    #expect(answer(judge([.unsupported]), 0) == .unknown(.seconds(3600)))
    inquiry.retry()
    #expect(judge([.passedOn]).fault?.contains("delivers test messages") == true)
  }

  @Test mutating func aBrokerThatAdmitsOneClientIDIsNotAskedAgainAndAgain() {
    let report = judge([.unadmitted("the broker refused the client id")])
    #expect(report.fault?.contains("no other client id") == true)
    #expect(answer(report, 0) == .unknown(.seconds(60)))
  }

  @Test mutating func aBadMomentOfTheBrokersIsWaitedFor() {
    for _ in 0..<2 { #expect(judge([.unreachable("no route")]).left.count == 2) }
    let report = judge([.unreachable("no route")])
    #expect(report.fault == "no route" && answer(report, 0) == .unknown(.seconds(60)))
  }

  @Test(arguments: [
    AccessQuestions.Line.allowed(7), .refused(0, reason: "Not authorized"), .closed(3), .passedOn,
    .unsupported,
    .unreachable("connection refused"), .unadmitted("the broker refused the client id"),
  ])
  func aLineIsReadAsItWasWritten(line: AccessQuestions.Line) {
    #expect(AccessQuestions.Line(line.text) == line)
  }

  @Test(arguments: [
    "", "allowed", "allowed x", "refused 1", "Fatal error: 3", "munmap_chunk(): invalid pointer",
  ])
  func theOutputOfAKilledProcessIsNoAnswer(text: String) { #expect(AccessQuestions.Line(text) == nil) }

  @Test func theChildReadsWhatItIsAsked() throws {
    var options = Options(host: "broker", port: 8883)
    options.clientID = "gw-home"
    options.credentials = Credentials(username: "ö\"\n", password: nil)
    options.tls = TLS(
      authority: .file("/ca"), identity: TLS.Identity(certificateFile: "/c", keyFile: "/k"),
      serverName: "broker.example")
    let asked = AccessQuestions(
      options, instanceTopic: "i", isDiscreet: true,
      [Message(topic: "t", payload: Array(#"{"a":"\u0000ü"}"#.utf8), qos: .atLeastOnce, retained: false)])
    let read = try AccessQuestions(asked.encoded)
    #expect(read.encoded == asked.encoded)
    #expect(read.questions.first?.payload == asked.questions.first?.payload && read.questions.count == 1)
    #expect(read.options.clientID == "gw-home")
    #expect(read.options.host == "broker" && read.options.port == 8883)
    #expect(read.options.credentials?.username == "ö\"\n" && read.options.credentials?.password == nil)
    #expect(read.options.tls?.identity?.keyFile == "/k")
    #expect(read.options.tls?.serverName == "broker.example")
    let plain = try AccessQuestions(
      AccessQuestions(Options(host: "b"), instanceTopic: "i", isDiscreet: false, []).encoded)
    #expect(plain.options.tls == nil && plain.options.credentials == nil && !plain.isDiscreet)
    #expect(throws: JSONCursor.Malformed.self) { try AccessQuestions(Array(#"{"host":1}"#.utf8)) }
  }

  @Test func repeatedInquiriesGetShorterTimeouts() {
    var pace = InquiryPace()
    var (pauses, now) = ([Double](), MonotonicTime.zero)
    for _ in 0..<8 {
      let pause = pace.failed(.died, at: now) ?? .zero
      #expect(pace.pause(at: now) == pause)
      now = now + pause
      #expect(pace.pause(at: now) == nil)
      pauses.append(pause.seconds)
    }
    #expect(pauses == [60, 120, 240, 480, 960, 1920, 3600, 3600])
  }
}
