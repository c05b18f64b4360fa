import Beacons
import Core
import Testing

@testable import Contract

@Suite("Another Beaconkeeper") struct RemoteGatewayTests {
  private static let key = "ibeacon f29dc74adbbd12de318ac8b046dd4425 1 2"

  /// Its clock is 500 s behind ours.
  private func batch(
    _ sequence: UInt64, sent: Double, boot: String = "a", ages: [Double] = [0.12], gateway: String = "hall"
  ) -> Message {
    ObservationsMessage(
      gateway: gateway, boot: boot, sequence: sequence, sent: .zero + .seconds(sent), partition: 0,
      receivers: ["hci0"],
      beacons: [
        .init(
          key: Self.key, measuredPower: -59,
          heard: ages.map { .init(receiver: 0, rssi: -61, age: .seconds($0)) })
      ]
    ).message(topics: Topics(gateway: gateway))
  }

  private func desk() throws -> Desk { try Desk("scanners: [{ kind: beaconkeeper }]") }

  private func say(_ message: Message, _ desk: inout Desk, after delay: Double = 0) {
    desk.time += delay
    desk.say(message.topic, message.payload)
  }

  private func ages(_ desk: Desk) -> [Int] {
    desk.hearing.observations.map { Int(((desk.now - $0.time).seconds * 1000).rounded()) }
  }

  @Test func observationsKeepTheirOwnTime() throws {
    var desk = try desk()
    say(batch(1, sent: 500), &desk)
    #expect(desk.heard == ["hall/hci0 [\(Self.key)] -61"])
    #expect(desk.hearing.observations[0].measuredPower == -59)
    #expect(ages(desk) == [120])
    #expect(desk.intake.gatewayFigures[0].offset == .seconds(500))
    #expect(desk.intake.gatewayFigures[0].batches == 1)
  }

  /// 300 ms under way, as against none before.
  @Test func aSlowNetworkDoesNotShiftTimes() throws {
    var desk = try desk()
    say(batch(1, sent: 500), &desk)
    desk.hearing.removeAll()
    say(batch(2, sent: 501), &desk, after: 1.3)
    #expect(ages(desk) == [420])
  }

  @Test func theClockFollowsASlowDrift() throws {
    var desk = try desk()
    for second in 0..<600 {
      desk.hearing.removeAll()
      // A hundred parts in a million: 60 ms in ten minutes.
      say(batch(UInt64(second + 1), sent: 500 + Double(second) * 0.9999), &desk, after: second == 0 ? 0 : 1)
    }
    #expect(abs((ages(desk).first ?? 0) - 120) <= 8)
  }

  @Test func `of many senders with one fault ten are named, and then that there are others`() throws {
    var desk = try desk()
    for number in 1...40 {
      for (sequence, sent) in [(1, 500), (2, 9500.0)] {
        say(batch(UInt64(sequence), sent: sent, gateway: "gw\(number)"), &desk)
      }
    }
    let notices = desk.hearing.notices
    #expect(notices.count == 11)
    #expect(notices.last?.contains("from still others") == true)
  }

  @Test func aClockThatJumpsIsRefusedForAMinuteAndNamed() throws {
    var desk = try desk()
    say(batch(1, sent: 500), &desk)
    say(batch(2, sent: 9500), &desk, after: 1)
    say(batch(3, sent: 2), &desk, after: 1)
    #expect(desk.refused(.clock) == 2)
    #expect(desk.heard.count == 1)
    #expect(
      desk.hearing.notices == [
        "refused from hall on beaconkeeper/+/observations/+: batches whose send time jumped, or that were over a minute under way (counted in health)"
      ])
    #expect(desk.intake.gatewayFigures[0].lastRefusal == "clock")
    say(batch(4, sent: 70), &desk, after: 62)
    #expect(desk.heard.count == 2)
  }

  /// Its sender may have taken the time wrong once. What follows must not pass for half a minute old.
  @Test func oneBatchThatIsFarAheadDoesNotShiftTheOthers() throws {
    var desk = try desk()
    for second in 0..<70 {
      desk.hearing.removeAll()
      let ahead = second == 5 ? 30.0 : 0
      say(batch(UInt64(second + 1), sent: 500 + Double(second) + ahead), &desk, after: second == 0 ? 0 : 1)
      #expect(ages(desk) == [second == 5 ? 0 : 120], "second \(second)")
    }
    #expect(desk.intake.gatewayFigures[0].offset == .seconds(500))
  }

  @Test func twoInARowThatAreAheadAreBelieved() throws {
    var desk = try desk()
    // The first one was long under way.
    say(batch(1, sent: 490), &desk)
    say(batch(2, sent: 501), &desk, after: 1)
    #expect(desk.intake.gatewayFigures[0].offset == .seconds(510))
    say(batch(3, sent: 502), &desk, after: 1)
    #expect(desk.intake.gatewayFigures[0].offset == .seconds(500))
    #expect(desk.heard.count == 3)
    #expect(ages(desk).last == 120)
  }

  /// It was away for ten minutes. What it could not deliver at once says nothing about its clock.
  @Test func aBatchThatWaitedIsLateAndTheClockStays() throws {
    var desk = try desk()
    say(batch(1, sent: 500), &desk)
    // The client sent these before, and sends them again: they do not know how long they were under way.
    say(batch(2, sent: 501), &desk, after: 600)
    #expect(desk.refused(.clock) == 1)
    for (number, sent) in [(3, 502.0), (4, 1090), (5, 1099)] {
      var message = batch(UInt64(number), sent: sent)
      message.payload = ObservationsMessage.delayed(message.payload, held: .seconds(1100 - sent))
      say(message, &desk)
    }
    #expect(desk.refused(.age) == 1)
    #expect(ages(desk).suffix(2) == [10_120, 1120])
    say(batch(6, sent: 1101), &desk, after: 1)
    #expect(ages(desk).last == 120)
    #expect(desk.intake.gatewayFigures[0].offset == .seconds(500))
  }

  @Test(arguments: ["null", "-1", "9007199254740991"])
  func aBatchOfAnUnknownTimeIsRefused(held: String) throws {
    var desk = try desk()
    var message = batch(1, sent: 500)
    message.payload = message.payload.dropLast() + Array(",\"held_ms\":\(held)}".utf8)
    say(message, &desk)
    #expect(desk.heard.isEmpty)
  }

  @Test func observationsOfTooLongAgoOrOfTheFutureAreRefused() throws {
    var desk = try desk()
    say(batch(1, sent: 500, ages: [0.1, 61, -0.1, 60]), &desk)
    #expect(desk.heard.count == 2)
    #expect(desk.refused(.age) == 2)
    #expect(desk.hearing.observations.allSatisfy { $0.time <= desk.now })
  }

  @Test func eachObservationIsHeardOrCountedAsRefusedAndNoneTwice() throws {
    var desk = try desk()
    let all = batch(1, sent: 500, ages: [0.1, 61, -0.1, 60])
    for message in [
      all, all, batch(2, sent: 100, ages: [0.1, 0.2, 0.3]), batch(2, sent: 500.2, ages: [0.1]),
    ] {
      say(message, &desk)
    }
    #expect(desk.refused(.repeated) == 1)
    #expect(desk.heard.count == 3)
    #expect(desk.intake.refusedObservations == 5)
  }

  @Test func aGatewayThatCollectsForLongerThanRoomsWaitIsNamedOnce() throws {
    var others = try desk()
    say(batch(1, sent: 500, ages: [0.7, 0.1]), &others)
    #expect(others.hearing.notices.isEmpty, "there are no rooms")
    var desk = try Desk("scanners: [{ kind: beaconkeeper }]\nrooms: [{ name: hall, receivers: [hall/hci0] }]")
    for sequence: UInt64 in 1...3 { say(batch(sequence, sent: 500, ages: [0.7, 0.1]), &desk) }
    #expect(
      desk.hearing.notices == [
        "hall publishes observations after 700 ms, and the interval of beaconkeeper/+/observations/+ is 200 ms: that is too late for rooms; set interval: to that of the gateway's publish"
      ])
    #expect(desk.heard.count == 6)
  }

  @Test func aBatchCountsOnceAndMissingOnesAreCounted() throws {
    var desk = try desk()
    for sequence: UInt64 in [1, 2, 2, 1, 6] {
      say(batch(sequence, sent: 500 + desk.time - 1000), &desk, after: 0.2)
    }
    #expect(desk.heard.count == 3)
    #expect(desk.refused(.repeated) == 2)
    #expect(desk.intake.gatewayFigures[0].lost == 3)
  }

  @Test func aRestartBeginsAnew() throws {
    var desk = try desk()
    say(batch(900, sent: 500), &desk)
    say(batch(1, sent: 3, boot: "b"), &desk, after: 5)
    #expect(desk.heard.count == 2)
    #expect(desk.intake.gatewayFigures[0].boot == "b")
  }

  @Test func ofTwoGatewaysWithOneNameTheFirstCountsAndTheOtherIsReported() throws {
    var desk = try desk()
    for second in 0..<20 {
      say(batch(UInt64(second + 1), sent: 500 + Double(second)), &desk, after: 0.5)
      say(batch(UInt64(second + 1), sent: 9000 + Double(second), boot: "b"), &desk, after: 0.5)
    }
    // The second one passes for a restart until it is clear that the first did not end.
    #expect(desk.heard.count == 21)
    #expect(desk.refused(.former) == 5)
    #expect(desk.refused(.twin) == 14)
    #expect(desk.intake.gatewayFigures[0].hasTwin)
    #expect(desk.intake.gatewayFigures[0].boot == "a")
    #expect(desk.hearing.notices.count { $0.contains("a second gateway with this name") } == 1)
    // The first falls silent: the other takes over.
    say(batch(21, sent: 9060, boot: "b"), &desk, after: 40)
    #expect(desk.heard.count == 22)
  }

  @Test func ofThreeGatewaysWithOneNameTheFirstCounts() throws {
    var desk = try desk()
    for second in 0..<60 {
      for (place, boot) in ["x", "y", "z"].enumerated() {
        let sent = 500 + Double(second) + 1000 * Double(place)
        say(batch(UInt64(second + 1), sent: sent, boot: boot), &desk, after: 1.0 / 3)
      }
    }
    #expect(desk.intake.gatewayFigures[0].boot == "x")
    #expect(desk.intake.gatewayFigures[0].hasTwin)
    #expect(desk.heard.count <= 65)
    #expect(desk.refused(.twin) >= 100)
    // The others got names of their own.
    say(batch(100, sent: 600 + 3700, boot: "x"), &desk, after: 3700)
    say(batch(101, sent: 601 + 3700, boot: "x"), &desk, after: 1)
    #expect(!desk.intake.gatewayFigures[0].hasTwin)
  }

  /// What restarts over and over must not take the place of what works.
  @Test func aSecondGatewayThatRestartsOftenStaysRefused() throws {
    var desk = try desk()
    for second in 0..<100 {
      say(batch(UInt64(second + 1), sent: 500 + Double(second)), &desk, after: 0.5)
      say(batch(1, sent: 2, boot: "crash\(second / 3)"), &desk, after: 0.5)
    }
    #expect(desk.intake.gatewayFigures[0].boot == "a")
    #expect(desk.intake.gatewayFigures[0].batches >= 100 - 6)
  }

  @Test(arguments: [1, 5]) func lateBatchesOfTheFormerRunDoNotSilenceTheNewOne(count: UInt64) throws {
    var desk = try desk()
    say(batch(1, sent: 500), &desk)
    for second in 0..<60 {
      say(batch(UInt64(second + 1), sent: 2 + Double(second), boot: "b"), &desk, after: 1)
      guard second == 3 || second == 50 else { continue }
      for late in 0..<count { say(batch(late + 2 + UInt64(second), sent: 501), &desk) }
    }
    #expect(desk.intake.gatewayFigures[0].boot == "b")
    #expect(!desk.intake.gatewayFigures[0].hasTwin)
    #expect(desk.heard.count == 61)
    #expect(desk.refused(.former) == 2 * count)
  }

  /// Delayed on its way: its time of sending lies before what the present run sent, or is of another start of the machine.
  @Test(arguments: [480.0, 90_000]) func aLateBatchOfARunThatWasNotMetSilencesNobody(sent: Double) throws {
    var desk = try desk()
    for second in 0..<60 {
      say(batch(UInt64(second + 1), sent: 500 + Double(second)), &desk, after: 1)
      if second == 20 || second == 59 { say(batch(700, sent: sent, boot: "older"), &desk) }
    }
    #expect(desk.heard.count == 60)
    #expect(desk.refused(.former) == 2)
    #expect(!desk.intake.gatewayFigures[0].hasTwin)
    // A restart of the program still counts at once.
    say(batch(1, sent: 561, boot: "next"), &desk, after: 2)
    #expect(desk.heard.count == 61)
  }

  @Test func aRestartOfTheMachineCountsAtOnce() throws {
    var desk = try desk()
    for second in 0..<20 { say(batch(UInt64(second + 1), sent: 5000 + Double(second)), &desk, after: 1) }
    say(batch(1, sent: 9, boot: "next"), &desk, after: 15)
    #expect(desk.heard.count == 21)
    #expect(desk.intake.gatewayFigures[0].boot == "next")
  }

  /// It is told at once from a restart, because no clock would show its time.
  @Test func aSecondGatewayThatComesLaterIsNeverListenedToWhileTheFirstOneLives() throws {
    var desk = try desk()
    for second in 0..<30 {
      say(batch(UInt64(second + 1), sent: 500 + Double(second)), &desk, after: 0.5)
      guard second >= 10 else { continue }
      say(batch(UInt64(second), sent: 9000 + Double(second), boot: "b"), &desk, after: 0.5)
    }
    #expect(desk.heard.count == 30)
    #expect(desk.intake.gatewayFigures[0].hasTwin)
    #expect(desk.refused(.twin) > 10)
    // The first falls silent: the other takes over.
    say(batch(40, sent: 9070, boot: "b"), &desk, after: 40)
    #expect(desk.heard.count == 31)
  }

  @Test func ourOwnObservationsAreIgnored() throws {
    var desk = try desk()
    let isOurs = desk.say("beaconkeeper/home/observations/0", batch(1, sent: 1).payload)
    #expect(isOurs)
    #expect(desk.heard == [])
    #expect(desk.intake.figures[0].messages == 0)
  }

  @Test func aBatchUnderAnothersTopicIsRefused() throws {
    var desk = try desk()
    desk.say("beaconkeeper/attic/observations/0", batch(1, sent: 1).payload)
    desk.say("beaconkeeper/hall/observations/0", batch(1, sent: 1, gateway: "home").payload)
    #expect(desk.refused(.gateway) == 2)
  }

  @Test(arguments: [
    ("{}", ScannerRefusal.malformed), ("[]", .malformed),
    (#"{"v":2,"gateway":"hall","boot":"a","seq":1,"sent_ms":1,"receivers":[],"beacons":[]}"#, .version),
    (#"{"v":1,"gateway":"hall","boot":"a","seq":1,"sent_ms":-1,"receivers":[],"beacons":[]}"#, .malformed),
    (#"{"v":1,"gateway":"hall","boot":"a","seq":0,"sent_ms":1,"receivers":[],"beacons":[]}"#, .malformed),
    (#"{"v":1,"gateway":"hall","boot":"a","seq":1,"sent_ms":1e30,"receivers":[],"beacons":[]}"#, .malformed),
    (
      #"{"v":1,"gateway":"hall","boot":"a","seq":1,"sent_ms":1,"receivers":[],"beacons":[{"beacon":"x","heard":[[0,-50,1]]}]}"#,
      .malformed
    ),
    (
      #"{"v":1,"gateway":"hall","boot":"a","seq":1,"sent_ms":1,"receivers":["h"],"beacons":[{"beacon":"x","heard":[[-1,-50,1]]}]}"#,
      .malformed
    ),
    (
      #"{"v":1,"gateway":"hall","boot":"a","seq":1,"sent_ms":1,"receivers":["h"],"beacons":[{"beacon":"x","heard":[[0,99,1]]}]}"#,
      .malformed
    ),
  ])
  func anInvalidBatchIsRefused(payload: String, cause: ScannerRefusal) throws {
    var desk = try desk()
    desk.say("beaconkeeper/hall/observations/0", payload)
    #expect(desk.heard == [])
    #expect(desk.refused(cause) == 1)
  }

  /// A version of the contract may add members.
  @Test func unknownMembersArePassedOver() throws {
    var desk = try desk()
    desk.say(
      "beaconkeeper/hall/observations/0",
      #"{"new":{"a":[1]},"v":1,"gateway":"hall","boot":"a","seq":1,"sent_ms":1,"receivers":["hci0"],"beacons":[{"x":1,"beacon":"ibeacon 0 1 2","heard":[[0,null,5]]}]}"#
    )
    #expect(desk.heard == ["hall/hci0 [ibeacon 0 1 2] ?"])
  }

  @Test func aBeaconStaysInItsPartition() {
    #expect(ObservationsMessage.partition(of: Self.key, among: 1) == 0)
    // 128-bit FNV-1a of the octets, computed by other means.
    #expect(ObservationsMessage.partition(of: Self.key, among: 7) == 0)
    #expect(ObservationsMessage.partition(of: Self.key, among: 1000) == 880)
  }
}
