import Beacons

/// A set of receivers by their index in `RoomPlan.hearers`. The first 256 are bits. Those beyond are listed, because few of a large
/// site's receivers hear one beacon.
struct HearerSet: Hashable, Sendable {
  private var bits = SIMD4<UInt64>()
  /// In order.
  private var beyond: [UInt16] = []

  private static let bitCount = 256

  init() {}

  init(_ hearers: some Sequence<Int>) { for hearer in hearers { insert(hearer) } }

  private init(bits: SIMD4<UInt64>, beyond: [UInt16]) { (self.bits, self.beyond) = (bits, beyond) }

  var isEmpty: Bool { bits == SIMD4() && beyond.isEmpty }

  func contains(_ hearer: Int) -> Bool {
    guard hearer >= Self.bitCount else { return bits[hearer >> 6] & (1 << UInt64(hearer & 63)) != 0 }
    let place = place(of: hearer)
    return place < beyond.count && Int(beyond[place]) == hearer
  }

  mutating func insert(_ hearer: Int) {
    guard hearer >= Self.bitCount else { return bits[hearer >> 6] |= 1 << UInt64(hearer & 63) }
    let place = place(of: hearer)
    if place == beyond.count || Int(beyond[place]) != hearer { beyond.insert(UInt16(hearer), at: place) }
  }

  mutating func remove(_ hearer: Int) {
    guard hearer >= Self.bitCount else { return bits[hearer >> 6] &= ~(1 << UInt64(hearer & 63)) }
    let place = place(of: hearer)
    if place < beyond.count, Int(beyond[place]) == hearer { beyond.remove(at: place) }
  }

  /// The index of a hearer in `beyond`, or the index at which it would be inserted.
  private func place(of hearer: Int) -> Int {
    var places = 0..<beyond.count
    while !places.isEmpty {
      let middle = (places.lowerBound + places.upperBound) / 2
      places =
        Int(beyond[middle]) < hearer ? (middle + 1)..<places.upperBound : places.lowerBound..<middle
    }
    return places.lowerBound
  }

  func union(_ other: HearerSet) -> HearerSet {
    var union = HearerSet(bits: bits | other.bits, beyond: beyond.isEmpty ? other.beyond : beyond)
    if !beyond.isEmpty { for hearer in other.beyond { union.insert(Int(hearer)) } }
    return union
  }

  func intersection(_ other: HearerSet) -> HearerSet {
    HearerSet(
      bits: bits & other.bits,
      beyond: beyond.isEmpty ? [] : beyond.filter { other.contains(Int($0)) })
  }

  func subtracting(_ other: HearerSet) -> HearerSet {
    HearerSet(
      bits: bits & ~other.bits,
      beyond: other.beyond.isEmpty ? beyond : beyond.filter { !other.contains(Int($0)) })
  }

  func isSubset(of other: HearerSet) -> Bool {
    guard bits & ~other.bits == SIMD4() else { return false }
    var place = 0
    for hearer in beyond {
      while place < other.beyond.count, other.beyond[place] < hearer { place += 1 }
      guard place < other.beyond.count, other.beyond[place] == hearer else { return false }
    }
    return true
  }

  /// In order.
  func forEach(_ body: (Int) -> Void) {
    for word in 0..<4 {
      var rest = bits[word]
      while rest != 0 {
        body(word << 6 | rest.trailingZeroBitCount)
        rest &= rest - 1
      }
    }
    for hearer in beyond { body(Int(hearer)) }
  }
}

extension HearerSet: StateElement {
  mutating func fields(_ coder: inout StateCoder) throws(StateError) {
    try coder("first", &bits[0])
    try coder("second", &bits[1])
    try coder("third", &bits[2])
    try coder("fourth", &bits[3])
    try coder("beyond", &beyond)
    try coder.check(
      beyond.allSatisfy { $0 >= Self.bitCount } && zip(beyond, beyond.dropFirst()).allSatisfy { $0 < $1 })
  }
}
