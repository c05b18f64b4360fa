import Beacons
import Configuration
import Contract
import Core
import Proximity

/// Converts advertisements to messages: identity, estimate, zones. A function of its input and the times in it: no
/// clock, no I/O.
package struct Pipeline: Sendable {
  package let topics: Topics
  package internal(set) var receivers: ReceiverTable
  package internal(set) var counts = Counts()

  package internal(set) var configuration: Configuration
  /// The initial limits for members of regions.
  let limits: AdmissionLimits
  /// Each zone's rules as text, identical in every run.
  let zoneDefinitions: [String]
  package var roster: Roster
  package var engine: ZoneEngine
  var teller: Teller
  /// nil: no rooms are configured, or they are not decided.
  var rooms: RoomTracker?
  var phones: Phones
  /// Collects observations for other gateways; nil: off.
  var tap: ObservationTap?
  /// The history for the dashboard; nil: off.
  package internal(set) var history: SightingHistory?
  /// Which receivers can hear. Zones and rooms are shown it.
  package internal(set) var sight = ReceiverSight()
  /// The latest time in the input.
  var time = MonotonicTime(nanoseconds: .min)
  var scratch = Scratch()
  /// Notices of receivers that are in no zone and no room, and how many of them were returned.
  private var unplaced: [String] = []
  private var toldUnplaced = 0

  /// Buffers, kept for their capacity.
  struct Scratch: Sendable {
    /// The probable senders of the next advertisements.
    var likely: [BeaconIndex] = []
    /// The readings of the current advertisement.
    var readings: [HeardReading] = []
    var transitions: [Transition] = []
    var roomTransitions: [RoomTransition] = []
  }

  package struct Counts: Sendable {
    package var advertisements: UInt64 = 0
    package var sightings: UInt64 = 0
    package var transitions: UInt64 = 0
    /// Members of regions that were dropped to make room.
    package var retired: UInt64 = 0
  }

  /// - Parameters:
  ///   - receivers: the receivers that sources already know by index.
  ///   - limits: for members of regions.
  ///   - isLean: keeps signals per receiver and beacon only if zones, phones or room sensors by distance need them.
  ///     Otherwise the state of a beacon has no signal and no distance.
  ///   - decidesRooms: false leaves rooms undecided. Distances in zones still use what the rooms tell about the site.
  package init(
    _ configuration: Configuration, receivers: ReceiverTable = ReceiverTable(),
    limits: AdmissionLimits = AdmissionLimits(), isLean: Bool = false, decidesRooms: Bool = true
  ) {
    self.configuration = configuration
    self.limits = limits
    zoneDefinitions = configuration.zones.map(\.definition)
    self.receivers = receivers
    for name in configuration.receiverNames { _ = self.receivers.index(of: name) }
    topics = configuration.topics
    engine = ZoneEngine(
      site: configuration.site(receivers: &self.receivers), crowd: limits.transitions,
      keepsLinks: !isLean || configuration.needsDistances)
    roster = Roster(configuration, limits)
    teller = Teller(configuration)
    rooms = decidesRooms ? Self.rooms(configuration, receivers: &self.receivers) : nil
    phones = Phones(configuration)
  }

  /// The index that a source must use for a receiver; nil if there are too many.
  package mutating func receiver(_ name: String) -> ReceiverIndex? {
    let count = receivers.names.count
    let index = receivers.index(of: name)
    if receivers.names.count > count { noteUnplaced(name) }
    return index
  }

  /// A new receiver may be in no zone and no room, so that whatever it hears moves nobody.
  private mutating func noteUnplaced(_ name: String) {
    let isWatched = configuration.zones.contains { $0.receivers == nil && $0.rooms == nil }
    guard !isWatched, !configuration.zones.isEmpty || !configuration.rooms.isEmpty,
      unplaced.count < Self.unplacedLimit
    else { return }
    let placed =
      (configuration.zones.flatMap { $0.receivers ?? [] } + configuration.rooms.flatMap(\.receivers))
      .prefix(3).map(\.printable).joined(separator: ", ")
    unplaced.append(
      "no zone and no room has the receiver \(name.printable), so what it hears moves nobody; they have \(placed)"
        + (name.hasPrefix("hci") ? " (a recording of the gateway hall is --capture hall=FILE)" : ""))
  }
  private static let unplacedLimit = 20

  /// Names that the configuration has.
  package var configuredReceivers: [String] { configuration.receiverNames }

  /// Gives a receiver's index to another receiver. Returns false if the configuration names the first, or if
  /// the second is known already.
  mutating func rename(_ receiver: ReceiverIndex, to name: String) -> Bool {
    guard receivers.index(ofKnown: name) == nil,
      !configuration.receiverNames.contains(receivers.name(of: receiver))
    else { return false }
    receivers.rename(receiver, to: name)
    return true
  }

  /// The clock was set. Messages from now on have the new time. If the clock was wrong before, the start
  /// times of stays are corrected. Publish all states then.
  package mutating func correct(_ step: ClockStep) {
    engine.correct(step)
    rooms?.correct(step)
    phones.correct(step)
  }

  /// Processes deadlines up to `time`.
  package mutating func advance(to time: MonotonicTime, into output: inout Output) {
    tellHeldBack(notAfter: time, into: &output)
    step(to: time, into: &output)
  }

  /// Processes deadlines up to `time`, except messages that were held back.
  mutating func step(to time: MonotonicTime, into output: inout Output) {
    self.time = max(self.time, time)
    engine.advance(to: time, into: &scratch.transitions)
    tell(into: &output)
    advanceRooms(to: time, into: &output)
    for place in teller.crowds.takeDue(at: time) {
      output.items.append(.state(.occupancy(occupancy(ofPlace: place))))
    }
    advancePhones(to: time, into: &output)
  }

  /// The next time at which `advance` has something to do; nil: not before another advertisement.
  package var nextDeadline: MonotonicTime? {
    let never = MonotonicTime.distantFuture
    // Two at a time: `min` with more than three arguments allocates an array, and every batch calls this.
    let next = min(
      min(engine.nextDeadline ?? never, phones.nextDeadline ?? never),
      min(rooms?.nextDeadline ?? never, min(teller.crowds.next ?? never, teller.nextHeldBack)))
    return next == never ? nil : next
  }

  /// All retained states, for a broker that may have lost them.
  package func allStates() -> [Message] {
    placeStates + teller.telemetry.known.flatMap { allStates(of: $0) } + phoneStates
  }

  /// The retained states of zones and rooms.
  package var placeStates: [Message] {
    configuration.zones.indices.map { occupancy(of: ZoneIndex(rawValue: Int32($0))).message(topics: topics) }
      + roomStates
  }

  /// The retained states of some beacons, by name.
  package func states(of names: Set<String>) -> [Message] {
    teller.telemetry.known.lazy.filter { names.contains(roster.name(of: $0)) }.flatMap { allStates(of: $0) }
  }

  /// The retained states of zones, rooms, phones and beacons with these names.
  package func states(named names: Set<String>) -> [Message] {
    placeStates + phoneStates + states(of: names)
  }

  private func allStates(of beacon: BeaconIndex) -> [Message] {
    let whereabouts = teller.whereabouts.all(
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
    names.intersection(teller.telemetry.known.lazy.map { roster.name(of: $0) })
  }

  /// Receivers that should be present.
  package var expectedReceivers: [ReceiverIndex: ReceiverExpectation] {
    let names = Set(configuration.receiverNames)
    let configured = receivers.indices.filter { names.contains(receivers.name(of: $0)) }
    return Dictionary(
      sight.receivers(.unproven).map { ($0, .earlier) } + configured.map { ($0, .configured) },
      uniquingKeysWith: { $1 })
  }

  /// Reports about phones' apps that were refused.
  package var refusedReports: UInt64 { phones.refusedReports }

  /// Reports of what phones' apps noticed that were refused.
  package var refusedSightings: UInt64 { phones.refusedSightings }

  /// Frames whose readings were refused.
  package var refusedReadings: HealthMessage.RefusedReadings { roster.sealed.counts }

  /// Advertisements from private addresses that were not resolved yet, because too many unknown senders came at once.
  package var postponedAddresses: UInt64 { roster.postponed }

  /// Notices for the user, each once.
  package mutating func takeNotices() -> [String] {
    var notices = roster.takeNotices()
    if toldUnplaced < unplaced.count {
      notices += unplaced[toldUnplaced...]
      toldUnplaced = unplaced.count
    }
    notices += teller.takeNotices(refusedMembers: refusedMembers)
    for hold in engine.takeHeld() {
      let words = teller.words(on: hold, of: roster.name(of: hold.beacon), in: name(of: hold.zone))
      if let words { notices.append(words) }
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
  package var beaconCount: Int { roster.trackedCount }

  /// Enters and nears that were delayed because they came too often.
  package var heldTransitions: UInt64 { engine.heldTransitions }

  /// Events that were dropped, because there were too many.
  package var refusedEvents: UInt64 { teller.packets.refused }

  /// Sightings that did not count for rooms; nil: there are no rooms.
  package var droppedForRooms: UInt64? { rooms?.droppedSightings }

  /// Advertisements of members of regions that were refused.
  package var refusedMembers: UInt64 { roster.refused }

  func state(of beacon: BeaconIndex) -> BeaconStateMessage? {
    guard let readings = teller.telemetry.readings(of: beacon), let last = engine.lastSighting(of: beacon)
    else {
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
  fileprivate var receiverNames: [String] {
    receivers.map(\.name) + zones.flatMap { $0.receivers ?? [] } + rooms.flatMap(\.receivers)
  }

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

/// The whole state, exactly, between two calls. A new pipeline of the same configuration and limits that reads it
/// produces the same octets for every further input.
///
/// The dashboard's history and the observations for other gateways are not included.
extension Pipeline: StateFields {
  package mutating func fields(_ coder: inout StateCoder) throws(StateError) {
    assert(scratch.transitions.isEmpty && scratch.roomTransitions.isEmpty)
    try coder(same: "configuration", configuration.fingerprint(limits))
    let named = receivers.names
    try coder("receivers", &receivers)
    // The receivers that the configuration names come first.
    try coder.check(receivers.names.starts(with: named))
    coder.bounds = StateCoder.Bounds()
    coder.bounds.receivers = receivers.names.count
    coder.bounds.zones = configuration.zones.count
    coder.bounds.rooms = configuration.rooms.count
    try coder("time", &time)
    try coder("counts", &counts)
    try coder("sight", &sight)
    if coder.isReading { showSight(at: time) }
    try coder("roster", &roster)
    try coder("engine", &engine)
    try coder("teller", &teller)
    if rooms != nil { try coder("rooms", &rooms!) }
    try phones.fields(&coder, roster: roster, at: time)
  }
}

extension Pipeline.Counts: StateFields {
  package mutating func fields(_ coder: inout StateCoder) throws(StateError) {
    try coder(tally: "advertisements", &advertisements)
    try coder(tally: "sightings", &sightings)
    try coder(tally: "transitions", &transitions)
    try coder(tally: "retired", &retired)
  }
}
