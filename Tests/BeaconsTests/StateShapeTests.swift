import Core
import TestSupport
import Testing

@testable import Beacons

/// A state that another version wrote is read by the names of its fields.
@Suite struct StateShapeTests {
  private struct Inner: StateElement, Equatable {
    var level: Int16 = -7
    var name: String?

    mutating func fields(_ coder: inout StateCoder) throws(StateError) {
      try coder("level", &level)
      try coder("name", &name)
    }
  }

  private struct Earlier: StateElement {
    var count: UInt32 = 0
    var gone: [String: [UInt16]] = [:]
    var inner = Inner()
    var widened: UInt8 = 0
    var many: [Inner] = []

    mutating func fields(_ coder: inout StateCoder) throws(StateError) {
      try coder("count", &count)
      try coder("gone", &gone)
      try coder("inner", &inner)
      try coder("widened", &widened)
      try coder("many", &many)
    }
  }

  private struct LaterInner: StateElement, Equatable {
    var name: String?
    var isNew = true
    var level: Int16 = -7

    mutating func fields(_ coder: inout StateCoder) throws(StateError) {
      try coder("name", &name)
      try coder("is_new", &isNew)
      try coder("level", &level)
    }
  }

  private struct Later: StateElement {
    var many: [LaterInner] = []
    var widened: UInt16 = 300
    var added: Double? = 2.5
    var inner = LaterInner()
    var count: UInt32 = 0

    mutating func fields(_ coder: inout StateCoder) throws(StateError) {
      try coder("many", &many)
      try coder("widened", &widened)
      try coder("added", &added)
      try coder("inner", &inner)
      try coder("count", &count)
    }
  }

  private var earlier: Earlier {
    Earlier(
      count: 12, gone: ["a": [1, 2], "b": []], inner: Inner(level: -60, name: "hall"), widened: 9,
      many: [Inner(level: 1, name: nil), Inner(level: 2, name: "bath")])
  }

  private func octets(_ value: some StateCoded) -> [UInt8] {
    var coder = StateCoder.body
    coder.write(value)
    return coder.written()
  }

  /// As it is read from a file.
  private func kept(_ shape: StateShape) throws -> StateShape {
    var coder = StateCoder(body: octets(shape))
    let read = try StateShape(reading: &coder)
    try coder.finish()
    return read
  }

  @Test func `fields are found by name, new ones keep what a new part has`() throws {
    let shape = try kept(Earlier.shape)
    #expect(shape == Earlier.shape)
    var coder = StateCoder(body: try shape.rewrite(octets(earlier), as: Later.shape))
    let later = try Later(reading: &coder)
    try coder.finish()
    #expect(later.count == 12)
    #expect(later.inner == LaterInner(name: "hall", isNew: true, level: -60))
    #expect(later.many.map(\.name) == [nil, "bath"])
    #expect(later.many.map(\.level) == [1, 2])
    #expect(later.added == 2.5)
    #expect(later.widened == 300, "a field of another shape is a new one")
  }

  @Test func `an unchanged shape gives the same octets`() throws {
    let same = octets(earlier)
    #expect(try kept(Earlier.shape).rewrite(same, as: Earlier.shape) == same)
    #expect(Earlier.shape.fingerprint == (try kept(Earlier.shape)).fingerprint)
    #expect(Earlier.shape.fingerprint != Later.shape.fingerprint)
  }

  @Test(arguments: 0..<40) func `damage is an error, never a trap`(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let (sound, shape) = (octets(earlier), octets(Earlier.shape))
    for _ in 0..<300 {
      var (damaged, odd) = (sound, shape)
      damaged[Int(random.next() % UInt64(damaged.count))] = UInt8(truncatingIfNeeded: random.next())
      if random.next() % 2 == 0 { damaged.removeLast(Int(random.next() % UInt64(damaged.count))) }
      odd[Int(random.next() % UInt64(odd.count))] = UInt8(truncatingIfNeeded: random.next())
      var coder = StateCoder(body: odd)
      if let read = try? StateShape(reading: &coder) { _ = try? read.rewrite(damaged, as: Later.shape) }
      _ = try? Earlier.shape.rewrite(damaged, as: Later.shape)
    }
    for empty in [
      StateShape.list(.octets(0)), .list(.part([])), .part([.init(name: "a", shape: .octets(0))]),
    ] {
      var coder = StateCoder(body: octets(empty))
      #expect(throws: StateError.self) { try StateShape(reading: &coder) }
    }
    let deep = [UInt8](repeating: 2, count: 100_000)
    var coder = StateCoder(body: deep)
    #expect(throws: StateError.self) { try StateShape(reading: &coder) }
  }
}
