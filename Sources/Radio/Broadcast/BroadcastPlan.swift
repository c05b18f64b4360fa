import Beacons
import Core

/// Identities that an adapter sends, and when.
///
/// ```swift
/// // Three seconds of every ten.
/// let plan = BroadcastPlan(identities: [beacon], mostAtOnce: 1) { elapsed in
///   let turn = Int64(elapsed.seconds / 10)
///   let isOn = elapsed.seconds - Double(10 * turn) < 3
///   return BroadcastPlan.OnAir(
///     identities: isOn ? [0] : [], until: .milliseconds(isOn ? 10_000 * turn + 3_000 : 10_000 * (turn + 1)))
/// }
/// ```
package struct BroadcastPlan: Sendable {
  /// The identities on air from a moment on.
  package struct OnAir: Hashable, Sendable {
    /// Places in `identities`.
    package var identities: [Int]
    /// When they change next, since the plan's start; nil: never.
    package var until: TimeSpan?

    package init(identities: [Int], until: TimeSpan?) {
      self.identities = identities
      self.until = until
    }
  }

  /// The adapter's address, kernel name or alias; nil: the first one found.
  package var adapter: String?
  package var identities: [IBeacon]
  /// The largest number on air at the same time.
  package var mostAtOnce: Int
  /// A pure function of the time since the plan's start.
  package var onAir: @Sendable (TimeSpan) -> OnAir

  package init(
    adapter: String? = nil, identities: [IBeacon], mostAtOnce: Int,
    onAir: @escaping @Sendable (TimeSpan) -> OnAir
  ) {
    self.adapter = adapter
    self.identities = identities
    self.mostAtOnce = mostAtOnce
    self.onAir = onAir
  }

  /// When an identity goes off the air; `limit` at the latest.
  func end(of identity: Int, after elapsed: TimeSpan, limit: TimeSpan) -> TimeSpan {
    var end = elapsed
    // The search is limited, because a plan may have many short turns.
    for _ in 0..<100 {
      let now = onAir(end)
      guard end < limit, now.identities.contains(identity) else { return min(end, limit) }
      guard let until = now.until, until > end else { return limit }
      end = until
    }
    return min(end, limit)
  }
}

/// The state of a plan's broadcast.
package struct BroadcastStatus: Hashable, Sendable {
  package enum State: String, Hashable, Sendable {
    /// As planned.
    case on
    /// Not yet, or not at the moment; it continues by itself.
    case waiting
    /// The broadcasts are not as planned; the reason says why.
    case failed
  }

  package var state: State
  /// The reason, or a note; may be empty.
  package var reason: String
  /// The kernel's name of the adapter, once there is one.
  package var adapter: String?
  /// Places of the identities that are on air.
  package var onAir: [Int]
  /// When the plan began; nil: not yet.
  package var began: MonotonicTime?
}
