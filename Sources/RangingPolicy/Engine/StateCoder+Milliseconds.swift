import Beacons

extension StateCoder {
  /// A time that can be added to others.
  ///
  /// - Parameter other: what it may be besides.
  mutating func callAsFunction(
    time name: StaticString, _ time: inout Milliseconds, or other: Milliseconds? = nil
  ) throws(StateError) {
    try self(name, &time)
    if isReading, time != other, time.magnitude > 1 << 53 { throw damaged }
  }

  mutating func callAsFunction(time name: StaticString, _ time: inout Milliseconds?) throws(StateError) {
    try self(name, &time)
    if isReading, let time, time.magnitude > 1 << 53 { throw damaged }
  }
}
