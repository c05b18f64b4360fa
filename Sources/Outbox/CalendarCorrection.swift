import Beacons
import Messages
import Proximity

/// Corrects the calendar time of transitions that were decided before the calendar was set: a board without a
/// real-time clock starts years in the past until the network tells it the time.
///
/// Decisions use monotonic time, which is always right. So the time of a transition follows from how long ago it was. A
/// transition of an earlier boot keeps its time, because that boot's monotonic clock is gone.
package struct CalendarCorrection: Sendable {
  /// A smaller error is not corrected: the calendar drifts, and timestamps of advertisements have some jitter.
  static let tolerance = TimeSpan.seconds(2)

  /// Calendar minus monotonic time, now.
  var offset: TimeSpan
  /// Rows on disk up to this one are from another boot.
  var lastForeignRow: Int64 = 0

  package init(time: MonotonicTime, wallTime: WallTime, lastForeignRow: Int64 = 0) {
    offset = TimeSpan(nanoseconds: wallTime.nanoseconds) - TimeSpan(nanoseconds: time.nanoseconds)
    self.lastForeignRow = lastForeignRow
  }

  package func apply(to message: inout TransitionMessage, row: Int64?) {
    if let row, row <= lastForeignRow { return }
    let right = WallTime(nanoseconds: message.time.nanoseconds) + offset
    let error = right - message.wallTime
    guard error > Self.tolerance || error < TimeSpan.zero - Self.tolerance else { return }
    message.wallTime = right
  }
}
