/// Smooths what one receiver hears of one beacon, in dBm.
///
/// Bodies and multipath take signal away far more often than they add some, so the strong ones among recent
/// samples tell distance best; the very strongest may be a wild one. Hence the second strongest of the
/// last five, then an exponential average with a time constant of 1 s. Where a beacon is heard less than once in 2 s
/// it is the second of three, lest the past weigh too long. A steady signal comes out as it came in.
struct SignalFilter: Hashable, Sendable, Codable {
  private static let timeConstant: Float = 1

  /// The last five samples, one a byte, newest lowest.
  private var window: UInt64 = 0
  private var filled: UInt8 = 0
  /// Smoothed level, dBm.
  private(set) var level: Float = 0

  /// Whether any sample came in.
  var hasLevel: Bool { filled > 0 }
  /// Samples that the level rests on, at most five.
  var weight: Int { Int(filled) }

  /// Takes in a further sample of the newest instant, which still counts as one: a burst must not outvote the
  /// time around it.
  mutating func merge(_ rssi: Int8) {
    let newest = Int(Int8(truncatingIfNeeded: window))
    window = window & ~0xFF | UInt64(UInt8(bitPattern: Int8(clamping: (newest + Int(rssi)) / 2)))
  }

  /// Takes in a sample. `elapsed`: seconds since the one before; `interval`: usual seconds between samples.
  mutating func add(_ rssi: Int8, elapsed: Float, interval: Float) {
    window = window << 8 | UInt64(UInt8(bitPattern: rssi))
    if filled < 5 { filled += 1 }
    let strong = Float(secondStrongest(of: interval > 2 ? min(filled, 3) : filled))
    // Until the window is full the plain mean is quicker than the time constant.
    let gain = max(elapsed / (elapsed + Self.timeConstant), filled < 5 ? 1 / Float(filled) : 0)
    level += (strong - level) * gain
  }

  private func secondStrongest(of count: UInt8) -> Int8 {
    var first = Int8(truncatingIfNeeded: window)
    guard count > 1 else { return first }
    var second = Int8.min
    var rest = window >> 8
    for _ in 1..<count {
      let sample = Int8(truncatingIfNeeded: rest)
      rest >>= 8
      if sample > first {
        second = first
        first = sample
      } else if sample > second {
        second = sample
      }
    }
    return second
  }
}
