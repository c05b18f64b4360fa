import Beacons
import Messages

extension Pipeline {
  /// What the pipeline has to say, in order.
  public struct Output: Sendable {
    public enum Item: Sendable {
      /// Of a zone or room, or a beacon's event.
      case transition(TransitionMessage)
      /// A retained state that changed.
      case state(State)
      /// Of this moment only.
      case room(RoomPresenceMessage)
      /// What became of a near trigger on a phone.
      case verdict(VerdictMessage)
    }

    /// The sender turns it into text: there are many, and not every caller sends them.
    public enum State: Sendable {
      case occupancy(OccupancyMessage)
      case beacon(BeaconStateMessage)
      case room(RoomMessage)
      case whereabouts(WhereaboutsMessage)
      /// Of a beacon that is forgotten.
      case cleared(Message)
      /// Of a phone.
      case window(Message)

      public func message(topics: Topics) -> Message {
        switch self {
        case .occupancy(let occupancy): occupancy.message(topics: topics)
        case .beacon(let beacon): beacon.message(topics: topics)
        case .room(let room): room.message(topics: topics)
        case .whereabouts(let whereabouts): whereabouts.message(topics: topics)
        case .cleared(let message), .window(let message): message
        }
      }
    }

    public var items: [Item] = []
    /// Keys of beacons of an earlier run that need not be kept any longer.
    package var forgotten: [String] = []
    /// Beacons of which the next run must know more than it was told so far.
    package var noted: [BeaconIndex] = []

    public init() {}

    public var transitions: [TransitionMessage] {
      items.compactMap { if case .transition(let transition) = $0 { transition } else { nil } }
    }

    public var verdicts: [VerdictMessage] {
      items.compactMap { if case .verdict(let verdict) = $0 { verdict } else { nil } }
    }

    /// Of zones, rooms, windows and beacons.
    public func states(topics: Topics) -> [Message] {
      items.compactMap { if case .state(let state) = $0 { state.message(topics: topics) } else { nil } }
    }

    public mutating func removeAll() {
      items.removeAll(keepingCapacity: true)
      if !forgotten.isEmpty { forgotten.removeAll() }
      if !noted.isEmpty { noted.removeAll() }
    }
  }
}
