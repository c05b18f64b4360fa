import BeaconKeys
import Beacons
import GatewayConfiguration
import Messages
import Proximity

/// From advertisement to message: identity, estimate, zones, and what is said of them. A function of its
/// input and of the time that comes with it; it asks no clock and does no I/O.
public struct Pipeline: Sendable {
  public let topics: Topics
  public private(set) var receivers: ReceiverTable
  public private(set) var counts = Counts()

  private let gateway: String
  private let epoch: UInt64
  private var sequence: UInt64
  private let zoneNames: [String]
  private var roster: Roster
  private var engine: ZoneEngine
  private var telemetry: Telemetry
  private var transitions: [Transition] = []

  public struct Counts: Sendable {
    public var advertisements: UInt64 = 0
    public var sightings: UInt64 = 0
    public var transitions: UInt64 = 0
  }

  /// What one step has to say: transitions in order, and states that changed with them.
  public struct Output: Sendable {
    public var transitions: [TransitionMessage] = []
    public var states: [Message] = []

    public init() {}

    public mutating func removeAll() {
      transitions.removeAll(keepingCapacity: true)
      states.removeAll(keepingCapacity: true)
    }
  }

  /// - Parameter epoch: tells this run's sequence numbers from those of another.
  public init(_ configuration: Configuration, epoch: UInt64, lastSequence: UInt64 = 0) {
    gateway = configuration.gatewayName
    topics = Topics(gateway: configuration.gatewayName)
    self.epoch = epoch
    sequence = lastSequence
    zoneNames = configuration.zones.map(\.name)
    receivers = ReceiverTable()
    engine = ZoneEngine(site: configuration.site(receivers: &receivers))
    roster = Roster(configuration)
    telemetry = Telemetry(interval: configuration.telemetry.beaconState)
  }

  /// The index under which a source is to report a receiver; nil once there are too many.
  public mutating func receiver(_ name: String) -> ReceiverIndex? { receivers.index(of: name) }

  /// Takes in what a source heard.
  public mutating func observe(_ batch: borrowing AdvertisementBatch, into output: inout Output) {
    batch.forEach { advertisement, payload in
      observe(advertisement, payload: payload)
    }
    report(into: &output)
  }

  /// Lets deadlines up to `time` happen that no advertisement brought about.
  public mutating func advance(to time: MonotonicTime, into output: inout Output) {
    engine.advance(to: time, into: &transitions)
    report(into: &output)
  }

  /// When `advance` next has something to do; nil: not before another advertisement.
  public var nextDeadline: MonotonicTime? { engine.nextDeadline }

  /// A receiver lost or regained its sight.
  public mutating func setBlind(
    _ receiver: ReceiverIndex, _ isBlind: Bool, at time: MonotonicTime, into output: inout Output
  ) {
    let before = zoneNames.indices.map { engine.isBlind(ZoneIndex(rawValue: Int32($0))) }
    engine.setBlind(receiver, isBlind, at: time, into: &transitions)
    report(into: &output)
    for (zone, wasBlind) in before.enumerated() {
      let index = ZoneIndex(rawValue: Int32(zone))
      if engine.isBlind(index) != wasBlind { output.states.append(occupancy(of: index)) }
    }
  }

  /// Every retained state, for a broker that may have lost them.
  public func allStates() -> [Message] {
    zoneNames.indices.map { occupancy(of: ZoneIndex(rawValue: Int32($0))) }
      + telemetry.known.map { state(of: $0) }
  }

  /// Beacons tracked so far.
  public var beaconCount: Int { roster.count }

  /// Takes in one advertisement; `report` tells what it led to.
  mutating func observe(_ advertisement: Advertisement, payload: Span<UInt8>) {
    counts.advertisements += 1
    let revision = roster.revision
    let sighting = roster.sighting(of: advertisement, payload: payload) { beacon, reading in
      telemetry.note(reading, of: beacon)
    }
    guard let sighting else {
      engine.advance(to: advertisement.time, into: &transitions)
      return
    }
    if roster.revision != revision {
      engine.admit(
        sighting.beacon, zones: roster.zones(of: sighting.beacon))
    }
    counts.sightings += 1
    engine.observe(sighting, into: &transitions)
    telemetry.note(sighting)
  }

  /// Turns transitions and due states into messages.
  mutating func report(into output: inout Output) {
    var changedZones: Set<ZoneIndex> = []
    for transition in transitions {
      sequence += 1
      counts.transitions += 1
      changedZones.insert(transition.zone)
      telemetry.setDue(transition.beacon)
      output.transitions.append(
        TransitionMessage(
          transition: transition, epoch: epoch, sequence: sequence, gateway: gateway,
          zone: zoneNames[Int(transition.zone.rawValue)], beacon: roster.name(of: transition.beacon),
          receiver: receivers.name(of: transition.evidence.receiver)))
    }
    transitions.removeAll(keepingCapacity: true)
    for zone in changedZones.sorted() { output.states.append(occupancy(of: zone)) }
    for beacon in telemetry.takeDue() { output.states.append(state(of: beacon)) }
  }

  private func occupancy(of zone: ZoneIndex) -> Message {
    let occupancy = engine.occupancy(of: zone)
    return OccupancyMessage(
      zone: zoneNames[Int(zone.rawValue)], state: occupancy.state.rawValue,
      members: occupancy.members.map {
        .init(beacon: roster.name(of: $0.beacon), since: $0.since, isNear: $0.isNear)
      }
    ).message(topics: topics)
  }

  private func state(of beacon: BeaconIndex) -> Message {
    let heard = telemetry[beacon]
    let current = engine.estimate(of: beacon)
    return BeaconStateMessage(
      beacon: roster.name(of: beacon), zones: engine.zones(of: beacon).map { zoneNames[Int($0.rawValue)] },
      estimate: current?.estimate, lastSeen: heard.wallTime,
      receiver: receivers.name(of: current?.receiver ?? heard.receiver), readings: heard.readings
    ).message(topics: topics)
  }
}
