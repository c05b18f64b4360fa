import Beacons

/// Within the bounds of its coder.
extension ZoneIndex: StateCoded {
  public func write(to coder: inout StateCoder) { coder.write(rawValue) }
  public init(reading coder: inout StateCoder) throws(StateError) {
    self.init(rawValue: try coder.index(below: coder.bounds.zones))
  }
}

extension RoomIndex: StateCoded {
  public func write(to coder: inout StateCoder) { coder.write(rawValue) }
  public init(reading coder: inout StateCoder) throws(StateError) {
    self.init(rawValue: try coder.index(below: coder.bounds.rooms))
  }
}
