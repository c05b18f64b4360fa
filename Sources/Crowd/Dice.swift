import Glibc

/// SplitMix64 (Steele, Lea, Flood 2014): the same numbers for the same seed on every machine.
struct Dice: Sendable {
  private var state: UInt64

  init(seed: UInt64) { state = seed }

  /// One of many streams that are independent of each other.
  init(seed: UInt64, stream: UInt64) {
    var first = Dice(seed: seed &+ stream &* 0xD134_2543_DE82_EF95)
    state = first.next()
  }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }

  /// 0 ..< 1.
  mutating func share() -> Double { Double(next() >> 11) * 0x1p-53 }

  mutating func number(below limit: Int) -> Int { Int(next() % UInt64(limit)) }

  mutating func number(in range: ClosedRange<Double>) -> Double {
    range.lowerBound + share() * (range.upperBound - range.lowerBound)
  }

  /// Exponentially distributed.
  mutating func wait(mean: Double) -> Double { -log(1 - share()) * mean }

  /// Mean 0 and standard deviation 1: the sum of four 16-bit numbers is close enough to a normal distribution.
  mutating func noise() -> Double {
    let bits = next()
    let sum = (bits & 0xFFFF) + (bits >> 16 & 0xFFFF) + (bits >> 32 & 0xFFFF) + bits >> 48
    return (Double(sum) / 65536 - 2) * 1.7320508
  }
}
