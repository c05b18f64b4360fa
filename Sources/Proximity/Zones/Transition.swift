import Beacons
import Core

/// An enter, near or exit of a beacon, with the evidence for it.
public struct Transition: Hashable, Sendable {
  public enum Event: String, Hashable, Sendable, CaseIterable {
    case enter, near, exit
  }

  public var event: Event
  public var zone: ZoneIndex
  public var beacon: BeaconIndex
  /// The time of the deadline itself, not of the advertisement that revealed it.
  public var time: MonotonicTime
  public var wallTime: WallTime
  /// Distance in metres at the deciding receiver; nil if no sighting had a usable signal.
  public var distance: Double?
  /// Standard deviation of `distance`, metres.
  public var distanceDeviation: Double?
  /// Smoothed signal in dBm.
  public var rssi: Double?
  public var evidence: Evidence

  public init(
    event: Event, zone: ZoneIndex, beacon: BeaconIndex, time: MonotonicTime, wallTime: WallTime,
    distance: Double?, distanceDeviation: Double?, rssi: Double?, evidence: Evidence
  ) {
    self.event = event
    self.zone = zone
    self.beacon = beacon
    self.time = time
    self.wallTime = wallTime
    self.distance = distance
    self.distanceDeviation = distanceDeviation
    self.rssi = rssi
    self.evidence = evidence
  }
}

/// Why a transition was decided.
public struct Evidence: Hashable, Sendable {
  public enum Unit: String, Hashable, Sendable {
    case metres = "m"
    case decibelMilliwatts = "dBm"
    /// The beacon fell silent: `threshold` and `value` are seconds of silence.
    case seconds = "s"
    /// Probability of the deciding room in a zone of rooms, 0 to 1.
    case probability
  }

  /// The change of the configuration that made a beacon leave. `unit` is then `seconds`, of silence.
  public enum Reason: String, Hashable, Sendable, CaseIterable {
    case zoneRemoved = "zone_removed"
    /// The beacon was removed or renamed.
    case beaconRemoved = "beacon_removed"
    /// The zone no longer lists it.
    case beaconUnwatched = "beacon_unwatched"
    /// None of the zone's current receivers has heard it.
    case receiversChanged = "receivers_changed"
    /// The beacon's room was removed.
    case roomRemoved = "room_removed"
  }

  public var threshold: Double
  public var value: Double
  public var unit: Unit
  /// Advertisements heard by the deciding receiver since the beacon appeared there.
  public var samples: Int
  /// How long the threshold had been met without a break.
  public var dwell: TimeSpan
  public var receiver: ReceiverIndex
  /// nil: the beacon crossed a threshold or fell silent.
  public var reason: Reason?
  /// In a zone of rooms: the beacon's room at the decision. nil: in no room, or not a zone of rooms.
  public var room: RoomIndex?
  /// The evidence for `room`, as in the room's own transition.
  public var witnesses: [RoomEvidence]

  public init(
    threshold: Double, value: Double, unit: Unit, samples: Int, dwell: TimeSpan, receiver: ReceiverIndex,
    reason: Reason? = nil, room: RoomIndex? = nil, witnesses: [RoomEvidence] = []
  ) {
    self.room = room
    self.witnesses = witnesses
    self.threshold = threshold
    self.value = value
    self.unit = unit
    self.samples = samples
    self.dwell = dwell
    self.receiver = receiver
    self.reason = reason
  }
}

extension Evidence.Reason: StateCoded {
  public func write(to coder: inout StateCoder) { coder.write(rawValue) }
  public init(reading coder: inout StateCoder) throws(StateError) {
    guard let reason = Self(rawValue: try coder.read()) else { throw coder.damaged }
    self = reason
  }
}
