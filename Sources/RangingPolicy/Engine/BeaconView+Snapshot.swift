import Beacons

/// Without the times at which it crosses thresholds: `PhoneEngine.restore` finds them again.
extension BeaconView: StateCoded {
  func write(to writer: inout StateWriter) {
    writer.write(motion)
    for flag in [isForeign, isHeard, isNear, isBeyondRearm] { writer.write(flag) }
    writer.write(trigger)
  }

  init(reading reader: inout StateReader) throws(StateError) {
    motion = try reader.read()
    isForeign = try reader.read()
    isHeard = try reader.read()
    isNear = try reader.read()
    isBeyondRearm = try reader.read()
    trigger = try reader.read()
  }
}

extension Motion: StateCoded {
  public func write(to writer: inout StateWriter) {
    for number in [start, distance, rate, per] { writer.write(number) }
  }

  public init(reading reader: inout StateReader) throws(StateError) {
    let (start, distance, rate, per): (Int64, Int64, Int64, Int64) = (
      try reader.read(), try reader.read(), try reader.read(), try reader.read()
    )
    self.init(start: start, distance: distance, rate: rate, per: per)
    guard self.start == start, self.distance == distance, self.rate == rate, self.per == per else {
      throw reader.damaged
    }
  }
}

extension Trigger: StateCoded {
  func write(to writer: inout StateWriter) {
    switch self {
    case .armed: writer.write(0 as UInt8)
    case .pending(let crossed, let block):
      writer.write(1 as UInt8)
      writer.write(crossed)
      writer.write(block)
    case .done: writer.write(2 as UInt8)
    }
  }

  init(reading reader: inout StateReader) throws(StateError) {
    switch try reader.read(UInt8.self) {
    case 0: self = .armed
    case 1: self = .pending(crossed: try reader.time(), block: try reader.read())
    case 2: self = .done
    default: throw reader.damaged
    }
  }
}
