import Beacons
import Messages
import Proximity

/// Puts right the calendar time of transitions that were decided before the calendar was: a board without a clock of its
/// own starts years ago, until the network tells it the time.
///
/// Monotonic time decides and is always right, so the time of a transition follows from how long ago it was. A
/// transition of an earlier boot keeps its time: that boot's monotonic clock is gone.
package struct CalendarCorrection: Sendable {
  /// A calendar that is off by less is not touched: it drifts, and advertisements are stamped with some jitter.
  static let tolerance = TimeSpan.seconds(2)

  /// Calendar less monotonic time, now.
  var offset: TimeSpan
  /// Rows on disk up to this one are of another boot.
  var lastForeignRow: Int64 = 0

  package init(time: MonotonicTime, wallTime: WallTime, lastForeignRow: Int64 = 0) {
    offset = TimeSpan(nanoseconds: wallTime.nanoseconds) - TimeSpan(nanoseconds: time.nanoseconds)
    self.lastForeignRow = lastForeignRow
  }

  package func apply(to message: inout TransitionMessage, row: Int64?) {
    if let row, row <= lastForeignRow { return }
    let right = WallTime(nanoseconds: message.transition.time.nanoseconds) + offset
    let error = right - message.transition.wallTime
    guard error > Self.tolerance || error < TimeSpan.zero - Self.tolerance else { return }
    message.transition.wallTime = right
  }
}
