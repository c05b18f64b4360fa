import Phones
import Testing

@Suite struct AppReportsTests {
  @Test(arguments: [
    ("foreground", PhoneEvent.foreground), (" Background\n", .background), ("audio-on", .audio(true)),
    ("audio off", .audio(false)), ("screen on", .screen(true)), ("bluetooth-off", .bluetooth(false)),
    ("permission denied", .permission(.denied)), ("permission=when-in-use", .permission(.whenInUse)),
    ("terminated", .lowMemory), ("terminated force-quit", .forceQuit), ("terminated: reboot", .reboot),
    ("location-services off", .locationServices(false)), ("location on", .location(true)),
    ("debugger false", .debugger(false)), ("still", .still(true)),
    (#"{"event":"permission","value":"denied"}"#, .permission(.denied)),
    ("{\n  \"event\": \"audio\",\n  \"value\": true\n}\n", .audio(true)),
    (#"{"event":"bucket","value":"active"}"#, .bucket(nil)),
    (#"{"event":"begin-task","id":7,"granted":false}"#, .beginTask(TaskID(rawValue: 0), granted: false)),
  ])
  func wordsAndObjectsMeanTheSameAsInATimeline(text: String, event: PhoneEvent) throws {
    var reports = AppReports()
    #expect(try reports.read(Array(text.utf8)) == event)
  }

  @Test(arguments: [
    "", "nonsense", "foreground now please", "audio", "audio maybe", "permission", "terminated twice",
    "{\"event\":\"background\"", "{}", "{\"t\":1,\"event\":\"background\"}", "{\"event\":null}", "42",
    "{\"event\":\"background\",\"event\":\"background\"}", "ünder",
  ])
  func everythingElseIsRefusedInWords(text: String) {
    var reports = AppReports()
    #expect(throws: AppReports.Refusal.self) { try reports.read(Array(text.utf8)) }
  }

  @Test func aTaskIsKnownByTheAppsOwnNameUntilItEnds() throws {
    var reports = AppReports()
    let first = try reports.read(Array("begin-task upload".utf8))
    #expect(try reports.read(Array("begin-task upload".utf8)) == first)
    #expect(try reports.read(Array("end-task upload".utf8)) == .endTask(TaskID(rawValue: 0)))
    #expect(try reports.read(Array("begin-task upload".utf8)) != first)
  }

  @Test func everyReasonHasWords() {
    for reason in Reason.allCases { #expect(!reason.words.isEmpty) }
    #expect(Set(Reason.allCases.map(\.words)).count == Reason.allCases.count)
  }
}
