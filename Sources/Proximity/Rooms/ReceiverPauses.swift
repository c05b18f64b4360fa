import Beacons
import Core

/// For how long each receiver usually hears no beacon at all. Some scanners listen for five seconds and then
/// pause for five. A receiver whose silence is longer than usual may have failed.
struct ReceiverPauses: Sendable {
  /// By hearer: its longest pause in the current period and in the previous one, windows; 0: none yet.
  private var longest: [UInt8]
  private var earlier: [UInt8]
  /// The first window of the current period.
  private var start: Int64 = 0

  /// Five minutes.
  private static let period: Int64 = 1000
  /// For this many windows (10 s), a receiver that may have failed moves no beacon.
  static let doubt: Int64 = 33
  /// For this many windows (5 min), the levels of a silent receiver count if it was never silent for longer
  /// than `doubt` before. A receiver that hears just one beacon often is, whenever that beacon goes away.
  static let limit: Int64 = 1000

  init(hearers: Int) {
    longest = [UInt8](repeating: 0, count: hearers)
    earlier = longest
  }

  /// Processes a report after a silence of `pause` windows.
  mutating func note(_ pause: Int64, of hearer: Int, in window: Int64) {
    // The clock may go back, as after a takeover. Then the periods begin anew.
    if window < start || window >= start + Self.period {
      let isNext = window >= start && window < start + 2 * Self.period
      earlier = isNext ? longest : [UInt8](repeating: 0, count: longest.count)
      longest = [UInt8](repeating: 0, count: longest.count)
      start = window
    }
    longest[hearer] = max(longest[hearer], UInt8(clamping: pause))
  }

  private func usual(_ hearer: Int) -> Int64 { Int64(max(longest[hearer], earlier[hearer])) }

  /// Whether the last levels of a receiver still count after a silence of this many windows.
  func keepsLevels(_ hearer: Int, after silence: Int64) -> Bool {
    silence <= Self.doubt || silence <= Self.limit && usual(hearer) <= Self.doubt
  }

  /// Whether a receiver that has been silent for this many windows may just have failed.
  func isDoubtful(_ hearer: Int, after silence: Int64) -> Bool {
    let usual = usual(hearer)
    return usual > 0 && silence > usual + usual / 2 + 1 && silence <= Self.doubt
  }
}

extension ReceiverPauses: StateFields {
  mutating func fields(_ coder: inout StateCoder) throws(StateError) {
    try coder(each: "longest", &longest)
    try coder(each: "earlier", &earlier)
    try coder("start", &start)
    try coder.check(RoomWindows.isPossible(start))
  }
}
