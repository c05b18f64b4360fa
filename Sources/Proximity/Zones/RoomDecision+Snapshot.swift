import Beacons

extension RoomDecision: StateCoded {
  public func write(to writer: inout StateWriter) {
    writer.write(room)
    writer.write(probability)
    writer.write(witnesses)
    writer.write(receiver)
    writer.write(reason)
  }

  public init(reading reader: inout StateReader) throws(StateError) {
    room = try reader.read()
    probability = try reader.read()
    witnesses = try reader.read()
    receiver = try reader.read()
    reason = try reader.read()
  }
}

extension RoomEvidence: StateCoded {
  public func write(to writer: inout StateWriter) {
    writer.write(receiver)
    writer.write(rssi)
    writer.write(expected)
    writer.write(samples)
  }

  public init(reading reader: inout StateReader) throws(StateError) {
    receiver = try reader.read()
    rssi = try reader.read()
    expected = try reader.read()
    samples = try reader.read()
    // Of at most four witnesses the sum is taken.
    guard (0...Int(Int32.max)).contains(samples) else { throw reader.damaged }
  }
}

extension Evidence.Reason: StateCoded {
  public func write(to writer: inout StateWriter) { writer.write(rawValue) }
  public init(reading reader: inout StateReader) throws(StateError) {
    guard let reason = Self(rawValue: try reader.read()) else { throw reader.damaged }
    self = reason
  }
}
