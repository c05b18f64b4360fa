import Beacons

/// How many keys may be tried on strangers' addresses. A phone has a new address every quarter of an hour, a hostile radio a
/// new one each time; with thousands of keys each would cost most of a millisecond.
///
/// Addresses that come again are preferred: half of what there is is kept for them. So who is really there is
/// recognised after a few advertisements, however many strangers come and go.
struct ResolutionBudget: Sendable {
  /// Keys tried a second: some hundredths of a core.
  static let rate: Int64 = 250_000
  private static let places = 1024

  /// Keys that may still be tried.
  private var left = rate
  private var time: MonotonicTime?
  /// Addresses that were put off, by the lowest bits; 0: none.
  private var waiting = [UInt64](repeating: 0, count: places)

  /// Whether `cost` keys may be tried on an address now.
  mutating func allows(_ address: UInt64, cost: Int, at now: MonotonicTime) -> Bool {
    refill(at: now)
    let cost = min(Int64(clamping: cost), Self.rate / 2)
    let place = Int(truncatingIfNeeded: address % UInt64(Self.places))
    let isAgain = waiting[place] == address
    guard left >= (isAgain ? cost : cost + Self.rate / 2) else {
      waiting[place] = address
      return false
    }
    left -= cost
    if isAgain { waiting[place] = 0 }
    return true
  }

  private mutating func refill(at now: MonotonicTime) {
    let span = time.map { now - $0 } ?? .zero
    time = max(time ?? now, now)
    guard span > .zero else { return }
    left = min(Self.rate, left + Int64(min(span.seconds, 1) * Double(Self.rate)))
  }
}
