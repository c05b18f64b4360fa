import Beacons
import Core

/// Learns from the gaps between sightings how long a silence must be before the beacon counts as lost.
///
/// Half of all advertisements may be missed (channel hopping, scan duty, bodies), so gaps have a long tail. The limit is
/// the larger of two measures: four times the second largest recent gap, which one odd gap does not move, and
/// five times the mean. If every second packet is missed, a beacon is falsely lost about once in 10⁵ gaps
/// (geometric tail). A regular beacon is lost after nine intervals.
///
/// "Recent" means the newest three blocks of gaps. A block has at least 8 gaps and lasts at least 8 s, so that a burst
/// of advertisements is not taken for the beacon's interval.
struct IntervalEstimator: Hashable, Sendable {
  /// The limit until enough gaps were learnt.
  static var unlearnt: TimeSpan { TimeSpan(nanoseconds: 30_000_000_000) }
  static var floor: TimeSpan { TimeSpan(nanoseconds: 5_000_000_000) }
  static var ceiling: TimeSpan { TimeSpan(nanoseconds: 900_000_000_000) }
  /// Gaps up to this are learnt even if they looked like a loss: pauses of scanners, and pauses between bursts, are shorter.
  private static var ordinary: TimeSpan { TimeSpan(nanoseconds: 20_000_000_000) }
  private static let blockGaps: UInt16 = 8
  private static let blockSeconds: Float = 8

  /// The two largest gaps of a block, seconds.
  fileprivate struct Top: Hashable {
    var first: Float = 0
    var second: Float = 0

    /// Returns whether the gap is now one of the two.
    mutating func add(_ gap: Float) -> Bool {
      if gap > first {
        second = first
        first = gap
      } else if gap > second {
        second = gap
      } else {
        return false
      }
      return true
    }
  }

  private var current = Top()
  private var previous = Top()
  private var beforePrevious = Top()
  /// The number of gaps in the current block.
  private var gaps: UInt16 = 0
  private var blocks: UInt8 = 0
  private var seconds: Float = 0
  /// A gap that looked like a loss. It is learnt if the next gap is similar, because then the beacon has slowed down.
  private var doubtful: Float = 0
  /// Smoothed gap in seconds; 0: none yet.
  private var mean: Float = 0
  /// Silence after which the beacon is lost.
  private(set) var lost = Self.unlearnt

  /// The mean interval between receptions; nil before the first gap.
  var interval: TimeSpan? { mean > 0 ? .seconds(Double(mean)) : nil }

  mutating func add(gap: TimeSpan) {
    if gap > max(lost, Self.ordinary) {
      let long = Float(min(gap, Self.ceiling).seconds)
      if doubtful > 0, long > doubtful * 0.5, long < doubtful * 2 {
        learn(doubtful)
        learn(long)
      }
      doubtful = long
    } else {
      doubtful = 0
      learn(Float(gap.seconds))
    }
  }

  private mutating func learn(_ gap: Float) {
    mean = mean == 0 ? gap : mean + (gap - mean) / 16
    let isChanged = current.add(gap)
    // When full, the counter goes back to a multiple of four instead of overflowing.
    gaps = gaps == .max ? .max - 3 : gaps + 1
    seconds += gap
    if gaps >= Self.blockGaps, seconds >= Self.blockSeconds {
      beforePrevious = previous
      previous = current
      current = Top()
      gaps = 0
      seconds = 0
      if blocks < 2 { blocks += 1 }
    }
    if isChanged || gaps % 4 == 0 { updateLost() }
  }

  private mutating func updateLost() {
    var all = beforePrevious
    for gap in [previous.first, previous.second, current.first, current.second] { _ = all.add(gap) }
    let learnt = TimeSpan.seconds(Double(4 * all.second + 5 * mean))
    let least = blocks > 1 ? Self.floor : Self.unlearnt
    lost = min(max(learnt, least), Self.ceiling)
  }
}

extension IntervalEstimator: StateElement {
  mutating func fields(_ coder: inout StateCoder) throws(StateError) {
    try coder("current", &current)
    try coder("previous", &previous)
    try coder("before_previous", &beforePrevious)
    try coder("gaps", &gaps)
    try coder("blocks", &blocks)
    try coder("seconds", &seconds)
    try coder("doubtful", &doubtful)
    try coder("mean", &mean)
    try coder("lost", &lost)
    try coder.check(isSound)
  }

  /// Whether all values are within their valid ranges.
  var isSound: Bool {
    current.isSound && previous.isSound && beforePrevious.isSound && Self.seconds.contains(doubtful)
      && Self.seconds.contains(mean) && (0...1e8).contains(seconds) && lost >= Self.floor
      && lost <= Self.ceiling
  }

  fileprivate static var seconds: ClosedRange<Float> { 0...900 }
}

extension IntervalEstimator.Top: StateElement {
  fileprivate var isSound: Bool {
    IntervalEstimator.seconds.contains(first) && IntervalEstimator.seconds.contains(second)
  }

  fileprivate mutating func fields(_ coder: inout StateCoder) throws(StateError) {
    try coder("first", &first)
    try coder("second", &second)
  }
}
