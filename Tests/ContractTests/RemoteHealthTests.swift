import Beacons
import Testing

@testable import Contract

@Suite("Whether a receiver elsewhere can hear") struct RemoteHealthTests {
  private static let heard = #"{"mac":"c10000000001","rssi":-60}"#

  @Test func aScannersLastWillMakesItBlindUntilItReturns() throws {
    var desk = try Desk("scanners: [{ kind: espresense }]")
    desk.say("espresense/devices/x/kitchen", Self.heard)
    desk.say("espresense/rooms/kitchen/status", "offline", retained: true)
    desk.say("espresense/rooms/kitchen/status", "online")
    #expect(desk.changes == ["kitchen ok", "kitchen gone", "kitchen ok"])
  }

  /// With one name they have one client id, and end each other's connection.
  @Test func `two boards of one name are told, and do not flicker for ever`() throws {
    var desk = try Desk("scanners: [{ kind: espresense }]")
    func flicker(_ times: Int) {
      for _ in 0..<times {
        for word in ["offline", "online"] { desk.say("espresense/rooms/kitchen/status", word) }
        desk.time += 2
      }
    }
    desk.say("espresense/devices/x/kitchen", Self.heard)
    flicker(100)
    #expect(
      desk.changes == ["kitchen ok"]
        + Array(repeating: ["kitchen gone", "kitchen ok"], count: 3).flatMap(\.self))
    #expect(
      desk.hearing.notices.count == 1
        && desk.hearing.notices[0].contains("two boards may have this name"))
    // One that stays away is gone all the same.
    for _ in 0..<3 { desk.say("espresense/rooms/kitchen/status", "offline") }
    #expect(desk.changes.last == "kitchen ok")
    desk.look(for: 6)
    #expect(desk.changes.last == "kitchen gone")
    desk.say("espresense/rooms/kitchen/status", "online")
    desk.time += 61
    desk.say("espresense/rooms/kitchen/status", "offline")
    #expect(desk.changes.last == "kitchen gone")
  }

  @Test func `a last will as JSON counts, and a status of another word is told`() throws {
    var desk = try Desk("scanners: [{ kind: espresense }]")
    desk.say("espresense/devices/x/kitchen", Self.heard)
    desk.say("espresense/rooms/kitchen/status", #"{"state": "offline"}"#, retained: true)
    desk.say("espresense/rooms/kitchen/status", #"{"state":"online"}"#)
    for word in ["asleep", "[]", #"{"state":7}"#] { desk.say("espresense/rooms/kitchen/status", word) }
    #expect(desk.changes == ["kitchen ok", "kitchen gone", "kitchen ok"])
    #expect(desk.refused(.status) == 3 && desk.hearing.notices.count == 1)
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

  private func look(_ desk: inout Desk, after delay: Double) {
    desk.time += delay
    desk.intake.look(at: desk.now, wallTime: desk.wallNow, into: &desk.hearing)
  }

  @Test func aBoardThatHangsIsQuietWhileTheOthersOfItsScannerSpeak() throws {
    var desk = try Desk("scanners: [{ kind: espresense }]")
    for second in 0..<70 {
      desk.say("espresense/devices/x/kitchen", Self.heard)
      desk.say("espresense/rooms/kitchen/telemetry", "{}")
      if second < 5 { desk.say("espresense/devices/x/bedroom", Self.heard) }
      look(&desk, after: 1)
    }
    #expect(desk.changes == ["kitchen ok", "bedroom ok", "bedroom quiet"])
  }

  @Test func aBoardThatHearsNobodyIsNotQuietForThat() throws {
    var desk = try Desk("scanners: [{ kind: espresense }]")
    for _ in 0..<20 {
      desk.say("espresense/rooms/kitchen/telemetry", "{}")
      look(&desk, after: 15)
    }
    #expect(desk.changes == ["kitchen ok"])
  }

  @Test(arguments: [
    ("espresense/rooms/kitchen/telemetry", "{}"), ("espresense/rooms/kitchen/status", "online"),
    ("espresense/devices/x/kitchen", heard), ("espresense/devices/x/kitchen", "nonsense"),
  ])
  func whateverComesFromAQuietBoardShowsThatItLives(topic: String, payload: String) throws {
    var desk = try Desk("scanners: [{ kind: espresense }]")
    desk.say("espresense/devices/x/kitchen", Self.heard)
    look(&desk, after: 61)
    desk.say(topic, payload)
    look(&desk, after: 59)
    look(&desk, after: 2)
    #expect(desk.changes == ["kitchen ok", "kitchen quiet", "kitchen ok", "kitchen quiet"])
  }

  @Test func retainedMessagesAreNoSignOfLife() throws {
    var desk = try Desk("scanners: [{ kind: espresense }]")
    desk.say("espresense/devices/x/kitchen", Self.heard)
    look(&desk, after: 61)
    desk.say("espresense/devices/x/kitchen", Self.heard, retained: true)
    desk.say("espresense/rooms/kitchen/telemetry", "{}", retained: true)
    #expect(desk.changes == ["kitchen ok", "kitchen quiet"])
  }

  /// Its last will may come late, but then it says that it is back.
  @Test func telemetryDoesNotOutweighTheLastWill() throws {
    var desk = try Desk("scanners: [{ kind: espresense }]")
    desk.say("espresense/rooms/kitchen/status", "offline")
    desk.say("espresense/rooms/kitchen/telemetry", "{}")
    #expect(desk.changes == ["kitchen gone"])
  }

  /// A Minew gateway that hears nobody sends what it is itself.
  @Test func aMessageWithoutDevicesIsASignOfLife() throws {
    var desk = try Desk(
      "scanners: [{ kind: json, topic: \"/gw/{receiver}/status\", fields: { address: mac, rssi: rssi } }]")
    desk.say("/gw/kitchen/status", #"[{"mac":"c10000000001","rssi":-60}]"#)
    for _ in 0..<10 {
      look(&desk, after: 15)
      desk.say("/gw/kitchen/status", #"[{"type":"Gateway","mac":"ac233fc00001"}]"#)
    }
    #expect(desk.changes == ["kitchen ok"])
  }

  @Test func aRadioOfAnotherGatewayIsAsThatReportsHoweverSeldomItDoes() throws {
    var desk = try Desk("scanners: [{ kind: beaconkeeper }]")
    for state in ["ok", "ok", "quiet", "ok"] {
      desk.say("beaconkeeper/hall/health", #"{"receivers":[{"name":"hci0","state":"\#(state)"}]}"#)
      for _ in 0..<60 { look(&desk, after: 2) }
    }
    #expect(desk.changes == ["hall/hci0 ok", "hall/hci0 quiet", "hall/hci0 ok"])
    desk.intake.brokerDisconnected(at: desk.now, wallTime: desk.wallNow, into: &desk.hearing)
    desk.intake.brokerConnected(at: desk.now, wallTime: desk.wallNow, into: &desk.hearing)
    look(&desk, after: 61)
    #expect(desk.changes.last == "hall/hci0 quiet", "it has not reported since")
  }

  @Test func `without the broker all are doubted, and blind from its return until something comes again`()
    throws
  {
    var desk = try Desk("scanners: [{ kind: espresense }]")
    for room in ["kitchen", "attic", "shed"] { desk.say("espresense/devices/x/\(room)", Self.heard) }
    desk.hearing.removeAll()
    desk.intake.brokerDisconnected(at: desk.now, wallTime: desk.wallNow, into: &desk.hearing)
    desk.intake.look(at: desk.now, wallTime: desk.wallNow, into: &desk.hearing)
    #expect(desk.changes == ["kitchen doubted", "attic doubted", "shed doubted"])
    desk.hearing.removeAll()
    desk.intake.brokerConnected(at: desk.now, wallTime: desk.wallNow, into: &desk.hearing)
    desk.say("espresense/rooms/shed/status", "offline", retained: true)
    desk.say("espresense/devices/x/kitchen", Self.heard)
    desk.look(for: 6)
    #expect(
      desk.changes == ["kitchen gone", "attic gone", "shed gone", "shed gone", "kitchen ok", "attic quiet"])
  }

  @Test func `a long outage of the broker blinds them, and one that was offline stays so`() throws {
    var desk = try Desk("scanners: [{ kind: espresense }]")
    for room in ["kitchen", "shed"] { desk.say("espresense/devices/x/\(room)", Self.heard) }
    desk.say("espresense/rooms/shed/status", "offline")
    desk.hearing.removeAll()
    desk.intake.brokerDisconnected(at: desk.now, wallTime: desk.wallNow, into: &desk.hearing)
    desk.look(for: 590)
    #expect(desk.changes == ["kitchen doubted"])
    desk.look(for: 20)
    #expect(desk.changes == ["kitchen doubted", "kitchen gone"])
    desk.intake.brokerConnected(at: desk.now, wallTime: desk.wallNow, into: &desk.hearing)
    desk.say("espresense/devices/x/kitchen", Self.heard)
    desk.look(for: 60)
    #expect(desk.changes.last == "kitchen ok")
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

  @Test func `a receiver whose prefix or name changes is the same receiver`() throws {
    var desk = try Desk("scanners: [{ kind: espresense, prefix: esp-, receivers: { shed: hut } }]")
    for place in ["kitchen", "shed", "hall"] { desk.say("espresense/devices/x/\(place)", Self.heard) }
    let (old, indices) = (desk.intake.table.names, desk.intake.table.indices)
    #expect(old.suffix(3) == ["esp-kitchen", "hut", "esp-hall"])
    let renamed = [Scanner(kind: .espresense, prefix: "x-", aliases: ["hall": "corridor"])]
    let renamings = desk.intake.rename(for: renamed)
    #expect(renamings.map(\.name) == ["x-kitchen", "x-shed", "corridor"])
    desk.intake.reconfigure(
      renamed, expected: [], at: desk.now, wallTime: desk.wallNow, into: &desk.hearing)
    desk.hearing.removeAll()
    desk.say("espresense/devices/x/kitchen", Self.heard)
    #expect(desk.intake.table.indices == indices, "no further one")
    #expect(desk.intake.rename(for: renamed) == [])
    // A name that another receiver has is not taken from it.
    let taken = [Scanner(kind: .espresense, prefix: "x-", aliases: ["hall": "x-kitchen"])]
    #expect(desk.intake.rename(for: taken) == [])
  }
}
