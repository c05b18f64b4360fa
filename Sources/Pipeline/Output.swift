import Beacons
import Contract

extension Pipeline {
  /// The pipeline's output, in order.
  package struct Output: Sendable {
    package enum Item: Sendable {
      /// A transition of a zone or room, or a beacon's event.
      case transition(TransitionMessage)
      /// A retained state that changed.
      case state(State)
      /// A distance to a receiver. It is not retained.
      case roomPresence(RoomPresenceMessage)
      /// The outcome of a near trigger on a phone.
      case verdict(VerdictMessage)
    }

    /// The sender converts it to text. There are many states, and some callers do not send them.
    package enum State: Sendable {
      case occupancy(OccupancyMessage)
      case beacon(BeaconStateMessage)
      case room(RoomMessage)
      case whereabouts(WhereaboutsMessage)
      /// Clears the topic of a forgotten beacon.
      case cleared(Message)
      /// A phone's window.
      case window(Message)
      /// What a phone's app noticed, compared with what was predicted.
      case record(RecordMessage)

      package func message(topics: Topics) -> Message {
        switch self {
        case .occupancy(let occupancy): occupancy.message(topics: topics)
        case .beacon(let beacon): beacon.message(topics: topics)
        case .room(let room): room.message(topics: topics)
        case .whereabouts(let whereabouts): whereabouts.message(topics: topics)
        case .record(let record): record.message(topics: topics)
        case .cleared(let message), .window(let message): message
        }
      }
    }

    package var items: [Item] = []
    /// Keys of beacons of an earlier run whose saved state can be deleted.
    package var forgotten: [String] = []
    /// Beacons whose saved state must be updated for the next run.
    package var noted: [BeaconIndex] = []
    /// Phones' records that must be saved for the next run, by phone; nil: the phone is gone.
    package var records: [String: [UInt8]?] = [:]

    package init() {}

    package var transitions: [TransitionMessage] {
      items.compactMap { if case .transition(let transition) = $0 { transition } else { nil } }
    }

    package var verdicts: [VerdictMessage] {
      items.compactMap { if case .verdict(let verdict) = $0 { verdict } else { nil } }
    }

    /// Retained states of zones, rooms, windows and beacons.
    package func states(topics: Topics) -> [Message] {
      items.compactMap { if case .state(let state) = $0 { state.message(topics: topics) } else { nil } }
    }

    package mutating func removeAll() {
      items.removeAll(keepingCapacity: true)
      if !forgotten.isEmpty { forgotten.removeAll() }
      if !noted.isEmpty { noted.removeAll() }
      if !records.isEmpty { records.removeAll() }
    }
  }
}

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
