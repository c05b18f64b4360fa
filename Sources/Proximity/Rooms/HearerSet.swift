import Beacons

/// A set of receivers: one bit for each index into `RoomPlan.hearers`.
struct HearerSet: Hashable, Sendable {
  private var bits = SIMD4<UInt64>()

  init() {}

  init(_ hearers: some Sequence<Int>) { for hearer in hearers { insert(hearer) } }

  var isEmpty: Bool { bits == SIMD4() }

  func contains(_ hearer: Int) -> Bool { bits[hearer >> 6] & (1 << UInt64(hearer & 63)) != 0 }

  mutating func insert(_ hearer: Int) { bits[hearer >> 6] |= 1 << UInt64(hearer & 63) }

  mutating func remove(_ hearer: Int) { bits[hearer >> 6] &= ~(1 << UInt64(hearer & 63)) }

  func union(_ other: HearerSet) -> HearerSet { HearerSet(bits: bits | other.bits) }

  func intersection(_ other: HearerSet) -> HearerSet { HearerSet(bits: bits & other.bits) }

  func subtracting(_ other: HearerSet) -> HearerSet { HearerSet(bits: bits & ~other.bits) }

  func isSubset(of other: HearerSet) -> Bool { bits & ~other.bits == SIMD4() }

  private init(bits: SIMD4<UInt64>) { self.bits = bits }
}

extension HearerSet: StateElement {
  mutating func fields(_ coder: inout StateCoder) throws(StateError) {
    try coder("first", &bits[0])
    try coder("second", &bits[1])
    try coder("third", &bits[2])
    try coder("fourth", &bits[3])
  }
}
