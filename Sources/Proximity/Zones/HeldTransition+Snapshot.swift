import Beacons

extension HeldTransition: StateCoded {
  public func write(to coder: inout StateCoder) {
    coder.write(zone)
    coder.write(beacon)
    coder.write(reason == .crowd)
  }

  public init(reading coder: inout StateCoder) throws(StateError) {
    zone = try coder.read()
    beacon = try coder.read()
    reason = try coder.read() ? .crowd : .flickers
  }
}
