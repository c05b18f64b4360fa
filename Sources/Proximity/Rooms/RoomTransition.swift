import Beacons
import Core

/// A beacon came into a room or left it, with the evidence for it.
public struct RoomTransition: Hashable, Sendable {
  /// Rooms have no near event.
  public enum Event: String, Hashable, Sendable, CaseIterable {
    case enter, exit
  }

  public var event: Event
  public var room: RoomIndex
  public var beacon: BeaconIndex
  public var time: MonotonicTime
  public var wallTime: WallTime
  /// Probability of the room at the decision, 0 to 1; nil: the beacon was silent or the configuration changed.
  public var probability: Double?
  /// The strongest argument first, at most `evidenceLimit`.
  public var evidence: [RoomEvidence]
  /// The receiver that heard the beacon last.
  public var receiver: ReceiverIndex
  /// The change of the configuration that made the beacon leave; nil: the estimate decided.
  public var reason: Evidence.Reason?

  /// Maximum number of receivers in the evidence. It keeps messages small.
  public static let evidenceLimit = 4

  public init(
    event: Event, room: RoomIndex, beacon: BeaconIndex, time: MonotonicTime, wallTime: WallTime,
    probability: Double?, evidence: [RoomEvidence], receiver: ReceiverIndex, reason: Evidence.Reason? = nil
  ) {
    self.event = event
    self.room = room
    self.beacon = beacon
    self.time = time
    self.wallTime = wallTime
    self.probability = probability
    self.evidence = evidence
    self.receiver = receiver
    self.reason = reason
  }
}

/// The evidence of one receiver for a room.
public struct RoomEvidence: Hashable, Sendable {
  public var receiver: ReceiverIndex
  /// Smoothed signal in dBm.
  public var rssi: Double
  /// The signal that is expected in that room, dBm; nil: unknown.
  public var expected: Double?
  /// Advertisements that contribute to `rssi`.
  public var samples: Int

  public init(receiver: ReceiverIndex, rssi: Double, expected: Double?, samples: Int) {
    self.receiver = receiver
    self.rssi = rssi
    self.expected = expected
    self.samples = samples
  }
}

extension RoomEvidence: StateElement {
  public init() { self.init(receiver: ReceiverIndex(rawValue: 0), rssi: 0, expected: nil, samples: 0) }

  public mutating func fields(_ coder: inout StateCoder) throws(StateError) {
    try coder("receiver", &receiver)
    try coder("rssi", &rssi)
    try coder("expected", &expected)
    try coder("samples", &samples)
    // The limit keeps the sum over all witnesses within range.
    try coder.check((0...Int(Int32.max)).contains(samples))
  }
}
