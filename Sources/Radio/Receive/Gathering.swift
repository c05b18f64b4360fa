import Beacons
import Core

/// How long to let packets collect before the next receive, because a wake-up costs more than processing a packet.
///
/// Long enough for about `packets` packets at the recent rate, and at most `longest`. The kernel records their times, so
/// decisions do not change; they are only published later. The smallest socket buffer holds more than twice as many.
struct Gathering {
  static let longest = TimeSpan.milliseconds(100)
  /// A shorter sleep costs more than it saves.
  private static let shortest = TimeSpan(nanoseconds: 50_000)
  private static let packets: Int64 = 100

  private var latest = MonotonicTime(nanoseconds: .min)

  /// - Parameters:
  ///   - count: the packets that were received at `time`.
  ///   - isDrained: whether the socket was empty.
  mutating func pause(after count: Int, isDrained: Bool, at time: MonotonicTime) -> TimeSpan {
    let elapsed = min(max(time - latest, .zero), .seconds(1))
    latest = time
    guard isDrained, count > 0 else { return .zero }
    let pause = TimeSpan(nanoseconds: elapsed.nanoseconds / Int64(count) * Self.packets)
    return pause < Self.shortest ? .zero : min(pause, Self.longest)
  }
}
