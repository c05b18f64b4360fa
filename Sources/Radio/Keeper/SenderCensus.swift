import Core

/// The recent senders, and how regularly they send. This distinguishes a room that fell silent all at once from one that the
/// last visitor left. Of fixed size: a newcomer whose place is occupied is ignored until the other has been silent for long.
struct SenderCensus {
  private static let size = 256
  /// A sender's interval is believed after this many advertisements.
  private static let familiar: UInt16 = 10
  /// At most this many missing advertisements of one sender count.
  private static let enough: Int64 = 8

  private struct Sender {
    var address: UInt64 = 0
    var last = MonotonicTime(nanoseconds: 0)
    /// Smoothed interval in nanoseconds.
    var interval: Int64 = 0
    var count: UInt16 = 0
    var hadData = false

    /// Whether it has been silent long enough for another to take its place.
    func isForgotten(at time: MonotonicTime) -> Bool {
      (time - last).nanoseconds > max(20_000_000_000, interval.multipliedSaturating(by: 20))
    }
  }

  private var senders = [Sender](repeating: Sender(), count: Self.size)

  /// Records an advertisement. Returns whether its sender ever sent data.
  mutating func note(_ address: UInt64, hasData: Bool, at time: MonotonicTime) -> Bool {
    // Fibonacci hashing: consecutive addresses spread out.
    let slot = Int(truncatingIfNeeded: (address &* 0x9E37_79B9_7F4A_7C15) >> 56)
    if senders[slot].count > 0, senders[slot].address != address, !senders[slot].isForgotten(at: time) {
      return hasData
    }
    if senders[slot].count == 0 || senders[slot].address != address {
      senders[slot] = Sender(address: address, last: time, count: 1, hadData: hasData)
      return hasData
    }
    let gap = max(0, (time - senders[slot].last).nanoseconds)
    let known = senders[slot].interval
    senders[slot].interval = senders[slot].count == 1 ? gap : known + (gap - known) / 8
    senders[slot].last = time
    if senders[slot].count < .max { senders[slot].count += 1 }
    if hasData { senders[slot].hadData = true }
    return senders[slot].hadData
  }

  /// How many senders were regular up to `end`, the last advertisement of all, and have been silent since for too long to be
  /// chance; 0: it may be chance. The missing advertisements of all senders are added up: eight from each of three senders, or
  /// two from each of twelve.
  func silenced(since end: MonotonicTime, at time: MonotonicTime) -> Int {
    let silence = (time - end).nanoseconds
    var silenced = 0
    var missing: Int64 = 0
    for sender in senders where sender.count >= Self.familiar {
      let interval = max(sender.interval, 1)
      guard silence / interval >= 2, (end - sender.last).nanoseconds <= interval.multipliedSaturating(by: 3)
      else {
        continue
      }
      silenced += 1
      missing += min(silence / interval, Self.enough)
    }
    return missing >= Self.enough * 3 ? silenced : 0
  }
}
