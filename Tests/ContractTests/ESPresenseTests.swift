import Beacons
import Configuration
import Core
import Testing

@testable import Contract

@Suite struct ESPresenseTests {
  private static func message(_ id: String, mac: String = "c10000000001", rssi: String = "-67.42") -> String {
    #"{"mac":"\#(mac)","id":"\#(id)","name":"","disc":"","idType":180,"rssi@1m":-61,"rssi":\#(rssi),"raw":2.18,"distance":2.33,"speed":0.01,"int":1200}"#
  }

  private func desk(_ more: String = "") throws -> Desk {
    try Desk("scanners: [{ kind: espresense\(more) }]")
  }

  @Test func anIBeaconKeepsItsIdentityAndItsPowerAtOneMetre() throws {
    var desk = try desk()
    let id = "iBeacon:\(Desk.uuid)-1-2"
    let isOurs = desk.say("espresense/devices/\(id)/kitchen", Self.message(id))
    #expect(isOurs)
    #expect(desk.heard == ["kitchen C1:00:00:00:00:01 -67 iBeacon 1.2 -61"])
  }

  @Test(arguments: [
    ("eddy:edd1ebeac04e5defa017-0bdb87539b67", "eddystone-uid"),
    ("eddy:edd1ebeac0c04e5defa017-0bdb87539b67", "eddystone-uid"),
    ("altBeacon:2f234454-cf6d-4a0f-adf2-f4911ba9ffa6-1-2", "altbeacon"),
    ("abeacon:2f234454-cf6d-4a0f-adf2-f4911ba9ffa6-1-2", "altbeacon"),
  ])
  func otherIdsOfBeaconsAreThoseBeacons(id: String, format: String) throws {
    var desk = try desk()
    desk.say("espresense/devices/\(id)/kitchen", Self.message(id))
    #expect(desk.heard == ["kitchen C1:00:00:00:00:01 -67 \(format)"])
  }

  @Test func aKnownAddressIsAnAddress() throws {
    var desk = try desk()
    desk.say("espresense/devices/known:c10000000001/kitchen", #"{"id":"known:c10000000001","rssi":-70}"#)
    #expect(desk.heard == ["kitchen C1:00:00:00:00:01 -70"])
  }

  @Test func aCustomIdNamesABeacon() throws {
    var desk = try desk(#", identities: { "phone:anna": anna }"#)
    desk.say("espresense/devices/phone:anna/kitchen", Self.message("phone:anna", mac: "5f0000000001"))
    #expect(desk.heard == ["kitchen [entry address c10000000001 anna] -67"])
  }

  /// The key is in the keys file; nobody has to write it into a topic's place in the configuration.
  @Test func aResolvedKeyIsTheBeaconWithThatKey() {
    let scanner = Scanner(
      kind: .espresense, identities: ["irk:00112233445566778899aabbccddeeff": "entry key anna"])
    var intake = ScannerIntake([scanner], ownGateway: "home", expected: [])
    var hearing = Hearing()
    _ = intake.take(
      Array(Self.message("irk:00112233445566778899aabbccddeeff", mac: "5f0000000001").utf8),
      topic: "espresense/devices/irk:00112233445566778899aabbccddeeff/kitchen", isRetained: false, at: .zero,
      wallTime: WallTime(nanoseconds: 0), into: &hearing)
    #expect(hearing.observations.map(\.key) == ["entry key anna"])
  }

  @Test func namesAreGivenPrefixesAndAliases() throws {
    var desk = try desk(", prefix: esp-, receivers: { attic: roof }")
    for room in ["kitchen", "attic"] {
      desk.say("espresense/devices/known:c10000000001/\(room)", Self.message("known:c10000000001"))
    }
    #expect(desk.heard.map { $0.split(separator: " ")[0] } == ["esp-kitchen", "roof"])
  }

  @Test func aRetainedMessageIsNoObservation() throws {
    var desk = try desk()
    for _ in 0..<3 {
      let isOurs = desk.say("espresense/devices/x/kitchen", Self.message("x"), retained: true)
      #expect(isOurs)
    }
    #expect(desk.heard == [])
    #expect(desk.intake.figures[0].retained == 3)
  }

  @Test func aSignalThatNoRadioReportsIsRefused() throws {
    var desk = try desk()
    for rssi in ["200", "-500", "\"loud\"", "true", "1e300"] {
      desk.say("espresense/devices/x/kitchen", Self.message("x", rssi: rssi))
    }
    desk.say("espresense/devices/x/kitchen", Self.message("x", rssi: "127"))
    for rssi in ["255", "-128", "-999", "\"n/a\"", "\"nan\"", "\"\"", "[]"] {
      desk.say("espresense/devices/x/kitchen", Self.message("x", rssi: rssi))
    }
    #expect(desk.refused(.signal) == 12)
    #expect(desk.heard == ["kitchen C1:00:00:00:00:01 ?"])
  }

  /// Tasmota says 0 once it lost a tag, others −127: that is no sighting, and no tag at 0 m.
  @Test(arguments: ["0", "0.0", "\"0\"", "-0", "-127", "\"-127\""]) func whoIsGoneIsNotHeard(rssi: String)
    throws
  {
    var desk = try desk()
    desk.say("espresense/devices/x/kitchen", Self.message("x", rssi: "-60"))
    desk.say("espresense/devices/x/kitchen", Self.message("x", rssi: rssi))
    #expect(desk.heard.count == 1)
    #expect(desk.refused(.absent) == 1 && desk.refused(.signal) == 0)
    #expect(desk.hearing.notices.count == 1)
    desk.say("espresense/devices/x/kitchen", Self.message("x", rssi: "null"))
    #expect(desk.withoutSignal == 1)
  }

  @Test(arguments: ["000000000000", "00:00:00:00:00:00", "ffffffffffff"])
  func anAddressThatNobodyHasIsNone(address: String) throws {
    var desk = try desk()
    desk.say("espresense/devices/x/kitchen", Self.message("x", mac: address))
    #expect(desk.heard == [])
    #expect(desk.hearing.named.map(\.address) == [nil])
  }

  @Test(arguments: [
    "{", "nonsense", "[1,2", "\"text\"", "17", "null", "{\"rssi\":}", "{\"rssi\":-50}}",
    String(repeating: "[", count: 100_000), "{\"a\":" + String(repeating: "9", count: 500) + "}",
    "[" + String(repeating: "0,", count: 30_000) + "0]", "\u{0}",
  ])
  func foreignMessagesAreCountedAndToldOnce(text: String) throws {
    var desk = try desk()
    for _ in 0..<3 {
      let isOurs = desk.say("espresense/devices/x/kitchen", text)
      #expect(isOurs)
    }
    #expect(desk.heard == [])
    #expect(desk.refused(.malformed) == 3)
    #expect(desk.hearing.notices.count == 1)
  }

  /// It clears what the broker had retained.
  @Test func anEmptyMessageSaysNothing() throws {
    var desk = try desk()
    for topic in ["devices/x/kitchen", "rooms/kitchen/status", "rooms/kitchen/telemetry"] {
      let isOurs = desk.say("espresense/\(topic)", "")
      #expect(isOurs)
    }
    let isOurs = desk.say("another", "")
    #expect(!isOurs)
    #expect(desk.intake.figures[0].messages == 0 && desk.hearing.isEmpty)
  }

  @Test func aMessageBeyondTheLimitIsNotEvenRead() throws {
    var desk = try desk()
    desk.say(
      "espresense/devices/x/kitchen", [UInt8](repeating: 0x20, count: ScannerIntake.largestMessage + 1))
    #expect(desk.refused(.size) == 1)
  }

  @Test func inventedReceiversHaveALimitAndDoNotLockOutThoseOfTheConfiguration() throws {
    var desk = try desk()
    for number in 0...ScannerIntake.receiverLimit {
      desk.say("espresense/devices/known:c10000000001/r\(number)", Self.message("known:c10000000001"))
    }
    #expect(desk.refused(.receivers) == 1)
    desk.say("espresense/devices/known:c10000000001/kitchen", Self.message("known:c10000000001"))
    #expect(desk.heard.last?.hasPrefix("kitchen ") == true)
    #expect(desk.heard.count == ScannerIntake.receiverLimit + 1)
  }

  @Test(arguments: ["", String(repeating: "x", count: 65), "a\u{202E}b", " a", "a\nb"])
  func anUnprintableNameIsRejected(room: String) throws {
    var desk = try desk()
    desk.say("espresense/devices/known:c10000000001/\(room)", Self.message("known:c10000000001"))
    #expect(desk.refused(.receiver) == 1)
  }

  @Test func otherTopicsAreNotItsOwn() throws {
    var desk = try desk()
    for topic in ["espresense/devices/x", "espresense/devices/x/y/z", "espresense", "other/devices/x/y", ""] {
      let isOurs = desk.say(topic, Self.message("x"))
      #expect(!isOurs)
    }
  }

  @Test(arguments: ["phone:anna", "Phone:Anna"])
  func `a beacon may be what a scanner alone recognises`(id: String) throws {
    let configuration = try Configuration.read(
      Array(
        """
        scanners: [{ kind: espresense }]
        beacons: [{ name: anna, scanner_id: "\(id)" }]
        """.utf8), path: "test.yaml", environment: [:], hostName: "host"
    ).configuration
    var desk = Desk(configuration)
    desk.say("espresense/devices/phone:anna/kitchen", #"{"id":"phone:anna","rssi":-60}"#)
    #expect(desk.heard == ["kitchen [entry scanner anna] -60"])
  }

  @Test func `invented receivers make room again, and configured ones are never replaced`() throws {
    var desk = try desk()
    desk.say("espresense/devices/x/kitchen", Self.message("x"))
    for number in 0..<(ScannerIntake.receiverLimit + 50) {
      desk.say("espresense/devices/x/room\(number)", Self.message("x"))
    }
    #expect(desk.refused(.receivers) == 50)
    desk.time += 11
    desk.hearing.removeAll()
    desk.say("espresense/devices/x/cellar", Self.message("x"))
    #expect(desk.heard.map { $0.prefix(7) } == ["cellar "])
    #expect(desk.hearing.renamings.map(\.name) == ["cellar"])
    #expect(desk.changes == ["cellar ok"])
    // All but the two that were just heard make room, and nothing else does.
    for number in 0..<ScannerIntake.receiverLimit {
      desk.say("espresense/devices/x/other\(number)", Self.message("x"))
    }
    #expect(desk.refused(.receivers) == 51)
    let names = desk.intake.table.names
    #expect(names.contains("kitchen") && names.contains("cellar") && Set(names).count == names.count)
  }

  /// A board that heard two devices each second for two minutes.
  private func settled() throws -> Desk {
    var desk = try desk()
    for second in 0..<120 {
      desk.time = 1000 + Double(second)
      for mac in ["c10000000001", "c10000000002"] {
        desk.say("espresense/devices/x/kitchen", Self.message("x", mac: mac))
      }
    }
    #expect(desk.hearing.notices.isEmpty, "\(desk.hearing.notices)")
    return desk
  }

  @Test func `a receiver that suddenly speaks far more often is told of, once`() throws {
    var desk = try settled()
    for number in 0..<200 {
      desk.time += 0.02
      desk.say("espresense/devices/x/kitchen", Self.message("x", rssi: "\(-30 - number % 3)"))
    }
    #expect(desk.hearing.notices.count == 1)
    #expect(desk.hearing.notices.first?.hasPrefix("kitchen speaks far more often than before") == true)
  }

  @Test func `a receiver that suddenly hears all devices is told of`() throws {
    var desk = try settled()
    for number in 10..<40 {
      desk.time += 0.1
      desk.say("espresense/devices/x/kitchen", Self.message("x", mac: "c100000000\(number)"))
    }
    #expect(desk.hearing.notices.first?.hasPrefix("kitchen hears far more devices than before") == true)
  }

  @Test func `a receiver that hears more and more is as it is`() throws {
    var desk = try settled()
    for second in 0..<600 {
      desk.time += 1
      for number in 0..<(2 + second / 40) {
        desk.say("espresense/devices/x/kitchen", Self.message("x", mac: "c100000000\(10 + number)"))
      }
    }
    #expect(desk.hearing.notices.isEmpty, "\(desk.hearing.notices)")
  }

  /// Its radio may have failed while its network works.
  @Test(arguments: [(3, 0), (12, 1)]) func `a board that hears none of many any more is told of, once`(
    devices: Int, notices: Int
  ) throws {
    var desk = try Desk("scanners: [{ kind: espresense }]")
    for second in 0..<240 {
      desk.time = 1000 + Double(second)
      if second % 15 == 0 { desk.say("espresense/rooms/kitchen/telemetry", "{}") }
      if second >= 120 { continue }
      for number in 10..<(10 + devices) {
        desk.say("espresense/devices/x/kitchen", Self.message("x", mac: "c100000000\(number)"))
      }
    }
    #expect(desk.hearing.notices.count == notices, "\(desk.hearing.notices)")
    #expect(desk.hearing.notices.allSatisfy { $0.hasPrefix("kitchen works, but hears none of some 12") })
  }
}
