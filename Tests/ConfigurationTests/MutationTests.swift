@testable import Configuration
import Foundation
import TestSupport
import Testing

/// Whatever becomes of a file, reading it ends in a configuration or in words, never in a trap.
@Suite struct MutationTests {
  @Test(arguments: 0..<8)
  func aMangledExampleIsReadOrRefused(seed: UInt64) throws {
    let original = Array(try Data(contentsOf: configFolder.appendingPathComponent("beaconkeeper.yaml")))
    let faulty = Array(TenFaultsTests.faulty.utf8)
    let phones = Array(PhoneTests.everyKey.utf8)
    let rooms = Array(
      try Data(contentsOf: configFolder.appendingPathComponent("examples/rooms/outlines.yaml")))
    let http = Array(HTTPTests.everyKey.utf8)
    var dice = SeededGenerator(seed: seed)
    var readable = 0
    for round in 0..<100 {
      var bytes = [original, faulty, phones, rooms, http][round % 5]
      for _ in 0..<Int.random(in: 1...12, using: &dice) { mangle(&bytes, &dice) }
      do {
        let loaded = try Configuration.read(bytes, path: "m.yaml", environment: [:], hostName: "pi")
        _ = Explanation(loaded.configuration)
        readable += 1
      } catch {
        #expect(error.diagnostics.contains { $0.severity == .error })
        #expect(!error.description.contains("hunter2"))
        let places = error.diagnostics.map { $0.position ?? .init(line: 0, column: 0) }
        #expect(places == places.sorted())
      }
    }
    // Else the mutations are too wild to reach anything behind the parser.
    #expect(readable > 0)
  }

  private func mangle(_ bytes: inout [UInt8], _ dice: inout SeededGenerator) {
    guard !bytes.isEmpty else { return }
    let place = Int.random(in: 0..<bytes.count, using: &dice)
    let end = min(bytes.count, place + Int.random(in: 0...20, using: &dice))
    switch Int.random(in: 0..<6, using: &dice) {
    case 0: bytes[place] = UInt8.random(in: 0...255, using: &dice)
    case 1: bytes[place] = Array(" :-#[]{},\n\"'|>?!%".utf8).randomElement(using: &dice) ?? 0x20
    case 2: bytes.removeSubrange(place..<end)
    case 3: bytes.insert(contentsOf: bytes[place..<end], at: place)
    case 4: bytes.insert(contentsOf: Array("99999999999999999999 m".utf8), at: place)
    default: bytes[place] = Array("0123456789.-".utf8).randomElement(using: &dice) ?? 0x30
    }
  }
}
