import Beacons
import Core

/// When to publish the distance of a beacon to a receiver: when it is heard, at most once a second. Later sightings
/// within that second are published at its end.
struct RoomPresence: Sendable {
  static let pause = TimeSpan.seconds(1)

  /// The base topic; nil: room presence is off.
  let prefix: String?
  private var paces: [UInt64: Pace] = [:]
  /// Unpublished pairs, and some that were published since.
  private var heldBack = HeldBack()

  /// The state of a beacon and receiver. Retired beacons need no cleanup, because they were silent for longer than
  /// the pause.
  private struct Pace: StateElement {
    /// From this time on, a sighting is published at once.
    var dueFrom = MonotonicTime.zero
    var isUntold = false

    mutating func fields(_ coder: inout StateCoder) throws(StateError) {
      try coder("due_from", &dueFrom)
      try coder("is_untold", &isUntold)
    }
  }

  init(prefix: String?) { self.prefix = prefix }

  /// Whether to publish a sighting now. If so, it counts as published.
  mutating func take(_ sighting: Sighting) -> Bool {
    // Without a signal there is no distance.
    guard prefix != nil, sighting.beacon != .nobody, sighting.rssi != nil else { return false }
    let key = Self.key(sighting)
    if let pace = paces[key], sighting.time < pace.dueFrom {
      if !pace.isUntold {
        paces[key]?.isUntold = true
        heldBack.add(key, due: pace.dueFrom)
      }
      return false
    }
    paces[key] = Pace(dueFrom: sighting.time + Self.pause)
    return true
  }

  var nextDeadline: MonotonicTime? { heldBack.next }

  /// The first pair that must be published by a time. It counts as published.
  mutating func popOverdue(notAfter time: MonotonicTime) -> (beacon: BeaconIndex, receiver: ReceiverIndex)? {
    while let (due, key) = heldBack.popFirst(notAfter: time) {
      // The distance may have been published meanwhile.
      guard let pace = paces[key], pace.isUntold, pace.dueFrom <= due else { continue }
      paces[key] = Pace(dueFrom: due + Self.pause)
      return (
        BeaconIndex(rawValue: Int32(truncatingIfNeeded: key >> 16)),
        ReceiverIndex(rawValue: UInt16(truncatingIfNeeded: key))
      )
    }
    return nil
  }

  private static func key(_ sighting: Sighting) -> UInt64 {
    UInt64(UInt32(bitPattern: sighting.beacon.rawValue)) << 16 | UInt64(sighting.receiver.rawValue)
  }
}

extension RoomPresence: StateFields {
  mutating func fields(_ coder: inout StateCoder) throws(StateError) {
    try coder("paces", &paces)
    try heldBack.fields(&coder) { paces[$0] != nil }
  }
}
