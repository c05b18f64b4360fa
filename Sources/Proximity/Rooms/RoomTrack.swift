import Beacons

/// What is known of one beacon among the rooms, beside its belief.
struct RoomTrack: Hashable, Sendable, Codable {
  /// The room that was told; −1: none.
  var told: Int32 = -1
  /// Since when.
  var since = WallTime(nanoseconds: 0)
  /// When the belief was last moved: the number of a window; nil: it is the prior.
  var window: Int64?
  /// How much stronger receivers hear this beacon than the maps say, dB: its power, the hand that holds it.
  var offset: Float = 0
  /// How many windows speak for `offset`.
  var offsetWeight: Float = 0
  var lastHeard = MonotonicTime(nanoseconds: .min)
  /// The silence counts from here.
  var silentSince = MonotonicTime(nanoseconds: .min)
  var interval = IntervalEstimator()
  var wallOffset = TimeSpan.zero
  var lastReceiver = ReceiverIndex(rawValue: 0)
  /// Those that heard it lately, a bit each: in this period, and in the one before.
  var hearers: UInt64 = 0
  var earlierHearers: UInt64 = 0
  var hearersSince = MonotonicTime(nanoseconds: .min)
  /// Nobody who could hear it sees: silence means nothing.
  var isFrozen = false

  private static var period: TimeSpan { .seconds(10) }

  /// When the beacon counts as gone, if nothing is heard until then.
  var silenceDeadline: MonotonicTime {
    silentSince + (silentSince > lastHeard ? max(interval.lost, IntervalEstimator.unlearnt) : interval.lost)
  }

  var recentHearers: UInt64 { hearers | earlierHearers }

  func wallTime(at time: MonotonicTime) -> WallTime {
    WallTime(nanoseconds: time.nanoseconds) + wallOffset
  }

  mutating func note(_ sighting: Sighting, hearer: Int) {
    if sighting.time > lastHeard {
      if lastHeard.nanoseconds != .min, silentSince == lastHeard {
        interval.add(gap: sighting.time - lastHeard)
      }
      lastHeard = sighting.time
      silentSince = sighting.time
      lastReceiver = sighting.receiver
      wallOffset = sighting.wallTime - WallTime(nanoseconds: sighting.time.nanoseconds)
    }
    if hearersSince.nanoseconds == .min || sighting.time - hearersSince > Self.period {
      earlierHearers = hearers
      hearers = 0
      hearersSince = sighting.time
    }
    hearers |= 1 << UInt64(hearer)
  }
}
