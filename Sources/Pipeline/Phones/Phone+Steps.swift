import Beacons
import Settings
import RangingPolicy

/// What happens to a phone, step by step.
extension Phone {
  /// The gateway decided near in a lane's zone: an earlier trigger that waited there is over.
  mutating func trigger(
    _ waiting: Waiting, lane: Int, at time: MonotonicTime, into news: inout PhoneNews
  ) {
    passSilence(until: time, into: &news)
    apply(.near, to: lane, at: time.phoneTime, into: &news)
    lanes[lane].waiting = waiting
    // A beacon that fell silent during the dwell of near cannot leave a second time.
    if !isHeard { conclude(lane, at: time.phoneTime, into: &news) }
  }

  /// Processes a report of the phone's real app. A retained report counts once, and only if it can still be true.
  mutating func report(
    _ payload: [UInt8], isRetained: Bool, at time: MonotonicTime, wallTime: WallTime,
    into news: inout PhoneNews
  ) throws(AppReports.Refusal) {
    // An empty payload only clears a retained report.
    guard !payload.isEmpty, !isRetained || payload != lastReport else { return }
    let event = try reports.read(payload)
    lastReport = payload
    if isRetained {
      guard event.isLasting else { return }
      // It entered the background long ago, so no window opens for that now.
      if event == .background, window?.state != .foreground { return }
    }
    wallOffset = wallTime - WallTime(nanoseconds: time.nanoseconds)
    passSilence(until: time, into: &news)
    for lane in lanes.indices { apply(event, to: lane, at: time.phoneTime, into: &news) }
  }

  /// Processes everything due before a time, or (`inclusive`) up to it.
  mutating func advance(to time: MonotonicTime, inclusive: Bool, into news: inout PhoneNews) {
    passSilence(until: time, into: &news)
    for lane in lanes.indices {
      if inclusive {
        lanes[lane].engine.advance(through: time.lastPhoneTime, into: &news.policy)
      } else {
        lanes[lane].engine.advance(before: time.phoneTime, into: &news.policy)
      }
      take(lane, into: &news)
    }
    count(into: &news)
  }

  /// The beacon is lost if its silence has lasted too long by `time`.
  mutating func passSilence(until time: MonotonicTime, into news: inout PhoneNews) {
    guard let loss = lossDue, loss <= time else { return }
    lossDue = nil
    isHeard = false
    for lane in lanes.indices {
      apply(.motion(nil), to: lane, at: loss.phoneTime, into: &news)
      conclude(lane, at: loss.phoneTime, into: &news)
    }
  }

  mutating func apply(
    _ event: PhoneEvent, to lane: Int, at time: Milliseconds, into news: inout PhoneNews
  ) {
    lanes[lane].engine.apply(event, at: time, into: &news.policy)
    take(lane, into: &news)
  }

  /// Concludes triggers that can no longer be delivered.
  private mutating func conclude(_ lane: Int, at time: Milliseconds, into news: inout PhoneNews) {
    guard lanes[lane].waiting != nil else { return }
    lanes[lane].engine.advance(through: time, into: &news.policy)
    take(lane, into: &news)
    lanes[lane].engine.concludeTrigger(into: &news.policy)
    take(lane, into: &news)
  }

  /// Passes on what an engine said.
  private mutating func take(_ lane: Int, into news: inout PhoneNews) {
    if lane == 0 {
      for window in news.policy.windows {
        self.window = window
        countDue = settings.countdown ? Self.nextCount(of: window, after: window.time) : nil
        news.tell(.window(window, at: window.time))
      }
    }
    for verdict in news.policy.verdicts {
      guard let waiting = lanes[lane].waiting else { continue }
      lanes[lane].waiting = nil
      news.tell(.verdict(verdict, waiting))
    }
    news.policy.removeAll()
  }

  /// Publishes the countdown at the latest whole second, if one passed.
  private mutating func count(into news: inout PhoneNews) {
    let now = lanes[0].engine.now
    guard let due = countDue, due <= now, let window, let expires = window.expires, now < expires else {
      return
    }
    let time = expires - (expires - now + 999) / 1000 * 1000
    countDue = Self.nextCount(of: window, after: time)
    news.tell(.window(window, at: time))
  }

  /// The first time with whole seconds left; nil if no countdown runs.
  private static func nextCount(of window: Window, after time: Milliseconds) -> Milliseconds? {
    guard let expires = window.expires, window.state == .ranging || window.state == .background,
      expires > time
    else { return nil }
    let next = expires - (expires - time - 1) / 1000 * 1000
    return next < expires ? next : nil
  }
}
