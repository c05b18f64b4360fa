import Core

/// Limits how many keys are tried on strangers' addresses. A phone has a new address every quarter of an hour, a hostile
/// radio a new one every time. With thousands of keys each would cost most of a millisecond.
///
/// Half of the budget is reserved for addresses that come again. So devices that are really there are
/// recognised after a few advertisements, however many strangers come and go.
struct ResolutionBudget: Sendable {
  /// Keys tried per second: a few per cent of a core.
  static let rate: Int64 = 250_000
  private static let places = 1024

  /// How many keys may still be tried.
  private var left = rate
  private var time: MonotonicTime?
  /// Addresses that have to wait, indexed by their lowest bits; 0: none.
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

extension ResolutionBudget: StateFields {
  mutating func fields(_ coder: inout StateCoder) throws(StateError) {
    try coder("left", &left, in: 0...Self.rate)
    try coder("time", &time)
    var known = waiting.allSatisfy { $0 == 0 } ? [] : waiting
    try coder("waiting", &known)
    try coder.check(known.isEmpty || known.count == Self.places)
    if coder.isReading, !known.isEmpty { waiting = known }
  }
}
