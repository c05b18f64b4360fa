import Beacons
import Testing

@testable import Contract

@Suite("Whether a receiver that fell silent may have failed") struct SignsOfLifeTests {
  private static let heard = #"{"mac":"c10000000001","rssi":-60}"#

  /// A board that hears a tag each second, and sends telemetry every 15 s if it does at all.
  private func board(hasTelemetry: Bool = true) throws -> Desk {
    var desk = try Desk("scanners: [{ kind: espresense }]")
    for second in 0..<40 {
      if hasTelemetry, second % 15 == 0 { desk.say("espresense/rooms/kitchen/telemetry", "{}") }
      desk.say("espresense/devices/x/kitchen", Self.heard)
      desk.look(for: 1)
    }
    return desk
  }

  /// Each begin and end of a doubt.
  private func doubts(_ desk: Desk) -> [Bool] {
    desk.hearing.changes.reduce(into: []) { doubts, change in
      if (change.health == .doubted) != (doubts.last ?? false) { doubts.append(change.health == .doubted) }
    }
  }

  @Test func `it may have, until it gives a sign of life and what it hears has come`() throws {
    var desk = try board()
    #expect(doubts(desk) == [])
    desk.look(for: 3)
    #expect(doubts(desk) == [true])
    desk.say("espresense/rooms/kitchen/telemetry", "{}")
    desk.look(for: 2)
    #expect(doubts(desk) == [true])
    desk.look(for: 2)
    #expect(doubts(desk) == [true, false])
    desk.look(for: 600)
    #expect(doubts(desk) == [true, false], "it hears nobody, and said so")
    #expect(desk.changes == ["kitchen ok", "kitchen doubted", "kitchen ok", "kitchen quiet"])
  }

  @Test func `it did not if it hears something again`() throws {
    var desk = try board()
    desk.look(for: 10)
    desk.say("espresense/devices/x/kitchen", Self.heard)
    for _ in 0..<9 {
      desk.look(for: 1)
      desk.say("espresense/devices/x/kitchen", Self.heard)
    }
    #expect(doubts(desk) == [true], "it may not have named all whom it hears yet")
    desk.look(for: 2)
    #expect(doubts(desk) == [true, false])
  }

  @Test func `a sign of life just after it heard something proves nothing`() throws {
    var desk = try board()
    desk.say("espresense/rooms/kitchen/telemetry", "{}")
    desk.look(for: 5)
    #expect(doubts(desk) == [true])
  }

  @Test func `one that hears others lives`() throws {
    var desk = try board()
    for _ in 0..<60 {
      desk.say("espresense/devices/unknown:none/kitchen", #"{"id":"","rssi":-90}"#)
      desk.look(for: 1)
    }
    #expect(doubts(desk) == [])
  }

  @Test func `a retained word that it is online proves little, until something comes`() throws {
    var desk = try Desk("scanners: [{ kind: espresense }]")
    desk.say("espresense/rooms/kitchen/status", "online", retained: true)
    desk.look(for: 1)
    #expect(desk.changes == ["kitchen ok", "kitchen doubted"])
    desk.look(for: 98)
    #expect(desk.changes.count == 2)
    desk.say("espresense/devices/x/kitchen", Self.heard)
    desk.look(for: 11)
    #expect(desk.changes == ["kitchen ok", "kitchen doubted", "kitchen ok"])
  }

  @Test func `its last will ends a doubt, and it is doubted again only for a new silence`() throws {
    var desk = try board()
    desk.look(for: 10)
    desk.say("espresense/rooms/kitchen/status", "offline", retained: true)
    desk.say("espresense/rooms/kitchen/status", "online")
    desk.look(for: 300)
    #expect(desk.changes == ["kitchen ok", "kitchen doubted", "kitchen gone", "kitchen ok", "kitchen quiet"])
  }

  @Test func `nobody leaves when a broker comes back without word of a board`() throws {
    var desk = try board()
    desk.intake.brokerDisconnected(at: desk.now, wallTime: desk.wallNow, into: &desk.hearing)
    desk.look(for: 30)
    desk.intake.brokerConnected(at: desk.now, wallTime: desk.wallNow, into: &desk.hearing)
    desk.look(for: 90)
    #expect(
      desk.changes == ["kitchen ok", "kitchen doubted", "kitchen gone", "kitchen quiet", "kitchen doubted"])
    desk.look(for: 20)
    #expect(desk.changes.count == 6 && desk.hearing.changes.last?.isGivenUp == true)
  }

  @Test func `nobody waits longer than for its last will`() throws {
    var desk = try board()
    desk.look(for: 90)
    #expect(doubts(desk) == [true])
    desk.look(for: 15)
    #expect(doubts(desk) == [true, false])
  }

  @Test func `of one that never gives a sign of life nothing is expected`() throws {
    var desk = try board(hasTelemetry: false)
    desk.look(for: 100)
    #expect(doubts(desk) == [])
  }

  /// Twelve tags a second for more than five minutes.
  @Test(arguments: [(12, 0.0, [true, false]), (12, 12, []), (3, 0, [])])
  func `of one that reported many devices without a pause, some are`(
    devices: Int, pause: Double, expected: [Bool]
  ) throws {
    var desk = try Desk("scanners: [{ kind: theengs }]")
    for second in 0..<340 {
      for device in 10..<(10 + devices) {
        let address = "C1:00:00:00:00:\(device)"
        desk.say(
          "home/OMG1/BTtoMQTT/" + address.replacing(":", with: ""), #"{"id":"\#(address)","rssi":-60}"#)
      }
      desk.look(for: second == 200 ? 1 + pause : 1)
    }
    #expect(doubts(desk) == [])
    desk.look(for: 90)
    #expect(doubts(desk) == Array(expected.prefix(1)))
    desk.look(for: 20)
    #expect(doubts(desk) == expected)
  }

  @Test(arguments: [true, false])
  func `of a gateway that says when it hears nothing more, that is expected`(ends: Bool) throws {
    var desk = try Desk("scanners: [{ kind: beaconkeeper }]")
    var sequence = 0
    func say(_ beacons: String) {
      sequence += 1
      desk.say(
        "beaconkeeper/hall/observations/0",
        #"{"v":1,"gateway":"hall","boot":"a","seq":\#(sequence),"sent_ms":\#(Int(desk.time * 1000)),"ends":\#(ends),"receivers":["hci0"],"beacons":[\#(beacons)]}"#
      )
    }
    func hear() {
      for _ in 0..<20 {
        say(#"{"beacon":"entry address c10000000001 anna","heard":[[0,-60,10]]}"#)
        desk.look(for: 1)
      }
    }
    hear()
    desk.look(for: 1)
    say("")
    desk.look(for: 600)
    #expect(doubts(desk) == [], "it said so")
    hear()
    desk.look(for: 6)
    #expect(doubts(desk) == (ends ? [true] : []), "an earlier version says nothing")
    #expect(desk.intake.refusedObservations == 0)
  }
}
