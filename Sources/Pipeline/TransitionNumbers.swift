import Beacons
import Contract

/// Numbers transitions in the order of decision: from 1, without gaps within an epoch.
package struct TransitionNumbers: Sendable {
  package private(set) var epoch: UInt64
  package private(set) var last: UInt64

  /// - Parameter last: the number of the last transition.
  package init(epoch: UInt64, last: UInt64 = 0) {
    self.epoch = epoch
    self.last = last
  }

  package mutating func number(_ message: inout some NumberedMessage) {
    last += 1
    (message.epoch, message.sequence) = (epoch, last)
  }

  /// Numbers the transitions in a pipeline's output.
  package mutating func number(_ output: inout Pipeline.Output) {
    for index in output.items.indices {
      guard case .transition(var message) = output.items[index] else { continue }
      number(&message)
      output.items[index] = .transition(message)
    }
  }

  /// Restarts the count in a new epoch.
  package mutating func begin(_ epoch: UInt64) { (self.epoch, last) = (epoch, 0) }
}

extension TransitionNumbers: StateFields {
  package mutating func fields(_ coder: inout StateCoder) throws(StateError) {
    try coder("epoch", &epoch)
    try coder(tally: "last", &last)
  }
}
