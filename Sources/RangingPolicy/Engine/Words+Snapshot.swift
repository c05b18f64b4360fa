import Beacons

// By their words.
extension Reason: StateCoded {}
extension Permission: StateCoded {}
extension Fact.What: StateCoded {}
extension Window.State: StateCoded {}

extension Fact: StateElement {
  public init() { self.init(time: 0, what: .enteredForeground) }

  public mutating func fields(_ coder: inout StateCoder) throws(StateError) {
    try coder(time: "time", &time)
    try coder("what", &what)
    try coder("task", &task)
  }
}

extension Window: StateElement {
  public init() { self.init(state: .foreground, since: 0, time: 0) }

  public mutating func fields(_ coder: inout StateCoder) throws(StateError) {
    try coder("state", &state)
    try coder(time: "since", &since)
    try coder(time: "time", &time)
    try coder(time: "expires", &expires)
    try coder("why", &why)
  }
}
