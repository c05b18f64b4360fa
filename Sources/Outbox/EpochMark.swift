import Core
import Glibc
import Synchronization

/// The greatest epoch in use, in a file beside the outbox.
///
/// It survives a damaged outbox, and is overwritten in place, which works even on a full disk. So the next start knows an
/// epoch that began because the outbox could not be written.
package final class EpochMark: Sendable {
  private static let digits = 20

  private let descriptor: Int32
  private let state: Mutex<UInt64?>

  /// The path of the mark of an outbox.
  static func path(of outbox: String) -> String { outbox + ".mark" }

  init(path: String) throws(PrivateFileError) {
    descriptor = try PrivateFile.open(path)
    var octets = [UInt8](repeating: 0, count: Self.digits)
    let count = pread(descriptor, &octets, octets.count, 0)
    // An earlier version wrote something here that is not a number.
    let epoch = UInt64(String(decoding: octets.prefix(max(count, 0)), as: UTF8.self))
    state = Mutex(epoch.flatMap { $0 <= Epoch.limit ? $0 : nil })
  }

  deinit { close(descriptor) }

  /// nil: unknown.
  var epoch: UInt64? { state.withLock { $0 } }

  /// Returns when the epoch is on disk. If the disk hangs, it does not return.
  package func set(_ epoch: UInt64) {
    let isNews = state.withLock { state in
      guard state.map({ $0 < epoch }) ?? true else { return false }
      state = epoch
      return true
    }
    guard isNews else { return }
    var written = epoch
    while true {
      let digits = String(written)
      let octets = Array((String(repeating: "0", count: Self.digits - digits.count) + digits).utf8)
      pwrite(descriptor, octets, octets.count, 0)
      fdatasync(descriptor)
      // If another thread has set a later epoch while this one hung, we have just overwritten that. Write it again.
      guard let latest = self.epoch, latest > written else { return }
      written = latest
    }
  }
}

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
