import Beacons

/// Numbers epochs. Each start begins a new one, so that no pair of epoch and sequence number is ever used twice: not after
/// a crash, and not if the state folder is restored from a backup.
package enum Epoch {
  /// An epoch is the calendar's seconds followed by this many random bits. So two runs differ even if both start at the
  /// same second (without a clock, with the folder from the same backup).
  private static let chanceBits = 20
  /// The largest number of seconds, in 2106. A later calendar counts as this.
  private static let latest = (1 << 32) - 1
  /// JSON readers that use doubles represent each number up to here exactly.
  static let limit: UInt64 = (1 << 53) - 1

  /// Greater than every earlier epoch, even if the calendar was set back.
  ///
  /// - Parameters:
  ///   - last: the greatest epoch known to have been used.
  ///   - chance: any number, different in each run.
  package static func next(after last: UInt64?, wallTime: WallTime, chance: UInt64) -> UInt64 {
    let seconds = UInt64(min(max(wallTime.nanoseconds / 1_000_000_000, 0), Int64(latest)))
    let least = max(seconds << chanceBits, last ?? 0)
    return min(least + 1 + chance % (1 << chanceBits), limit)
  }
}
