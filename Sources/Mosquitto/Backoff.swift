/// Waiting times between attempts to connect. They double up to a limit, and each is shortened at random by up to a
/// half, so that a hundred gateways do not return to a restarted broker in the same instant.
public struct Backoff: Sendable, Equatable {
  /// The first wait, before it is shortened.
  public var first = Duration.milliseconds(500)
  /// The longest wait of all.
  public var limit = Duration.seconds(60)

  /// The wait after `failures` failed attempts in a row (1 for the first).
  ///
  /// - Parameter chance: a random number, 0 … 1: 0 for the full wait, 1 for half of it.
  func delay(failures: Int, chance: Double) -> Duration {
    var delay = min(first, limit)
    var doublings = max(failures, 1) - 1
    while doublings > 0 && delay < limit && delay > .zero {
      delay = min(delay * 2, limit)
      doublings -= 1
    }
    return delay * (1 - 0.5 * min(max(chance, 0), 1))
  }
}
