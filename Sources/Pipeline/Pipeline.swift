import BeaconKeys
import Beacons
import Settings
import Messages
import Proximity

/// From advertisement to message: identity, estimate, zones, and their messages. A function of its input and the time that
/// comes with it: no clock, no I/O.
public struct Pipeline: Sendable {
  public let topics: Topics
  public internal(set) var receivers: ReceiverTable
  public internal(set) var counts = Counts()

  package internal(set) var configuration: Configuration
  /// For members of regions, as they were at first.
  let limits: AdmissionLimits
  /// Receivers that the configuration names.
  let configuredReceivers: Set<ReceiverIndex>
  /// Each zone's rules as text, the same in every run.
  let zoneDefinitions: [String]
  package var roster: Roster
  package var engine: ZoneEngine
  var telemetry: Telemetry
  var packets = PacketLedger()
  /// Members of regions.
  var unheard = LongestUnheard()
  /// Names of those that were retired, and that Home Assistant may know.
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
  /// Room for what rooms decide.
  var roomTransitions: [RoomTransition] = []
  var phones: Phones
  /// Collects observations for other gateways; nil: they are off.
  var tap: ObservationTap?
  /// The history for the dashboard; nil: it is off.
  package internal(set) var history: SightingHistory?
  /// Near triggers that the phones have not seen yet, in order of time.
  var nears: [TransitionMessage] = []
  var blind: Set<ReceiverIndex> = []
  /// Receivers of an earlier run that have not been heard from yet.
  var unproven: Set<ReceiverIndex> = []
  /// The latest time that came in.
  var time = MonotonicTime(nanoseconds: .min)
  /// Zones whose state is still unknown, because none of their receivers has reported.
  var unwatched: [ZoneIndex]
  var receiversKnown = 0
  /// By zone, then by room.
  var crowds: CrowdPace
  /// Who probably sent the next few advertisements.
  var likely: [BeaconIndex] = []
  /// Of the advertisement that is processed.
  var readings: [HeardReading] = []
  var transitions: [Transition] = []
  /// Room for what `report` collects.
  var changedZones: [ZoneIndex] = []
  var dueBeacons: [BeaconIndex] = []

  public struct Counts: Sendable {
    public var advertisements: UInt64 = 0
    public var sightings: UInt64 = 0
    public var transitions: UInt64 = 0
    /// Members of regions that made room for others.
    public var retired: UInt64 = 0
  }

  /// - Parameters:
  ///   - receivers: those that sources already know by index.
  ///   - limits: for members of regions.
  ///   - isLean: remembers what each receiver hears of each beacon only if zones, phones or room sensors by distance need it.
  ///     Otherwise the state of a beacon says nothing of its signal and distance.
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

  /// The index under which a source is to report a receiver; nil once there are too many.
  public mutating func receiver(_ name: String) -> ReceiverIndex? { receivers.index(of: name) }

  /// Processes deadlines up to `time`.
  public mutating func advance(to time: MonotonicTime, into output: inout Output) {
    tellHeldBack(notAfter: time, into: &output)
    step(to: time, into: &output)
  }

  /// Processes deadlines up to `time`, except for what is only told then.
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

  /// When `advance` next has something to do; nil: not before another advertisement.
  public var nextDeadline: MonotonicTime? {
    let never = MonotonicTime.distantFuture
    // Two at a time: `min` with more arguments than three makes an array of them on the heap, and every batch asks this.
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

  /// Every retained state, for a broker that may have lost them.
  public func allStates() -> [Message] {
    placeStates + telemetry.known.flatMap { allStates(of: $0) } + windowStates
  }

  /// Those of zones and rooms.
  package var placeStates: [Message] {
    configuration.zones.indices.map { occupancy(of: ZoneIndex(rawValue: Int32($0))).message(topics: topics) }
      + roomStates
  }

  /// Those of some beacons, by name.
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

  /// The names among these that belong to beacons with a state here.
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

  /// Advertisements from private addresses on which no key was tried yet: too many strangers came at once.
  package var postponedAddresses: UInt64 { roster.postponed }

  /// Notices for people, each once.
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

  /// Takes up the replay counters of an earlier run, by the beacon's key.
  package mutating func restore(counters: [String: UInt32]) { roster.sealed.restore(counters) }

  /// Replay counters to be kept for the next run that are worth a write now, by the beacon's key.
  package mutating func takeCounters(isLast: Bool = false) -> [String: UInt32] {
    guard roster.sealed.hasUnsavedCounters else { return [:] }
    let counters = roster.sealed.takeCounters(at: time, isLast: isLast)
    return Dictionary(counters.map { (roster.key(of: $0.beacon), $0.counter) }) { $1 }
  }

  /// Beacons tracked so far.
  public var beaconCount: Int { roster.trackedCount }

  /// Enters and nears that had to wait because they came too often.
  package var heldTransitions: UInt64 { engine.heldTransitions }

  /// Events that are not told, because there were too many.
  package var refusedEvents: UInt64 { packets.refused }

  /// Sightings that did not count for rooms; nil: no rooms.
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
  /// Whether anything is decided by how far a beacon is from a receiver.
  fileprivate var needsDistances: Bool {
    zones.contains { $0.rooms == nil } || !phones.isEmpty || homeAssistant.rooms != nil
  }
}

/// Why a receiver should be there.
package enum ReceiverExpectation: Sendable {
  /// The configuration names it.
  case configured
  /// An earlier run used it, and a beacon is in a zone because of it.
  case earlier
}
