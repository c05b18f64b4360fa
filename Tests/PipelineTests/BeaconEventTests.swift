import Beacons
import Contract
import Core
import Foundation
import Scenes
import Testing

@testable import Outbox
@testable import Pipeline

/// What beacons say to have happened: each is told once, none is lost.
@Suite struct BeaconEventTests {
  private static let rules = """
    gateway: { name: forecourt }
    beacons: [{ name: tag, address: "C1:00:00:00:00:01" }]
    """

  private var scene: Scene

  init() throws { scene = try Scene(Self.rules) }

  /// A BTHome packet that is triggered, unless `information` says otherwise.
  private static func packet(_ objects: [UInt8], information: UInt8 = 0x44) -> [UInt8] {
    [2, 1, 6, UInt8(objects.count + 4), 0x16, 0xD2, 0xFC, information] + objects
  }

  /// `event reading` of each, with its amount.
  private func story(_ scene: Scene) -> [String] {
    scene.output.transitions.compactMap { message in
      guard case .event(let event) = message.decision else { return nil }
      let amount = event.happening.amount.map { " \($0)" } ?? ""
      return "\(event.reading.name) \(event.happening.word)\(amount)"
    }
  }

  /// Heard eight times, ten in a second.
  private mutating func hear(_ objects: [UInt8], information: UInt8 = 0x44, for seconds: Double = 0.8) throws
  {
    try scene.hear(Self.packet(objects, information: information), rssi: -60, for: seconds)
  }

  @Test mutating func eachPressOfAButtonInBeaconModeIsToldOnce() throws {
    var number: UInt8 = 0x10
    for button in [0, 0, 1, 0, 0, 1, 1, 4, 0] as [UInt8] {
      try hear([0, number, 1, 100, 0x3A, button])
      scene.pass(button == 0 ? 4.2 : 1.2)
      number += 1
    }
    #expect(story(scene) == ["button press", "button press", "button press", "button long_press"])
    #expect(scene.states.allSatisfy { !String(decoding: $0.payload, as: UTF8.self).contains("button") })
  }

  @Test mutating func theNumberOfAPacketWrapsAround() throws {
    for number in [254, 255, 0, 1] as [UInt8] { try hear([0, number, 0x3A, 1], for: 0.3) }
    #expect(story(scene) == Array(repeating: "button press", count: 4))
  }

  @Test mutating func severalButtonsOfOnePacketAreSeveralEvents() throws {
    try hear([0, 1, 0x3A, 0, 0x3A, 1, 0x3A, 0x80, 0x3A, 0x77])
    try hear([0, 2, 0x3A, 2, 0x3A, 0])
    #expect(story(scene) == ["button_2 press", "button_3 hold_press", "button double_press"])
  }

  @Test mutating func aDimmerIsToldStepByStep() throws {
    try hear([0, 1, 0x3C, 1, 3])
    try hear([0, 2, 0x3C, 1, 3])
    try hear([0, 3, 0x3C, 0, 0])
    try hear([0, 4, 0x3C, 2, 200])
    #expect(story(scene) == ["dimmer rotate_left 3", "dimmer rotate_left 3", "dimmer rotate_right 200"])
  }

  @Test mutating func packetsWithoutNumberAreTakenApartBySilenceAndContent() throws {
    try hear([0x3A, 1])
    try hear([0x3A, 0])
    try hear([0x3A, 1])
    scene.pass(1.2)
    try hear([0x3A, 1])
    #expect(story(scene) == Array(repeating: "button press", count: 3))
  }

  /// It says what it said last until something else is to be said.
  @Test mutating func whatIsSentAtIntervalsIsToldOnce() throws {
    for _ in 0..<5 {
      try hear([0x3A, 1], information: 0x40, for: 0.1)
      scene.pass(5)
    }
    try hear([0, 7, 0x3A, 2], information: 0x40)
    scene.pass(100_000)
    try hear([0, 7, 0x3A, 2], information: 0x40)
    #expect(story(scene) == ["button press", "button double_press"])
  }

  @Test mutating func aDoorThatIsOpenForFourSecondsIsToldOpenAndClosed() throws {
    for (number, door) in ([0, 0, 1, 0, 0] as [UInt8]).enumerated() {
      try hear([0, UInt8(number), 0x1A, door])
      scene.pass(3.2)
    }
    #expect(story(scene) == ["door open", "door closed"])
    let told = scene.states.map { String(decoding: $0.payload, as: UTF8.self) }
      .filter { $0.contains("door") }.map { $0.contains(#""door":true"#) }
    #expect(told.contains(true) && told.last == false, "\(told)")
  }

  @Test mutating func aDoorWithoutNumbersIsToldAtEachEdge() throws {
    for door in [0, 1, 1, 0, 1, 0] as [UInt8] { try hear([0x2D, door], information: 0x40, for: 0.3) }
    #expect(story(scene) == ["window open", "window closed", "window open", "window closed"])
  }

  /// Of a door that is heard for the first time nobody knows when it was opened; smoke is news.
  @Test mutating func whatIsFirstHeardIsAnEventOnlyIfItIsAnAlarm() throws {
    try hear([0, 1, 0x1A, 1, 0x29, 1, 0x2B, 0, 0x2C, 1])
    #expect(story(scene) == ["smoke detected", "vibration detected"])
  }

  /// Some sensors say each shake, and never that it is over; others say a state again and again.
  @Test mutating func whatIsNeverTakenBackIsToldEachTime() throws {
    for number in 1...3 as ClosedRange<UInt8> { try hear([0, number, 0x2C, 1]) }
    try hear([0, 4, 0x2C, 0])
    for number in 5...7 as ClosedRange<UInt8> { try hear([0, number, 0x2C, 1]) }
    #expect(
      story(scene)
        == Array(repeating: "vibration detected", count: 3) + ["vibration clear", "vibration detected"])
  }

  @Test mutating func aLateCopyOfAnEarlierPacketSaysNothing() throws {
    let known = scene.pipeline.receiver("esp")
    let other = try #require(known)
    try hear([0, 1, 0x1A, 0], for: 0.2)
    try hear([0, 2, 0x1A, 1, 0x3A, 1], for: 0.2)
    try hear([0, 3, 0x1A, 0, 0x3A, 1], for: 0.2)
    try scene.hear(Self.packet([0, 2, 0x1A, 1, 0x3A, 1]), rssi: -60, for: 0.1, at: other)
    try scene.hear(Self.packet([0, 3, 0x1A, 0, 0x3A, 1]), rssi: -60, for: 0.1, at: other)
    #expect(story(scene) == ["door open", "button press", "door closed", "button press"])
    let readings = scene.pipeline.teller.telemetry.readings(of: BeaconIndex(rawValue: 0))
    #expect(readings?.contains(Reading(.door, .flag(false))) == true)
  }

  /// There are senders that number packets of different content alike.
  @Test mutating func oneNumberForDifferentContentIsNoRepetition() throws {
    for number in [1, 2] as [UInt8] {
      try hear([0, number, 2, 0, 10], for: 0.2)
      try hear([0, number, 0x11, number & 1], for: 0.2)
    }
    #expect(story(scene) == ["opening closed"])
  }

  @Test mutating func whoSpeaksInASensorsNameDoesNotFillTheDisk() throws {
    for press in 0..<1000 { try hear([0, UInt8(press & 255), 0x3A, 1], for: 0.1) }
    #expect((300...500).contains(story(scene).count))
    #expect(scene.pipeline.refusedEvents == UInt64(1000 - story(scene).count))
    #expect(scene.pipeline.takeNotices().count { $0.contains("events_refused") } == 1)
    #expect(scene.pipeline.takeNotices().isEmpty)
  }

  private static func ruuvi(movements: UInt8, measurement: UInt16) -> [UInt8] {
    var payload = Scene.ruuvi
    payload[22] = movements
    (payload[23], payload[24]) = (UInt8(measurement >> 8), UInt8(measurement & 255))
    return payload
  }

  @Test(arguments: [
    ([66, 66, 67, 70, 70], ["movement_count moved 1", "movement_count moved 3"]),
    ([254, 1], ["movement_count moved 2"]), ([66, 255, 67], ["movement_count moved 1"]),
    // After a change of battery.
    ([66, 0, 0, 1], ["movement_count moved 1"]),
  ]) mutating func aRuuviTagThatIsMovedSaysSo(movements: [UInt8], expected: [String]) throws {
    for (number, count) in movements.enumerated() {
      try scene.hear(Self.ruuvi(movements: count, measurement: UInt16(number)), rssi: -60, for: 0.5)
    }
    #expect(story(scene) == expected)
  }

  @Test(arguments: [
    ([1, 1, 2, 4, 4], ["press_count press 1", "press_count press 2"]),
    // After 15 or 255 it starts again; earlier, somebody changed the battery.
    ([15, 1], ["press_count press 1"]), ([7, 0, 1], ["press_count press 1"]),
  ]) mutating func `presses that a sensor counts are told`(counts: [UInt8], expected: [String]) throws {
    for count in counts {
      try scene.hear([12, 0x16, 0x3D, 0xFD, 0x64, 0, 100, 0, 0, 0, 0, 0, count], rssi: -60, for: 0.5)
    }
    #expect(story(scene).filter { $0.hasPrefix("press") } == expected)
  }

  /// An adapter reports an advertisement and its scan response one after the other.
  @Test mutating func `a lock that says its kind in one packet and its state in another is read`() throws {
    let state: [UInt8] = [12, 0xFF, 0x69, 0x09, 0xC1, 2, 3, 4, 5, 6, 1, 0x90, 0]
    try scene.hear(state, rssi: -60, for: 0.5)
    #expect(scene.states.allSatisfy { !String(decoding: $0.payload, as: UTF8.self).contains("lock") })
    try scene.hear([6, 0x16, 0x3D, 0xFD, 0x6F, 0x80, 100], rssi: -60, for: 0.5)
    try scene.hear(state, rssi: -60, for: 0.5)
    var locked = state
    locked[11] = 0x80
    try scene.hear(locked, rssi: -60, for: 0.5)
    #expect(story(scene) == ["lock locked"])
  }

  /// In a new run of the gateway, after some seconds.
  private mutating func restart(after seconds: Double) throws {
    let saved = scene.pipeline.savedBeacons(at: scene.time, wallTime: scene.wallTime)
    scene.skip(seconds)
    var next = Pipeline(try Scene.configuration(Self.rules))
    let known = next.receiver("hci0")
    let receiver = try #require(known)
    next.restore(
      saved, isSameBoot: true, at: scene.time, wallTime: scene.wallTime, into: &scene.output)
    scene.replace(next, receiver: receiver)
  }

  @Test mutating func aRestartTellsNothingTwiceAndMissesNoEdge() throws {
    try hear([0, 1, 0x1A, 0, 0x3A, 1])
    try restart(after: 20)
    try hear([0, 1, 0x1A, 0, 0x3A, 1])
    #expect(story(scene) == ["button press"])
    try restart(after: 20)
    try hear([0, 3, 0x1A, 1, 0x3A, 0])
    #expect(story(scene) == ["button press", "door open"])
    #expect(scene.output.forgotten.isEmpty)
  }

  @Test mutating func whatIsFirstHeardOfABinaryReadingIsSavedAtOnce() throws {
    try hear([0, 1, 0x1A, 0])
    #expect(scene.output.noted == [BeaconIndex(rawValue: 0)])
    #expect(scene.pipeline.saved(BeaconIndex(rawValue: 0)) != nil)
  }

  @Test mutating func aReloadTellsNothingTwiceAndMissesNoEdge() throws {
    try hear([0, 1, 0x1A, 0, 0x3A, 1])
    try scene.reload(Self.rules + "\nzones: [{ name: house }]")
    try hear([0, 1, 0x1A, 0, 0x3A, 1])
    try hear([0, 2, 0x1A, 1, 0x3A, 0])
    #expect(story(scene) == ["button press", "door open"])
  }

  @Test mutating func whoeverTakesOverTellsNothingTwice() throws {
    try hear([0, 1, 0x1A, 0, 0x3A, 1])
    let octets = scene.pipeline.snapshotOctets
    var heir = Pipeline(try Scene.configuration(Self.rules))
    var reader = try StateCoder(reading: octets)
    try heir.restore(from: &reader)
    scene.replace(heir, receiver: scene.receiver)
    try hear([0, 1, 0x1A, 0, 0x3A, 1])
    try hear([0, 2, 0x1A, 1, 0x3A, 0])
    #expect(story(scene) == ["button press", "door open"])
  }
}
