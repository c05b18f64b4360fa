import Beacons

/// Numbers epochs. Each start begins one, so that no pair of epoch and sequence number is ever used twice: not after a crash,
/// not where the state folder comes back from a backup.
package enum Epoch {
  /// An epoch is the calendar's seconds, and below them as many bits by chance: of two runs that both know no better than the
  /// same second (no clock, the folder from the same backup) each has its own.
  private static let chanceBits = 20
  /// Of the calendar's seconds, until 2106. A calendar that is beyond counts as this.
  private static let latest = (1 << 32) - 1
  /// JSON readers that count in doubles know each number up to here.
  static let limit: UInt64 = (1 << 53) - 1

  /// Greater than every epoch before, also where the calendar was set back.
  ///
  /// - Parameters:
  ///   - last: the greatest that is known to have been used.
  ///   - chance: any number; other ones for other runs.
  package static func next(after last: UInt64?, wallTime: WallTime, chance: UInt64) -> UInt64 {
    let seconds = UInt64(min(max(wallTime.nanoseconds / 1_000_000_000, 0), Int64(latest)))
    let least = max(seconds << chanceBits, last ?? 0)
    return min(least + 1 + chance % (1 << chanceBits), limit)
  }
}
