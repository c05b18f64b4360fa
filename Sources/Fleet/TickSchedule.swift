import Beacons
import Core

/// When a worker publishes ticks: a function of the ticks that it received, and of the time passed in.
///
/// One worker publishes the time: the one whose clock is ahead, or the first by name. The others wait a little longer, so they
/// publish only if that one is silent. Each second they also publish a tick that only other workers get, as a sign of life.
package struct TickSchedule: Sendable {
  /// How often the time is published.
  package static let interval = TimeSpan.milliseconds(125)
  /// How often each worker publishes something, at least.
  package static let longestSilence = TimeSpan.seconds(1)
  /// Clocks of workers must not differ by more.
  package static let skew = TimeSpan.seconds(5)
  /// How much longer each further worker waits, because ticks need some time to arrive.
  private static let step = TimeSpan.milliseconds(60)
  private static let lastStep = 5

  private let worker: String
  /// The latest tick that partitions got, of any worker.
  private var told = WallTime(nanoseconds: 0)
  /// When this worker last published.
  private var spoke = MonotonicTime(nanoseconds: .min)

  package init(worker: String) { self.worker = worker }

  /// Processes a tick, including our own.
  ///
  /// - Parameter tellsTime: partitions get it, too.
  package mutating func hear(_ tick: Tick, at wallNow: WallTime, tellsTime: Bool) {
    // A worker whose clock is far ahead must not silence all others.
    if tellsTime, tick.time - wallNow <= Self.skew { told = max(told, tick.time) }
  }

  /// How long until the next tick is due.
  ///
  /// - Parameter workers: those that were active lately; ours may be among them.
  package func wait(
    at now: MonotonicTime, _ wallNow: WallTime, among workers: some Collection<String>
  ) -> TimeSpan {
    min(untilTime(wallNow, workers), untilWord(now))
  }

  private func untilTime(_ wallNow: WallTime, _ workers: some Collection<String>) -> TimeSpan {
    let earlier = min(workers.count { $0 < worker }, Self.lastStep)
    let pause = TimeSpan(nanoseconds: Self.step.nanoseconds * Int64(earlier))
    let due: WallTime = told + Self.interval + pause
    return due - wallNow
  }

  private func untilWord(_ now: MonotonicTime) -> TimeSpan { spoke + Self.longestSilence - now }

  /// Call it to publish what is due.
  ///
  /// - Returns: whether the tick is for partitions, too; nil: nothing is due.
  package mutating func takeDue(
    at now: MonotonicTime, _ wallNow: WallTime, among workers: some Collection<String>
  ) -> Bool? {
    // Our clock was set back.
    if told - wallNow > Self.skew { told = wallNow }
    let tellsTime = untilTime(wallNow, workers) <= .zero
    guard tellsTime || untilWord(now) <= .zero else { return nil }
    spoke = now
    if tellsTime { told = wallNow }
    return tellsTime
  }
}
