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
  /// Buffer for the rooms' decisions.
  var roomTransitions: [RoomTransition] = []
  var phones: Phones
  /// Collects observations for other gateways; nil: off.
  var tap: ObservationTap?
  /// The history for the dashboard; nil: off.
  package internal(set) var history: SightingHistory?
  /// Near triggers that the phones have not processed yet, in order of time.
  var nears: [TransitionMessage] = []
  /// Which receivers can hear. Zones and rooms are shown it.
  package internal(set) var sight = ReceiverSight()
  /// The latest time in the input.
  var time = MonotonicTime(nanoseconds: .min)
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
    self.receivers = receivers
    for name in configuration.receiverNames { _ = self.receivers.index(of: name) }
    topics = Topics(gateway: configuration.gatewayName)
    engine = ZoneEngine(
      site: configuration.site(receivers: &self.receivers), crowd: limits.transitions,
      keepsLinks: !isLean || configuration.needsDistances)
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
      output.items.append(.state(.occupancy(occupancy(ofPlace: place))))
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
    history?.note(receiver, isBlind: isBlind, at: time)
    let before = views
    see([receiver], isBlind ? .blind : .sees, at: time, into: &output)
    tellViews(since: before, into: &output)
  }

  /// An advertisement proves that a receiver can hear.
  mutating func prove(_ receiver: ReceiverIndex, at time: MonotonicTime, into output: inout Output) {
    let before = views
    see([receiver], .sees, at: time, into: &output)
    tellViews(since: before, into: &output)
  }

  /// The process did not run in this span. Nothing is known about it, so no beacon left in it, even if data from it
  /// is read later. All receivers count as blind for the span.
  public mutating func pause(from start: MonotonicTime, to end: MonotonicTime, into output: inout Output) {
    advance(to: start, into: &output)
    let (seeing, before) = (sight.receivers(.sees), views)
    for (state, time) in [(ReceiverSight.State.blind, start), (.sees, end)] {
      for receiver in seeing { history?.note(receiver, isBlind: state == .blind, at: time) }
      see(seeing, state, at: time, into: &output)
    }
    tellViews(since: before, into: &output)
  }

  private mutating func see(
    _ receivers: [ReceiverIndex], _ state: ReceiverSight.State, at time: MonotonicTime,
    into output: inout Output
  ) {
    self.time = max(self.time, time)
    for receiver in receivers { sight[receiver] = state }
    showSight(at: time)
    tell(into: &output)
    if !phones.isEmpty { sightOfPhonesChanged(at: time, into: &output) }
  }

  /// Publishes the state of places that are now seen or not seen any more.
  private mutating func tellViews(since before: [View], into output: inout Output) {
    for (place, view) in views.enumerated() where view != before[place] {
      output.items.append(.state(.occupancy(occupancy(ofPlace: place))))
    }
  }

  /// Shows sight to zones and rooms.
  mutating func showSight(at time: MonotonicTime) {
    engine.see(sight, at: time, into: &transitions)
    rooms?.see(sight, at: time)
    showRoomSight()
  }

  /// Shows zones of rooms which rooms are watched and which are blind.
  mutating func showRoomSight() {
    guard let rooms, engine.hasRoomZones else { return }
    let sight = RoomSight(
      isWatched: rooms.isWatched, blind: Set(roomIndices.lazy.filter { rooms.isBlind($0) }))
    engine.see(sight, at: time, into: &transitions)
  }

  private enum View { case unwatched, blind, seen }

  /// Whether each place can be seen.
  private var views: [View] {
    let zones = configuration.zones.indices.map { zone in
      let index = ZoneIndex(rawValue: Int32(zone))
      return engine.isBlind(index) ? View.blind : engine.isWatched(index) ? .seen : .unwatched
    }
    guard let rooms else { return zones }
    return zones + roomIndices.map { rooms.isBlind($0) ? .blind : rooms.isWatched ? .seen : .unwatched }
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
    let names = Set(configuration.receiverNames)
    let configured = receivers.indices.filter { names.contains(receivers.name(of: $0)) }
    return Dictionary(
      sight.receivers(.unproven).map { ($0, .earlier) } + configured.map { ($0, .configured) },
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
