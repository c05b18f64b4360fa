import Beacons

/// How long to leave packets to gather before the next are received: to be woken costs more than a packet does.
///
/// So long that about `packets` of them come at the pace of the latest ones, and at most `longest`. Their times are the
/// kernel's, so that no decision is another; it is told so much later at most, which nobody notices. As many fit the
/// smallest of sockets' buffers more than twice.
struct Gathering {
  static let longest = TimeSpan.milliseconds(100)
  /// A sleep that is shorter costs what it saves.
  private static let shortest = TimeSpan(nanoseconds: 50_000)
  private static let packets: Int64 = 100

  private var latest = MonotonicTime(nanoseconds: .min)

  /// - Parameters:
  ///   - count: the packets that were received at `time`.
  ///   - isDrained: whether no more were there.
  mutating func pause(after count: Int, isDrained: Bool, at time: MonotonicTime) -> TimeSpan {
    let elapsed = min(max(time - latest, .zero), .seconds(1))
    latest = time
    guard isDrained, count > 0 else { return .zero }
    let pause = TimeSpan(nanoseconds: elapsed.nanoseconds / Int64(count) * Self.packets)
    return pause < Self.shortest ? .zero : min(pause, Self.longest)
  }
}
