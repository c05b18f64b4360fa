import Beacons
import Core
import TestSupport
import Testing

@testable import Contract

/// An intake is cut at any point, and goes on from its snapshot: nobody can tell.
@Suite("Snapshots of intakes") struct IntakeSnapshotTests {
  private static let yaml = """
    scanners:
      - { kind: beaconkeeper }
      - { kind: espresense }
      - { kind: json, topic: "own/{receiver}", fields: { address: a, rssi: r, time: t } }
    """

  private static func octets(_ intake: ScannerIntake) -> [UInt8] {
    var writer = StateCoder()
    intake.snapshot(into: &writer)
    return writer.finished()
  }

  private static func restored(_ desk: Desk) throws -> Desk {
    var next = desk
    var reader = try StateCoder(reading: octets(desk.intake))
    next.intake = try ScannerIntake(
      desk.intake.scanners, ownGateway: desk.intake.ownGateway, snapshot: &reader)
    try reader.finish()
    return next
  }

  /// A message by chance: batches of gateways that restart, repeat themselves or have a twin, last wills, health, devices.
  private static func say(_ desk: inout Desk, _ sequences: inout [UInt64], using dice: inout SeededGenerator)
  {
    desk.time += Double.random(in: 0...2, using: &dice)
    let gateway = Int.random(in: 0..<3, using: &dice)
    let name = "gateway\(gateway)"
    switch Int.random(in: 0..<20, using: &dice) {
    case 0: desk.say("beaconkeeper/\(name)/status", dice.next() % 2 == 0 ? "online" : "offline")
    case 1:
      let state = ["ok", "deaf", "gone"].randomElement(using: &dice)!
      desk.say(
        "beaconkeeper/\(name)/health",
        #"{"v":1,"radios":[{"receiver":"hci0","state":"\#(state)","reason":"x"}]}"#)
    case 2: desk.intake.look(at: desk.now, wallTime: desk.wallNow, into: &desk.hearing)
    case 3: desk.intake.brokerDisconnected(at: desk.now, wallTime: desk.wallNow, into: &desk.hearing)
    case 4: desk.intake.brokerConnected(at: desk.now, wallTime: desk.wallNow, into: &desk.hearing)
    case 5...8:
      // Seldom another time: most are repetitions.
      desk.say(
        "own/scanner\(gateway)",
        #"{"a":"C1:00:00:00:00:0\#(gateway)","r":-6\#(gateway),"t":"\#(Int(desk.time) / 20)"}"#)
    case 9: desk.say("beaconkeeper/\(name)/observations/0", "nonsense")
    case 10: desk.intake.arrivalsWereWrong(since: desk.now)
    default:
      if dice.next() % 5 > 0 { sequences[gateway] += UInt64.random(in: 1...2, using: &dice) }
      let boot = Int.random(in: 0..<30, using: &dice) == 0 ? "other" : "boot\(Int(desk.time) / 200)"
      let partition = Int.random(in: 0..<2, using: &dice)
      let message = ObservationsMessage(
        gateway: name, boot: boot, sequence: sequences[gateway],
        sent: .zero + .seconds(desk.time - 300 + Double.random(in: 0...0.2, using: &dice)),
        partition: partition,
        receivers: ["hci\(gateway)"],
        beacons: [
          .init(
            key: "ibeacon f29dc74adbbd12de318ac8b046dd4425 1 2", measuredPower: -59,
            heard: [.init(receiver: 0, rssi: -61, age: .seconds(0.1))])
        ]
      ).message(topics: Topics(gateway: name))
      _ = desk.intake.take(
        message.payload, topic: message.topic, isRetained: false, at: desk.now, wallTime: desk.wallNow,
        slack: dice.next() % 3 == 0 ? .seconds(60) : .zero, into: &desk.hearing)
    }
  }

  @Test(arguments: 0..<10 as Range<UInt64>) func whoeverTakesOverHearsTheSame(seed: UInt64) throws {
    var dice = SeededGenerator(seed: seed)
    var desk = try Desk(Self.yaml)
    var heir: Desk?
    var sequences: [UInt64] = [0, 0, 0]
    for step in 0..<600 {
      if step % 150 == 75 { heir = try Self.restored(desk) }
      var (same, sameDice) = (sequences, dice)
      Self.say(&desk, &sequences, using: &dice)
      guard heir != nil else { continue }
      Self.say(&heir!, &same, using: &sameDice)
      #expect(heir!.heard == desk.heard, "step \(step)")
      #expect(heir!.hearing.observations == desk.hearing.observations)
      #expect(heir!.hearing.changes == desk.hearing.changes)
      #expect(heir!.hearing.notices == desk.hearing.notices)
      #expect(heir!.intake.figures == desk.intake.figures)
      #expect(heir!.intake.gatewayFigures == desk.intake.gatewayFigures)
      #expect(Self.octets(heir!.intake) == Self.octets(desk.intake))
      desk.hearing.removeAll()
      heir!.hearing.removeAll()
    }
    #expect(desk.intake.gatewayFigures.count == 3)
    #expect(desk.refused(.repeated) > 0)
    #expect(desk.intake.figures[2].messages > desk.intake.figures[2].observations)
  }

  @Test func otherScannersAreRefused() throws {
    let desk = try Desk(Self.yaml)
    var reader = try StateCoder(reading: Self.octets(desk.intake))
    #expect(throws: StateError.configuration) {
      _ = try ScannerIntake(Array(desk.intake.scanners.dropLast()), ownGateway: "home", snapshot: &reader)
    }
  }

  @Test func whatIsForgedIsRefusedOrHarmless() throws {
    var dice = SeededGenerator(seed: 1)
    var desk = try Desk(Self.yaml)
    var sequences: [UInt64] = [0, 0, 0]
    for _ in 0..<200 { Self.say(&desk, &sequences, using: &dice) }
    let octets = Self.octets(desk.intake)
    let body = Array(octets[16..<(octets.count - 8)])
    var refused = 0
    for _ in 0..<500 {
      var forged = body
      forged[Int.random(in: 8..<body.count, using: &dice)] = UInt8.random(in: 0...255, using: &dice)
      var reader = StateCoder(body: forged)
      do throws(StateError) {
        var next = desk
        next.intake = try ScannerIntake(desk.intake.scanners, ownGateway: "home", snapshot: &reader)
        var same = sequences
        for _ in 0..<20 { Self.say(&next, &same, using: &dice) }
      } catch {
        refused += 1
      }
    }
    #expect(refused > 50)
  }
}
