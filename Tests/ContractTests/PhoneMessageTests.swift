import Beacons
@testable import Contract
import Core
import Phones
import Testing

@Suite struct PhoneMessageTests {
  private let time = WallTime(nanoseconds: 1_795_211_403_120_000_000)

  private func text(_ message: Message) -> String { String(decoding: message.payload, as: UTF8.self) }

  @Test func aWindowWithoutLimitSaysNull() {
    let message = WindowMessage(
      phone: "anna/b", state: .foreground, since: time, time: time + .seconds(1), remaining: nil, os: "ios7",
      strategy: "stock", why: nil
    ).message(topics: Topics(gateway: "g"))
    #expect(message.topic == "beaconkeeper/g/phone/anna%2Fb/window")
    #expect(message.retained && message.qos == .atLeastOnce)
    #expect(
      text(message)
        == #"{"v":1,"time":"2026-11-20T21:50:04.120Z","state":"foreground","since":"2026-11-20T21:50:03.120Z","#
        + #""remaining_s":null,"os":"ios7","strategy":"stock","why":null}"#)
  }

  @Test func anEndingWindowTellsTheRemainingTimeAndTheReason() {
    let message = WindowMessage(
      phone: "anna", state: .background, since: time, time: time, remaining: 12_345, os: "ios7",
      strategy: "stock", why: .audioPause
    ).message(topics: Topics(gateway: "g"))
    #expect(text(message).contains(#""state":"background""#))
    #expect(text(message).contains(#""remaining_s":12.345"#))
    #expect(text(message).hasSuffix(#""why":"AUDIO_PAUSE"}"#))
  }

  @Test func aVerdictNamesItsTransitionAndItsEvidence() {
    var verdict = VerdictMessage(
      phone: "anna", gateway: "g", transition: "00ff", zone: "pump", beacon: "van", os: "ios7",
      strategy: "stock", outcome: .graceExpired, time: time + .seconds(9), near: time, delivered: nil,
      lateness: nil, evidence: [.init(time: time, what: .regionEnter)])
    let message = verdict.message(topics: Topics(gateway: "g"))
    #expect(message.topic == "beaconkeeper/g/phone/anna/verdict")
    #expect(!message.retained && message.qos == .atLeastOnce)
    #expect(
      text(message)
        == #"{"v":1,"transition":"00ff","outcome":"GRACE_EXPIRED","time":"2026-11-20T21:50:12.120Z","#
        + #""gateway":"g","phone":"anna","zone":"pump","beacon":"van","os":"ios7","strategy":"stock","#
        + #""near_at":"2026-11-20T21:50:03.120Z","delivered_at":null,"late_s":null,"#
        + #""evidence":[{"time":"2026-11-20T21:50:03.120Z","what":"region enter"}]}"#)
    verdict.outcome = .deliveredLate
    verdict.delivered = time + .milliseconds(1500)
    verdict.lateness = 1500
    #expect(
      String(decoding: verdict.json, as: UTF8.self).contains(
        #""delivered_at":"2026-11-20T21:50:04.620Z","late_s":1.5"#))
  }

  @Test func reportsComeInBelowThePhone() {
    #expect(Topics(gateway: "g").appReport(phone: "a+") == "beaconkeeper/g/phone/a%2B/app/set")
    #expect(Topics(gateway: "g").appSeen(phone: "a+") == "beaconkeeper/g/phone/a%2B/app/seen")
    #expect(
      Topics(gateway: "g").appReports == [
        "beaconkeeper/g/phone/+/app/set", "beaconkeeper/g/phone/+/app/seen",
      ])
  }
}
