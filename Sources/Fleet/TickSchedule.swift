import Beacons

/// When a worker publishes ticks: a function of those that it heard, and of time passed in.
///
/// One worker tells the time: the one whose clock is ahead, or else the first by name. The others would tell it a little later, so they
/// do so only when it falls silent. Each second they say that they are there, for other workers only.
public struct TickSchedule: Sendable {
  /// How often time is told.
  public static let interval = TimeSpan.milliseconds(125)
  /// How often each worker is heard at least.
  public static let longestSilence = TimeSpan.seconds(1)
  /// Clocks of workers must not differ by more.
  public static let skew = TimeSpan.seconds(5)
  /// How much longer each further worker waits: ticks take some time.
  private static let step = TimeSpan.milliseconds(60)
  private static let lastStep = 5

  private let worker: String
  /// The latest tick of anybody that tells the time.
  private var told = WallTime(nanoseconds: 0)
  /// When ours last said anything.
  private var spoke = MonotonicTime(nanoseconds: .min)

  public init(worker: String) { self.worker = worker }

  /// Notes a tick, also our own.
  ///
  /// - Parameter tellsTime: partitions have it too.
  public mutating func hear(_ tick: Tick, at wallNow: WallTime, tellsTime: Bool) {
    // One whose clock is far ahead would silence all others.
    if tellsTime, tick.time - wallNow <= Self.skew { told = max(told, tick.time) }
  }

  /// How long until the next one is due.
  ///
  /// - Parameter workers: that were heard of lately; ours may be among them.
  public func wait(
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

  /// What is to be published now.
  ///
  /// - Returns: whether it is to tell the time; nil: nothing is due.
  public mutating func takeDue(
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
