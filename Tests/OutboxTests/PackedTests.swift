import Beacons
import Contract
import Core
import Foundation
import Proximity
import Scenes
import TestSupport
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

  @Test func comesBackAsItWas() throws {
    let beacon = try beacon()
    #expect(!beacon.readings.isEmpty)
    #expect(beacon.receivers.count > 1)
    var texts: [String] = []
    let packed = beacon.packed {
      texts.append($0)
      return Int64(texts.count - 1)
    }
    var shapes = RowShapes()
    let read = try SavedBeacon(packed: packed, &shapes) { texts[Int($0)] }
    var (before, after) = (StateCoder.body, StateCoder.body)
    before.write(beacon)
    after.write(read)
    #expect(after.written() == before.written())
    #expect(packed.count < 1400, "\(packed.count) octets")
  }

  @Test func `a beacon of another version is read by the names of its fields`() throws {
    let beacon = try beacon()
    var kept = StateCoder.body
    kept.write(SavedBeacon.rowShape)
    var keptReader = StateCoder(body: kept.written())
    #expect(try StateShape(reading: &keptReader) == SavedBeacon.rowShape)
    let other = Self.other(SavedBeacon.rowShape)
    guard case .part(let present) = SavedBeacon.rowShape, case .part(let parts) = other else { return }
    var saved = beacon
    saved.octets = try present[1].shape.rewrite(beacon.octets, as: parts[1].shape)
    saved.zones = beacon.zones.mapValues { _ in "7" }
    var body = StateCoder.body
    body.write(saved)
    var coder = StateCoder(layout: other.fingerprint)
    for octet in try present[0].shape.rewrite(body.written(), as: parts[0].shape) { coder.write(octet) }
    let packed = coder.finished()
    var shapes = RowShapes()
    #expect(throws: StateError.layout(other.fingerprint)) {
      try SavedBeacon(packed: packed, &shapes) { _ in "zone" }
    }
    shapes = RowShapes([other.fingerprint: other])
    let read = try SavedBeacon(packed: packed, &shapes) { $0 == 7 ? "zone" : nil }
    #expect(read.octets == beacon.octets)
    #expect(
      (read.key, read.name, read.inside, read.room) == (beacon.key, beacon.name, beacon.inside, beacon.room))
    #expect(read.zones.keys == beacon.zones.keys && read.zones.values.allSatisfy { $0 == "zone" })
  }

  /// Another order, and fields that this version does not have, in every part.
  private static func other(_ shape: StateShape) -> StateShape {
    switch shape {
    case .optional(let value): .optional(other(value))
    case .list(let element): .list(other(element))
    case .table(let key, let value): .table(other(key), other(value))
    case .part(let fields) where fields.first?.name == "saved":
      .part(fields.map { .init(name: $0.name, shape: other($0.shape)) })
    case .part(let fields):
      .part(
        [.init(name: "former", shape: .list(.octets(3)), initial: [1, 0, 0, 0, 7, 7, 7])]
          + fields.reversed().map { .init(name: $0.name, shape: other($0.shape)) })
    default: shape
    }
  }

  @Test(arguments: 0..<20) func damageIsFound(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let packed = try beacon().packed { _ in 1 }
    var shapes = RowShapes()
    for _ in 0..<200 {
      var damaged = packed
      switch random.next() % 3 {
      case 0: damaged[Int(random.next() % UInt64(damaged.count))] ^= 1 << UInt8(random.next() % 8)
      case 1: damaged.removeLast(Int(1 + random.next() % UInt64(damaged.count)))
      default: damaged = (0..<random.next() % 300).map { _ in UInt8(truncatingIfNeeded: random.next()) }
      }
      #expect(throws: StateError.self) { try SavedBeacon(packed: damaged, &shapes) { _ in "text" } }
    }
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
