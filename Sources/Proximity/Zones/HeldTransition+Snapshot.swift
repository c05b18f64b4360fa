import Beacons

extension HeldTransition: StateCoded {
  public func write(to writer: inout StateWriter) {
    writer.write(zone)
    writer.write(beacon)
    writer.write(reason == .crowd)
  }

  public init(reading reader: inout StateReader) throws(StateError) {
    zone = try reader.read()
    beacon = try reader.read()
    reason = try reader.read() ? .crowd : .flickers
  }
}
