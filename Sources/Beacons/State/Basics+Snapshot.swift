extension MonotonicTime: StateCoded {
  @inlinable public func write(to writer: inout StateWriter) { writer.append(nanoseconds) }
  @inlinable public init(reading reader: inout StateReader) throws(StateError) {
    self.init(nanoseconds: try reader.take())
  }
}

extension WallTime: StateCoded {
  @inlinable public func write(to writer: inout StateWriter) { writer.append(nanoseconds) }
  @inlinable public init(reading reader: inout StateReader) throws(StateError) {
    self.init(nanoseconds: try reader.take())
  }
}

extension TimeSpan: StateCoded {
  @inlinable public func write(to writer: inout StateWriter) { writer.append(nanoseconds) }
  @inlinable public init(reading reader: inout StateReader) throws(StateError) {
    self.init(nanoseconds: try reader.take())
  }
}

/// Within the bounds of its reader, as the following ones.
extension ReceiverIndex: StateCoded {
  @inlinable public func write(to writer: inout StateWriter) { writer.append(rawValue) }
  @inlinable public init(reading reader: inout StateReader) throws(StateError) {
    self.init(rawValue: try reader.index(below: reader.bounds.receivers))
  }
}

extension BeaconIndex: StateCoded {
  @inlinable public func write(to writer: inout StateWriter) { writer.append(rawValue) }
  @inlinable public init(reading reader: inout StateReader) throws(StateError) {
    self.init(rawValue: try reader.index(below: reader.bounds.beacons))
  }
}

extension BeaconEntryIndex: StateCoded {
  @inlinable public func write(to writer: inout StateWriter) { writer.append(rawValue) }
  @inlinable public init(reading reader: inout StateReader) throws(StateError) {
    self.init(rawValue: try reader.index(below: reader.bounds.entries))
  }
}

extension ReceiverTable: StateCoded {
  public func write(to writer: inout StateWriter) { writer.write(names) }
  public init(reading reader: inout StateReader) throws(StateError) {
    self.init()
    let names: [String] = try reader.read()
    for name in names { _ = index(of: name) }
    guard self.names == names else { throw reader.damaged }
  }
}

extension RateLimit {
  public func snapshot(into writer: inout StateWriter) { writer.write(rested) }
  public mutating func restore(from reader: inout StateReader) throws(StateError) {
    rested = try reader.read()
  }
}
