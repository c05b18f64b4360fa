extension BeaconIdentity: StateCoded {
  func write(to writer: inout StateWriter) {
    switch self {
    case .iBeacon(let uuid, let major, let minor):
      writer.write(0 as UInt8)
      writer.write(uuid)
      writer.write(major)
      writer.write(minor)
    case .altBeacon(let high, let low):
      writer.write(1 as UInt8)
      writer.write(high)
      writer.write(low)
    case .eddystoneUID(let namespace, let instance):
      writer.write(2 as UInt8)
      writer.write(namespace)
      writer.write(instance)
    case .eddystoneURL(let high, let low, let length):
      writer.write(3 as UInt8)
      writer.write(high)
      writer.write(low)
      writer.write(length)
    case .entry(let entry):
      writer.write(4 as UInt8)
      writer.write(entry)
    }
  }

  init(reading reader: inout StateReader) throws(StateError) {
    switch try reader.read(UInt8.self) {
    case 0: self = .iBeacon(uuid: try reader.read(), major: try reader.read(), minor: try reader.read())
    case 1: self = .altBeacon(high: try reader.read(), low: try reader.read())
    case 2:
      self = .eddystoneUID(namespace: try reader.read(), instance: try reader.read())
      guard case .eddystoneUID(let namespace, let instance) = self, namespace >> 80 == 0, instance >> 48 == 0
      else { throw reader.damaged }
    case 3:
      self = .eddystoneURL(high: try reader.read(), low: try reader.read(), length: try reader.read())
      guard case .eddystoneURL(let high, let low, let length) = self,
        EddystoneURL.isPossible(high: high, low: low, length: length)
      else { throw reader.damaged }
    case 4: self = .entry(try reader.read())
    default: throw reader.damaged
    }
  }
}
