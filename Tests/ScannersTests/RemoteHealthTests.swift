import Messages
import Beacons
import Testing

@testable import Scanners

@Suite("Whether a receiver elsewhere can hear") struct RemoteHealthTests {
  private static let heard = #"{"mac":"c10000000001","rssi":-60}"#

  @Test func aScannersLastWillMakesItBlindUntilItReturns() throws {
    var desk = try Desk("scanners: [{ kind: espresense }]")
    desk.say("espresense/devices/x/kitchen", Self.heard)
    desk.say("espresense/rooms/kitchen/status", "offline", retained: true)
    desk.say("espresense/rooms/kitchen/status", "online")
    #expect(desk.changes == ["kitchen ok", "kitchen gone", "kitchen ok"])
  }

  @Test func aConfiguredReceiverIsReportedBeforeItHearsAnything() throws {
    var desk = try Desk("scanners: [{ kind: espresense }]")
    desk.say("espresense/rooms/kitchen/status", "offline", retained: true)
    desk.say("espresense/rooms/nowhere/status", "offline", retained: true)
    #expect(desk.changes == ["kitchen gone"])
  }

  /// The only tag may have left.
  @Test func silenceMakesItQuietAndNotBlind() throws {
    var desk = try Desk("scanners: [{ kind: espresense }]")
    desk.say("espresense/devices/x/kitchen", Self.heard)
    desk.time += 61
    desk.intake.look(at: desk.now, wallTime: desk.wallNow, into: &desk.hearing)
    #expect(desk.changes == ["kitchen ok", "kitchen quiet"])
    #expect(desk.hearing.changes.allSatisfy { !$0.health.isBlind })
  }

  @Test func telemetryIsASignOfLife() throws {
    var desk = try Desk("scanners: [{ kind: espresense }]")
    desk.say("espresense/devices/x/kitchen", Self.heard)
    desk.time += 50
    desk.say("espresense/rooms/kitchen/telemetry", "{\"uptime\":50}")
    desk.time += 50
    desk.intake.look(at: desk.now, wallTime: desk.wallNow, into: &desk.hearing)
    #expect(desk.changes == ["kitchen ok"])
  }

  @Test func withoutTheBrokerAllAreBlindUntilSomethingComesAgain() throws {
    var desk = try Desk("scanners: [{ kind: espresense }]")
    for room in ["kitchen", "attic", "shed"] { desk.say("espresense/devices/x/\(room)", Self.heard) }
    desk.hearing.removeAll()
    desk.intake.brokerDisconnected(at: desk.now, wallTime: desk.wallNow, into: &desk.hearing)
    desk.intake.look(at: desk.now, wallTime: desk.wallNow, into: &desk.hearing)
    #expect(desk.changes == ["kitchen gone", "attic gone", "shed gone"])
    desk.hearing.removeAll()
    desk.intake.brokerConnected(at: desk.now)
    desk.say("espresense/rooms/shed/status", "offline", retained: true)
    desk.say("espresense/devices/x/kitchen", Self.heard)
    desk.time += 6
    desk.intake.look(at: desk.now, wallTime: desk.wallNow, into: &desk.hearing)
    #expect(desk.changes == ["kitchen ok", "attic quiet"])
  }

  @Test func aTheengsGatewayHasALastWillToo() throws {
    var desk = try Desk("scanners: [{ kind: theengs, receivers: { OMG1: kitchen } }]")
    desk.say("home/OMG1/LWT", "offline", retained: true)
    #expect(desk.changes == ["kitchen gone"])
  }

  @Test func eachRadioOfAnotherGatewayHasItsOwnHealth() throws {
    var desk = try Desk("scanners: [{ kind: beaconkeeper }]")
    desk.say(
      "beaconkeeper/hall/health",
      #"{"v":1,"receivers":[{"name":"hci0","state":"deaf","reason":"it reports nothing"},{"name":"hci7","state":"gone"}]}"#,
      retained: true)
    #expect(desk.changes == ["hall/hci0 deaf"])
    #expect(desk.hearing.changes[0].reason == "hall says that it is deaf: it reports nothing")
    desk.say("beaconkeeper/hall/status", "online", retained: true)
    desk.say("beaconkeeper/hall/health", #"{"receivers":[{"name":"hci0","state":"ok"}]}"#)
    desk.say("beaconkeeper/hall/status", "offline", retained: true)
    #expect(desk.changes == ["hall/hci0 deaf", "hall/hci0 ok", "hall/hci0 gone"])
  }

  @Test(arguments: ["", "maybe", "\u{FF}", String(repeating: "offline", count: 10_000)])
  func otherWordsSayNothing(word: String) throws {
    var desk = try Desk("scanners: [{ kind: espresense }]")
    desk.say("espresense/rooms/kitchen/status", word)
    #expect(desk.changes == [])
  }

  @Test func aScannerThatIsTakenOutTakesItsReceiversWithIt() throws {
    var desk = try Desk("scanners: [{ kind: espresense }, { kind: theengs }]")
    desk.say("espresense/devices/x/kitchen", Self.heard)
    desk.say("home/OMG1/BTtoMQTT/C10000000001", Self.heard)
    desk.hearing.removeAll()
    desk.intake.reconfigure(
      [Scanner(kind: .theengs)], expected: [], at: desk.now, wallTime: desk.wallNow, into: &desk.hearing)
    #expect(desk.changes == ["kitchen gone"])
    #expect(desk.intake.figures.map(\.messages) == [1])
  }
}
