import Beacons
import Contract
import Core

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
