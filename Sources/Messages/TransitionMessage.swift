import MQTT
import Beacons
import Proximity

/// A transition of a zone or a room, or an event of a beacon, with all names resolved: one JSON object, identical on MQTT and from
/// `replay`. All of them are numbered together, and delivered alike.
public struct TransitionMessage: Sendable {
  /// What was decided. Its indices are those of the run that decided it.
  public enum Decision: Hashable, Sendable {
    case zone(Transition)
    case room(RoomTransition)
    case event(BeaconEvent)
  }

  public var decision: Decision
  /// The pair of epoch and `sequence` numbers it; 0 until it is numbered.
  public var epoch: UInt64
  public var sequence: UInt64
  public var gateway: String
  /// The name of the zone or room; empty for a beacon's event.
  public var place: String
  public var beacon: String
  /// A readable name; it is not in the payload.
  public var displayName: String?
  /// That decided for a zone; for a room, that heard the beacon last; for an event, that heard it first.
  public var receiver: String
  /// The names of the receivers in a room's evidence, in its order; empty for a zone that is not made of rooms.
  public var witnesses: [String]
  /// For a zone of rooms: the room in the evidence. nil: there is none.
  public var room: String?

  public init(
    transition: Transition, epoch: UInt64 = 0, sequence: UInt64 = 0, gateway: String, zone: String,
    beacon: String,
    receiver: String
  ) {
    decision = .zone(transition)
    self.epoch = epoch
    self.sequence = sequence
    self.gateway = gateway
    place = zone
    self.beacon = beacon
    self.receiver = receiver
    witnesses = []
  }

  /// - Parameter witnesses: one name for each of the transition's evidence; without one, the evidence is left out.
  public init(
    transition: RoomTransition, epoch: UInt64 = 0, sequence: UInt64 = 0, gateway: String, room: String,
    beacon: String, receiver: String, witnesses: [String]
  ) {
    decision = .room(transition)
    self.epoch = epoch
    self.sequence = sequence
    self.gateway = gateway
    place = room
    self.beacon = beacon
    self.receiver = receiver
    self.witnesses = witnesses
  }

  public init(
    event: BeaconEvent, epoch: UInt64 = 0, sequence: UInt64 = 0, gateway: String, beacon: String,
    receiver: String
  ) {
    decision = .event(event)
    self.epoch = epoch
    self.sequence = sequence
    self.gateway = gateway
    place = ""
    self.beacon = beacon
    self.receiver = receiver
    witnesses = []
  }

  public func message(topics: Topics) -> Message {
    let topic = kind.map { topics.transition(of: $0, place, event: word) } ?? topics.event(beacon: beacon)
    return Message(topic: topic, payload: json, qos: .atLeastOnce, retained: false)
  }
}

/// What decisions of zones and of rooms, and events, have in common.
extension TransitionMessage {
  /// nil for a beacon's event.
  public var kind: PlaceKind? {
    switch decision {
    case .zone: .zone
    case .room: .room
    case .event: nil
    }
  }

  /// Of a zone or room; nil for a beacon's event.
  public var event: Transition.Event? {
    switch decision {
    case .zone(let transition): transition.event
    case .room(let transition): transition.event == .enter ? .enter : .exit
    case .event: nil
    }
  }

  /// What happened, in the payload's word.
  public var word: String {
    if case .event(let event) = decision { return event.happening.word }
    return event?.rawValue ?? ""
  }

  public var beaconIndex: BeaconIndex {
    switch decision {
    case .zone(let transition): transition.beacon
    case .room(let transition): transition.beacon
    case .event(let event): event.beacon
    }
  }

  /// When it happened, by the clock that decides.
  public var time: MonotonicTime {
    switch decision {
    case .zone(let transition): transition.time
    case .room(let transition): transition.time
    case .event(let event): event.time
    }
  }

  public var wallTime: WallTime {
    get {
      switch decision {
      case .zone(let transition): transition.wallTime
      case .room(let transition): transition.wallTime
      case .event(let event): event.wallTime
      }
    }
    set {
      switch decision {
      case .zone(var transition):
        transition.wallTime = newValue
        decision = .zone(transition)
      case .room(var transition):
        transition.wallTime = newValue
        decision = .room(transition)
      case .event(var event):
        event.wallTime = newValue
        decision = .event(event)
      }
    }
  }

  /// Of a zone; nil for others. Setting it to nil does nothing.
  public var transition: Transition? {
    get { if case .zone(let transition) = decision { transition } else { nil } }
    set { if let newValue { decision = .zone(newValue) } }
  }

  /// Why a beacon left although it did nothing.
  public var reason: Evidence.Reason? {
    switch decision {
    case .zone(let transition): transition.evidence.reason
    case .room(let transition): transition.reason
    case .event: nil
    }
  }
}
