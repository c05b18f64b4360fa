import Beacons
import Contract
import Core
import Phones
import Scenes
import TestSupport
import Testing

@testable import Pipeline

/// What comes in on `phone/<phone>/app/set`.
@Suite struct AppReportTests {
  private func scene() throws -> Scene {
    try Scene(PhoneTests.pump + "phones: [{ name: anna, beacon: \"fleet:1.2\", os: ios7, strategy: stock }]")
  }

  @discardableResult
  private func tell(
    _ scene: inout Scene, _ text: String, to phone: String = "anna", retained: Bool = false
  ) -> AppReports.Refusal? {
    report(&scene, Array(text.utf8), to: phone, retained: retained)
  }

  private func report(
    _ scene: inout Scene, _ payload: [UInt8], to phone: String = "anna", retained: Bool = false
  ) -> AppReports.Refusal? {
    scene.pipeline.receive(
      payload, topic: "beaconkeeper/forecourt/phone/\(phone)/app/set", isRetained: retained, at: scene.time,
      wallTime: scene.wallTime, into: &scene.output)
  }

  private func state(_ scene: Scene) -> String {
    let window = scene.pipeline.allStates().last { $0.topic.hasSuffix("/window") }
    let text = String(decoding: window?.payload ?? [], as: UTF8.self)
    return text.firstMatch(of: #/"state":"([a-z]+)"/#).map { String($0.1) } ?? "none"
  }

  @Test func inTheForegroundItIsDelivered() throws {
    var scene = try scene()
    try scene.hear(rssi: -85, for: 15)
    #expect(tell(&scene, "foreground") == nil)
    try scene.hear(rssi: -59, for: 6)
    #expect(scene.output.verdicts.map(\.outcome) == [.delivered])
    #expect(state(scene) == "foreground")
    #expect(tell(&scene, "{\"event\": \"background\"}\n") == nil)
    try scene.hear(rssi: -59, for: 9)
    #expect(state(scene) == "ranging")
    try scene.hear(rssi: -59, for: 2)
    #expect(state(scene) == "suspended")
  }

  @Test func withoutPermissionThatIsTheReason() throws {
    var scene = try scene()
    try scene.hear(rssi: -85, for: 1)
    #expect(tell(&scene, #"{"event":"permission","value":"denied"}"#) == nil)
    try scene.hear(rssi: -59, for: 6)
    try scene.hear(rssi: -85, for: 10)
    #expect(scene.output.verdicts.map(\.outcome) == [.authDenied])
  }

  @Test func aReportMayComeBeforeAnythingWasHeard() throws {
    var scene = try scene()
    #expect(tell(&scene, "foreground") == nil)
    scene.pass(1)
    #expect(state(scene) == "foreground")
  }

  @Test(arguments: [
    "", "foregroun", "{", "[1]", "permission", "permission maybe", "{\"event\":1}", "\u{FF}", "a b c",
  ])
  func nonsenseIsRefusedAndCounted(text: String) throws {
    var scene = try scene()
    try scene.hear(rssi: -85, for: 1)
    let before = state(scene)
    let refusal = tell(&scene, text)
    // Whoever clears a retained report says nothing.
    #expect((refusal != nil) == !text.isEmpty)
    #expect(scene.pipeline.refusedReports == (text.isEmpty ? 0 : 1))
    #expect(state(scene) == before)
  }

  @Test func aLongReportIsRefusedUnread() throws {
    var scene = try scene()
    let refusal = report(&scene, [UInt8](repeating: 0x20, count: 1 << 20))
    #expect(refusal?.description == "1048576 bytes are more than 1024")
  }

  @Test func anUnknownPhoneIsPassedOver() throws {
    var scene = try scene()
    #expect(tell(&scene, "foreground", to: "ben") == nil)
    #expect(tell(&scene, "rubbish", to: "ben") == nil)
    #expect(scene.pipeline.refusedReports == 0)
  }

  @Test func aRetainedAppReportCountsOnceAndOnlyIfItCanStillBeTrue() throws {
    var scene = try scene()
    try scene.hear(rssi: -85, for: 15)
    #expect(state(scene) == "suspended")
    // It entered the background long ago, and was ended long ago.
    tell(&scene, "background", retained: true)
    tell(&scene, "force-quit", retained: true)
    scene.pass(0.1)
    #expect(state(scene) == "suspended")
    tell(&scene, "foreground", retained: true)
    scene.pass(0.1)
    #expect(state(scene) == "foreground")
    tell(&scene, "background")
    try scene.hear(rssi: -85, for: 11)
    // At a reconnection the broker tells the last one again.
    tell(&scene, "background", retained: true)
    scene.pass(0.1)
    #expect(state(scene) == "suspended")
    #expect(scene.pipeline.refusedReports == 0)
  }

  @Test(arguments: 0..<4) func randomBytesNeverTrapAndNeverGoUncounted(seed: UInt64) throws {
    var scene = try scene()
    try scene.hear(rssi: -85, for: 1)
    var dice = SeededGenerator(seed: seed)
    let good = [
      "foreground", "permission denied", #"{"event":"begin-task","id":"a","granted":false}"#, "audio on",
      #"{"event":"bucket","value":"rare"}"#, "end-task 7", "terminated reboot",
      #"{"event":"debugger","value":true}"#,
    ]
    var refused: UInt64 = 0
    for _ in 0..<2000 {
      var payload = (0..<Int.random(in: 0...40, using: &dice)).map { _ in
        UInt8.random(in: 0...255, using: &dice)
      }
      if Bool.random(using: &dice) {
        payload = Array((good.randomElement(using: &dice) ?? "").utf8)
        for _ in 0..<Int.random(in: 0...3, using: &dice) where !payload.isEmpty {
          payload[Int.random(in: 0..<payload.count, using: &dice)] = UInt8.random(in: 0...127, using: &dice)
        }
      }
      if report(&scene, payload, retained: Bool.random(using: &dice)) != nil { refused += 1 }
      scene.pass(0.3)
    }
    #expect(refused > 500 && refused < 2000)
    #expect(scene.pipeline.refusedReports == refused)
  }

  @Test func everNewTasksFillNoMemory() throws {
    var scene = try scene()
    for task in 0..<2000 {
      #expect(tell(&scene, "begin-task \(task)") == nil)
      scene.pass(0.01)
    }
    #expect(state(scene) != "none")
  }
}
