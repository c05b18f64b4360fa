import Beacons

/// Within the bounds of its reader.
extension ZoneIndex: StateCoded {
  public func write(to writer: inout StateWriter) { writer.write(rawValue) }
  public init(reading reader: inout StateReader) throws(StateError) {
    self.init(rawValue: try reader.index(below: reader.bounds.zones))
  }
}

extension RoomIndex: StateCoded {
  public func write(to writer: inout StateWriter) { writer.write(rawValue) }
  public init(reading reader: inout StateReader) throws(StateError) {
    self.init(rawValue: try reader.index(below: reader.bounds.rooms))
  }
}
