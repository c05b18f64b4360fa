import Beacons

/// Times with which engines calculate: near enough that nothing overflows.
extension StateReader {
  mutating func time() throws(StateError) -> Milliseconds {
    let time: Milliseconds = try read()
    guard time.magnitude <= 1 << 53 else { throw damaged }
    return time
  }

  mutating func optionalTime() throws(StateError) -> Milliseconds? {
    try read(Bool.self) ? try time() : nil
  }

  mutating func timeOrNever() throws(StateError) -> Milliseconds {
    let time: Milliseconds = try read()
    guard time == .never || time.magnitude <= 1 << 53 else { throw damaged }
    return time
  }

  mutating func timeOrEarliest() throws(StateError) -> Milliseconds {
    let time: Milliseconds = try read()
    guard time == .min || time.magnitude <= 1 << 53 else { throw damaged }
    return time
  }
}
