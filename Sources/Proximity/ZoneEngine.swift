import Beacons

/// Decides which beacon is in which zone. A function of its input and of the time passed in: it asks no clock.
///
/// Time: a sighting or call earlier than the latest one is taken to happen at the latest one.
/// Wall times of transitions follow the newest sighting of the beacon in question.
public struct ZoneEngine: Sendable {
  public init(site: Site) {}

  /// Takes up a newly tracked beacon.
  ///
  /// `zones`: those it takes part in. `measuredPower`: RSSI at 1 m in dBm from the configuration; it
  /// overrides what frames say. Sightings of a beacon never admitted are ignored; admitted again, it starts anew.
  public mutating func admit(_ beacon: BeaconIndex, zones: [ZoneIndex], measuredPower: Double? = nil) {}

  /// Takes in a sighting. Deadlines up to its time (inclusive) happen first, in order.
  public mutating func observe(_ sighting: Sighting, into transitions: inout [Transition]) {}

  /// Lets every deadline up to `time` (inclusive) happen, in order.
  public mutating func advance(to time: MonotonicTime, into transitions: inout [Transition]) {}

  /// A receiver lost or regained its sight. Deadlines up to `time` happen first.
  public mutating func setBlind(
    _ receiver: ReceiverIndex, _ isBlind: Bool, at time: MonotonicTime, into transitions: inout [Transition]
  ) {}

  /// When `advance` next has something to do, at the earliest; nil: not before another sighting. It may
  /// prove too early: call `advance`, then ask again.
  public var nextDeadline: MonotonicTime? { nil }

  /// What one receiver makes of a beacon, or (nil) the receiver to which it is nearest now; nil where no
  /// receiver hears it any more.
  public func estimate(of beacon: BeaconIndex, at receiver: ReceiverIndex? = nil) -> (
    receiver: ReceiverIndex, estimate: Estimate
  )? { nil }

  public func occupancy(of zone: ZoneIndex) -> Occupancy { Occupancy(state: .empty, members: []) }

  /// The zones a beacon is in, ascending.
  public func zones(of beacon: BeaconIndex) -> [ZoneIndex] { [] }

  public func isBlind(_ zone: ZoneIndex) -> Bool { false }

  /// Everything known of a beacon; nil if it was never admitted.
  public func state(of beacon: BeaconIndex) -> BeaconState? { nil }

  /// Puts an admitted beacon back into a saved state. Nobody is declared away before a full interval
  /// from `sightSince`, the time at which receiving resumed.
  public mutating func restore(_ state: BeaconState, of beacon: BeaconIndex, sightSince: MonotonicTime) {}
}
