import Beacons
import Core
import Testing

@testable import Proximity

@Suite struct HeldLevelsTests {
  /// One level: hearer, gap, samples, window, level. No gap is longer than what is held, and what is heard next is added to it.
  @Test(arguments: [1, 24, 25, 249, 255] as [UInt8]) func aSavedGapHasARange(gap: UInt8) {
    var held = HeldLevels(hearers: 1)
    var reader = StateCoder(body: [1, 0, 0, 0, 0, 0, gap, 1, 9, 0, 0, 0, 0xA8, 0xFD])
    guard (try? held.append(from: &reader)) != nil else {
      #expect(gap > 24)
      return
    }
    #expect(gap <= 24)
    held.note(RoomHearing(hearer: 0, level: -60, samples: 1), of: 0, in: 10)
    var hearings: [RoomHearing] = []
    held.add(0, in: 10, isPast: false, except: HearerSet(), to: &hearings)
    #expect(hearings.count == 1)
  }

  @Test func aSavedLevelHasARange() {
    var held = HeldLevels(hearers: 1)
    var reader = StateCoder(body: [1, 0, 0, 0, 0, 0, 4, 1, 9, 0, 0, 0, 0xFF, 0x7F])
    #expect(throws: StateError.self) { try held.append(from: &reader) }
  }
}
