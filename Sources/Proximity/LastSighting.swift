import Beacons

/// What is kept of a beacon's newest sighting.
public struct LastSighting: Hashable, Sendable {
  public var time: MonotonicTime
  public var wallTime: WallTime
  public var receiver: ReceiverIndex

  public init(time: MonotonicTime, wallTime: WallTime, receiver: ReceiverIndex) {
    self.time = time
    self.wallTime = wallTime
    self.receiver = receiver
  }
}

extension ZoneEngine {
  /// Takes over when and where another engine last heard a beacon that was admitted here.
  public mutating func adopt(_ sighting: LastSighting, of beacon: BeaconIndex) {
    let index = Int(beacon.rawValue)
    guard beacons.indices.contains(index), beacons[index].isAdmitted else { return }
    beacons[index].lastHeard = sighting.time
    beacons[index].lastReceiver = sighting.receiver
    beacons[index].wallOffset = sighting.wallTime - WallTime(nanoseconds: sighting.time.nanoseconds)
  }
}
