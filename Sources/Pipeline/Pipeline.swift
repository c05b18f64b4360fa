import BeaconKeys
import Beacons
import Settings
import Messages
import Proximity

/// Converts advertisements to messages: identity, estimate, zones. A function of its input and the times in it: no
/// clock, no I/O.
public struct Pipeline: Sendable {
  public let topics: Topics
  public internal(set) var receivers: ReceiverTable
  public internal(set) var counts = Counts()

  package internal(set) var configuration: Configuration
  /// The initial limits for members of regions.
  let limits: AdmissionLimits
  /// Receivers that the configuration names.
  let configuredReceivers: Set<ReceiverIndex>
  /// Each zone's rules as text, identical in every run.
  let zoneDefinitions: [String]
  package var roster: Roster
  package var engine: ZoneEngine
  var telemetry: Telemetry
  var packets = PacketLedger()
  /// Members of regions, by the time of their silence.
  var unheard = LongestUnheard()
  /// Names of retired beacons that Home Assistant may know.
  var forgotten: [String] = []
  var hasToldRefusal = false
  /// Notices about transitions that had to wait.
  var holds = HoldNotices()
  var whereabouts: Whereabouts
  var roomPresence: RoomPresence
  /// nil: no rooms are configured.
  var rooms: RoomTracker?
  /// Whether the states of the rooms were published.
  var areRoomsGreeted = false
  /// Buffer for the rooms' decisions.
  var roomTransitions: [RoomTransition] = []
  var phones: Phones
  /// Collects observations for other gateways; nil: off.
  var tap: ObservationTap?
  /// The history for the dashboard; nil: off.
  package internal(set) var history: SightingHistory?
  /// Near triggers that the phones have not processed yet, in order of time.
  var nears: [TransitionMessage] = []
  var blind: Set<ReceiverIndex> = []
  /// Receivers of an earlier run that have not reported yet.
  var unproven: Set<ReceiverIndex> = []
  /// The latest time in the input.
  var time = MonotonicTime(nanoseconds: .min)
  /// Zones whose state is still unknown, because none of their receivers has reported.
  var unwatched: [ZoneIndex]
  var receiversKnown = 0
  /// Zones first, then rooms.
  var crowds: CrowdPace
  /// The probable senders of the next advertisements.
  var likely: [BeaconIndex] = []
  /// The readings of the current advertisement.
  var readings: [HeardReading] = []
  var transitions: [Transition] = []
  /// Buffers for `tell`.
  var changedZones: [ZoneIndex] = []
  var dueBeacons: [BeaconIndex] = []

  public struct Counts: Sendable {
    public var advertisements: UInt64 = 0
    public var sightings: UInt64 = 0
    public var transitions: UInt64 = 0
    /// Members of regions that were dropped to make room.
    public var retired: UInt64 = 0
  }

  /// - Parameters:
  ///   - receivers: the receivers that sources already know by index.
  ///   - limits: for members of regions.
  ///   - isLean: keeps signals per receiver and beacon only if zones, phones or room sensors by distance need them.
  ///     Otherwise the state of a beacon has no signal and no distance.
  public init(
    _ configuration: Configuration, receivers: ReceiverTable = ReceiverTable(),
    limits: AdmissionLimits = AdmissionLimits(), isLean: Bool = false
  ) {
    self.configuration = configuration
    self.limits = limits
    zoneDefinitions = configuration.zones.map(\.definition)
    let names =
      configuration.receivers.map(\.name) + configuration.zones.flatMap { $0.receivers ?? [] }
      + configuration.rooms.flatMap(\.receivers)
    var table = receivers
    configuredReceivers = Set(names.compactMap { table.index(of: $0) })
    self.receivers = table
    topics = Topics(gateway: configuration.gatewayName)
    engine = ZoneEngine(
      site: configuration.site(receivers: &self.receivers), crowd: limits.transitions,
      keepsLinks: !isLean || configuration.needsDistances)
    unwatched = configuration.zones.indices.map { ZoneIndex(rawValue: Int32($0)) }
    crowds = CrowdPace(
      places: configuration.zones.count + configuration.rooms.count,
      configuration.fleet.map { .site.shared(by: $0.partitions) } ?? .gateway)
    roster = Roster(configuration, limits)
    telemetry = Telemetry(interval: configuration.telemetry.beaconState)
    whereabouts = Whereabouts(configuration)
    roomPresence = RoomPresence(prefix: configuration.homeAssistant.rooms)
    rooms = Self.rooms(configuration, receivers: &self.receivers)
    phones = Phones(configuration)
  }

  /// The index that a source must use for a receiver; nil if there are too many.
  public mutating func receiver(_ name: String) -> ReceiverIndex? { receivers.index(of: name) }

  /// Processes deadlines up to `time`.
  public mutating func advance(to time: MonotonicTime, into output: inout Output) {
    tellHeldBack(notAfter: time, into: &output)
    step(to: time, into: &output)
  }

  /// Processes deadlines up to `time`, except messages that were held back.
  mutating func step(to time: MonotonicTime, into output: inout Output) {
    self.time = max(self.time, time)
    engine.advance(to: time, into: &transitions)
    tell(into: &output)
    advanceRooms(to: time, into: &output)
    for place in crowds.takeDue(at: time) {
      output.items.append(.state(.occupancy(occupancy(ofCrowd: place))))
    }
    advancePhones(to: time, into: &output)
  }

  /// The next time at which `advance` has something to do; nil: not before another advertisement.
  public var nextDeadline: MonotonicTime? {
    let never = MonotonicTime.distantFuture
    // Two at a time: `min` with more than three arguments allocates an array, and every batch calls this.
    let next = min(
      min(engine.nextDeadline ?? never, phones.nextDeadline ?? never),
      min(
        min(crowds.next ?? never, rooms?.nextDeadline ?? never),
        min(telemetry.nextDeadline ?? never, roomPresence.nextDeadline ?? never)))
    return next == never ? nil : next
  }

  /// A receiver became blind or works again.
  public mutating func setBlind(
    _ receiver: ReceiverIndex, _ isBlind: Bool, at time: MonotonicTime, into output: inout Output
  ) {
    let before = configuration.zones.indices.map { engine.isBlind(ZoneIndex(rawValue: Int32($0))) }
    self.time = max(self.time, time)
    unproven.remove(receiver)
    if isBlind { blind.insert(receiver) } else { blind.remove(receiver) }
    history?.note(receiver, isBlind: isBlind, at: time)
    engine.setBlind(receiver, isBlind, at: time, into: &transitions)
    tell(into: &output)
    greetReceivers(into: &output)
    setRoomsBlind(receiver, isBlind, at: time, into: &output)
    greetRooms(into: &output)
    if !phones.isEmpty { sightOfPhonesChanged(at: time, into: &output) }
    for (zone, wasBlind) in before.enumerated() {
      let index = ZoneIndex(rawValue: Int32(zone))
      if engine.isBlind(index) != wasBlind { output.items.append(.state(.occupancy(occupancy(of: index)))) }
    }
  }

  /// All retained states, for a broker that may have lost them.
  public func allStates() -> [Message] {
    placeStates + telemetry.known.flatMap { allStates(of: $0) } + windowStates
  }

  /// The retained states of zones and rooms.
  package var placeStates: [Message] {
    configuration.zones.indices.map { occupancy(of: ZoneIndex(rawValue: Int32($0))).message(topics: topics) }
      + roomStates
  }

  /// The retained states of some beacons, by name.
  package func states(of names: Set<String>) -> [Message] {
    telemetry.known.lazy.filter { names.contains(roster.name(of: $0)) }.flatMap { allStates(of: $0) }
  }

  private func allStates(of beacon: BeaconIndex) -> [Message] {
    let whereabouts = whereabouts.all(
      of: beacon, called: roster.name(of: beacon), in: engine.zones(of: beacon),
      isInRoom: rooms?.room(of: beacon) != nil
    ) { engine.estimate(of: beacon, in: $0)?.distance }
    let states = [
      state(of: beacon)?.message(topics: topics), roomMessage(of: beacon)?.message(topics: topics),
    ]
    return states.compactMap(\.self)
      + whereabouts.map { $0.message(topics: topics) }
  }

  /// The names in this set that belong to beacons with a state here.
  package func known(among names: Set<String>) -> Set<String> {
    names.intersection(telemetry.known.lazy.map { roster.name(of: $0) })
  }

  /// Receivers that should be present.
  package var expectedReceivers: [ReceiverIndex: ReceiverExpectation] {
    Dictionary(
      unproven.map { ($0, .earlier) } + configuredReceivers.map { ($0, .configured) },
      uniquingKeysWith: { $1 })
  }

  /// Reports about phones' apps that were refused.
  public var refusedReports: UInt64 { phones.refusedReports }

  /// Frames whose readings were refused.
  package var refusedReadings: HealthMessage.RefusedReadings { roster.sealed.counts }

  /// Advertisements from private addresses that were not resolved yet, because too many unknown senders came at once.
  package var postponedAddresses: UInt64 { roster.postponed }

  /// Notices for the user, each once.
  public mutating func takeNotices() -> [String] {
    var notices = roster.sealed.hasNotices ? roster.sealed.takeNotices() : []
    if refusedMembers > 0, !hasToldRefusal {
      hasToldRefusal = true
      notices.append(
        "too many new members of regions; the limit is \(AdmissionLimits.usualBurst) at once, then "
          + "\(AdmissionLimits.usualRate) a second, and \(AdmissionLimits.usualMembers) at a time; "
          + "somebody may be inventing them (members_refused in health counts what they send)")
    }
    if let notice = packets.takeNotice() { notices.append(notice) }
    for hold in engine.takeHeld() {
      guard let words = holds.words(on: hold, of: roster.name(of: hold.beacon), in: name(of: hold.zone))
      else { continue }
      notices.append(words)
    }
    return notices
  }

  /// Restores the replay counters of an earlier run, by the beacon's key.
  package mutating func restore(counters: [String: UInt32]) { roster.sealed.restore(counters) }

  /// Replay counters that should be saved now for the next run, by the beacon's key.
  package mutating func takeCounters(isLast: Bool = false) -> [String: UInt32] {
    guard roster.sealed.hasUnsavedCounters else { return [:] }
    let counters = roster.sealed.takeCounters(at: time, isLast: isLast)
    return Dictionary(counters.map { (roster.key(of: $0.beacon), $0.counter) }) { $1 }
  }

  /// How many beacons are tracked.
  public var beaconCount: Int { roster.trackedCount }

  /// Enters and nears that were delayed because they came too often.
  package var heldTransitions: UInt64 { engine.heldTransitions }

  /// Events that were dropped, because there were too many.
  package var refusedEvents: UInt64 { packets.refused }

  /// Sightings that did not count for rooms; nil: there are no rooms.
  package var droppedForRooms: UInt64? { rooms?.droppedSightings }

  /// Advertisements of members of regions that were refused.
  package var refusedMembers: UInt64 { roster.refused }

  func state(of beacon: BeaconIndex) -> BeaconStateMessage? {
    guard let readings = telemetry.readings(of: beacon), let last = engine.lastSighting(of: beacon) else {
      return nil
    }
    let current = engine.estimate(of: beacon)
    return BeaconStateMessage(
      beacon: roster.name(of: beacon), displayName: roster.displayName(of: beacon),
      zones: engine.zones(of: beacon).map { name(of: $0) },
      room: rooms.map { $0.room(of: beacon).map { name(of: $0) } },
      estimate: current?.estimate, lastSeen: last.wallTime,
      receiver: receivers.name(of: current?.receiver ?? rooms?.receiver(of: beacon) ?? last.receiver),
      readings: readings)
  }
}

extension Configuration {
  /// Whether any decision depends on the distance of a beacon from a receiver.
  fileprivate var needsDistances: Bool {
    zones.contains { $0.rooms == nil } || !phones.isEmpty || homeAssistant.rooms != nil
  }
}

/// Why a receiver is expected.
package enum ReceiverExpectation: Sendable {
  /// The configuration names it.
  case configured
  /// An earlier run used it, and a beacon is in a zone because of it.
  case earlier
}
