import Beacons

extension RoomState {
  /// Takes the beacon out of its room, which the configuration does not have any more.
  public mutating func leave(at wallTime: WallTime) {
    track.told = -1
    track.since = wallTime
  }
}
