import Beacons

extension RoomDecision: StateElement {
  public init() { self.init(room: nil, receiver: ReceiverIndex(rawValue: 0)) }

  public mutating func fields(_ coder: inout StateCoder) throws(StateError) {
    try coder("room", &room)
    try coder("probability", &probability)
    try coder("witnesses", &witnesses)
    try coder("receiver", &receiver)
    try coder("reason", &reason)
  }
}

extension RoomEvidence: StateElement {
  public init() { self.init(receiver: ReceiverIndex(rawValue: 0), rssi: 0, expected: nil, samples: 0) }

  public mutating func fields(_ coder: inout StateCoder) throws(StateError) {
    try coder("receiver", &receiver)
    try coder("rssi", &rssi)
    try coder("expected", &expected)
    try coder("samples", &samples)
    // Of at most four witnesses the sum is taken.
    try coder.check((0...Int(Int32.max)).contains(samples))
  }
}

extension Evidence.Reason: StateCoded {
  public func write(to coder: inout StateCoder) { coder.write(rawValue) }
  public init(reading coder: inout StateCoder) throws(StateError) {
    guard let reason = Self(rawValue: try coder.read()) else { throw coder.damaged }
    self = reason
  }
}
