import Scenes
import Beacons
import Foundation
import Messages
import Proximity
import Randomness
import Testing

@testable import Outbox
@testable import Pipeline

/// With the checksum that fits.
func sealed(_ octets: [UInt8]) -> [UInt8] {
  let sum = packedSum(octets[...])
  return octets + (0..<4).map { UInt8(truncatingIfNeeded: sum >> (8 * $0)) }
}

/// What the outbox writes of a beacon: little, the same when it is read, and nothing where it is damaged.
@Suite struct PackedTests {
  /// A beacon that two receivers hear, inside of two zones and a room, with readings.
  private func beacon() throws -> SavedBeacon {
    var scene = try Scene(Scene.rules + "\nrooms: [{ name: yard, receivers: [hci0] }]")
    try scene.hear(Scene.ruuvi, from: 0xC100_0000_0005, rssi: -50, for: 20)
    let second = scene.pipeline.receiver("upstairs")
    try scene.hear(Scene.ruuvi, from: 0xC100_0000_0005, rssi: -60, for: 2, at: second)
    return try #require(scene.pipeline.savedBeacons(at: scene.time, wallTime: scene.wallTime).first)
  }

  private func json(_ beacon: SavedBeacon) throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    return String(decoding: try encoder.encode(beacon), as: UTF8.self)
  }

  @Test func comesBackAsItWas() throws {
    let beacon = try beacon()
    #expect(beacon.readings?.isEmpty == false)
    #expect(beacon.state.receivers.count > 1)
    var texts: [String] = []
    let packed = try beacon.packed {
      texts.append($0)
      return Int64(texts.count - 1)
    }
    let read = try #require(SavedBeacon(packed: packed) { texts[Int($0)] })
    // A dictionary is written in any order.
    #expect(try json(read).count == json(beacon).count)
    #expect(read.state == beacon.state)
    #expect(read.zones == beacon.zones)
    #expect(read.receivers == beacon.receivers)
    #expect(packed.count < 800, "\(packed.count) octets")
  }

  /// A change of what is saved, here or in the engine, makes rows of before unreadable: they must be told apart.
  @Test func anotherLayoutHasAnotherNumber() throws {
    let encoder = PackedEncoder { _ in 1 }
    try encoder.write(try beacon())
    var seen: Set<String> = []
    let names = encoder.names.filter { seen.insert($0).inserted }.joined(separator: " ")
    let layouts: [Int64: String] = [4: Self.fourthLayout]
    #expect(layouts[SavedBeacon.layout] == names, "raise SavedBeacon.layout, and put the new names here")
  }

  private static let fourthLayout = """
    key heardKey? name? time nanoseconds wallTime receivers zones state links receiver rawValue isCurrent isLocated \
    samples lastHeard silentSince lastSignal power logDistance margin filter level rate variance rateVariance \
    covariance surprise scatter interval current first second previous beforePrevious gaps blocks seconds doubtful mean \
    lost presences zone isInside isArmed since nearSince? enterSince? exitSince? lostDeadline? heldUntil? locator? wallOffset lastSighting? readings? name number? flag? \
    sender? packets content heard cleared room? track told window? offset offsetWeight lastReceiver hearers earlierHearers hearersSince turnedUp \
    outside usual? present? isFrozen maps
    """

  @Test(arguments: 0..<20) func damageIsFound(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let packed = try beacon().packed { _ in 1 }
    for _ in 0..<200 {
      var damaged = packed
      switch random.next() % 3 {
      case 0: damaged[Int(random.next() % UInt64(damaged.count))] ^= 1 << UInt8(random.next() % 8)
      case 1: damaged.removeLast(Int(1 + random.next() % UInt64(damaged.count)))
      default: damaged = (0..<random.next() % 300).map { _ in UInt8(truncatingIfNeeded: random.next()) }
      }
      #expect(SavedBeacon(packed: damaged) { _ in "text" } == nil)
    }
  }

  /// With a checksum that fits: it is refused, or a beacon that a pipeline can take up.
  @Test(arguments: 0..<10 as Range<UInt64>) func whatIsForgedIsRefusedOrHarmless(seed: UInt64) throws {
    var dice = SeededGenerator(seed: seed)
    let packed = try beacon().packed { _ in 1 }.dropLast(4)
    var refused = 0
    for _ in 0..<300 {
      let octets = sealed(dice.forged(Array(packed), from: 1))
      guard let forged = SavedBeacon(packed: octets, text: { _ in "text" }) else {
        refused += 1
        continue
      }
      var scene = try Scene(Scene.rules + "\nrooms: [{ name: yard, receivers: [hci0] }]")
      scene.pipeline.restore(
        [forged], isSameBoot: dice.next() % 2 == 0, at: scene.time, wallTime: scene.wallTime,
        into: &scene.output)
      try scene.hear(Scene.ruuvi, from: 0xC100_0000_0005, rssi: -50, for: 3)
    }
    #expect(refused > 10)
  }

  @Test(arguments: [0, 1, 127, 128, 300, UInt64.max]) func numbersTakeAsManyOctetsAsTheyNeed(number: UInt64)
    throws
  {
    var writer = PackedWriter()
    writer.write(number)
    writer.write(Int64(bitPattern: number))
    writer.write(-1.5)
    writer.write("ä")
    var reader = try PackedReader(sealed: writer.sealed)
    #expect(try reader.unsigned() == number)
    #expect(try reader.signed() == Int64(bitPattern: number))
    #expect(try reader.double() == -1.5)
    #expect(try reader.text() == "ä")
    #expect(reader.isAtEnd)
  }
}
