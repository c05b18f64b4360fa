import Beacons

/// Decides which beacon is in which zone. It depends only on its input and on the time passed in; it reads no clock.
///
/// ```swift
/// let door = Zone(
///   receivers: nil, near: nil, enter: Rule(threshold: .distance(6), dwell: .seconds(1)),
///   exit: Rule(threshold: .distance(9), dwell: .seconds(2)), lost: .auto)
/// var engine = ZoneEngine(site: Site(zones: [door]))
/// engine.admit(van, zones: [ZoneIndex(rawValue: 0)])
/// var transitions: [Transition] = []
/// engine.observe(sighting, into: &transitions)  // for each sighting
/// engine.advance(to: now, into: &transitions)   // whenever `nextDeadline` has passed
/// ```
///
/// Time: an input earlier than the latest time seen counts as happening at that time. After a jump forward every deadline
/// in between happens at its own time. A deadline at or beyond the last time that a clock can show never happens. Wall times
/// of transitions follow the newest sighting of the beacon concerned.
///
/// Signal: a missing RSSI, or one outside the −127…+20 dBm of the Core Specification, proves presence only.
public struct ZoneEngine: Sendable {
  /// How many receivers follow a beacon at most. Further ones are ignored until one falls silent.
  public static let receiversPerBeacon = 64
  /// With this many receivers, one that fell silent gives way to a new one.
  static let receiversKept = 16

  var zones: [ZoneRules]
  var zoneReceivers: [Set<ReceiverIndex>?]
  var blindZones: [Bool]
  /// By zone: who is inside, with the index in `presences`.
  var insiders: [[BeaconIndex: Int32]]
  /// Zones in which somebody is no longer near but still inside; read with `takeRearmed`.
  var rearmedZones: Set<ZoneIndex> = []
  /// Beacons that a receiver hears no more; read with `takeSilenced`.
  var silenced: Set<BeaconIndex> = []
  var site: Site
  var receivers: [Receiver] = []
  /// How many receivers have reported so far.
  public internal(set) var knownReceivers = 0
  var blindReceivers = 0

  var beacons: [Tracked] = []
  /// By beacon, as `beacons`: the zones that include it.
  var admitted: [[ZoneIndex]] = []
  /// By beacon; empty if the site has too few known positions.
  var locators: [Locator] = []
  let isLocating: Bool
  /// Whether anything is remembered of what each receiver hears of each beacon.
  public let keepsLinks: Bool
  /// nil: locators do without; see `PlaceBeliefs`.
  var places: PlaceBeliefs?
  /// Whether any zone is made of rooms.
  public let hasRoomZones: Bool
  var roomSight = RoomSight()
  /// What the rooms said last of each beacon; empty without zones of rooms.
  var decisions: [BeaconIndex: RoomDecision] = [:]

  var links: [LinkSlot] = []
  var presences: [PresenceSlot] = []
  var members: [Member] = []
  var freeMember: Int32 = -1
  /// Free rows of retired beacons, chained by `nextOfBeacon`.
  var freeLink: Int32 = -1
  var freePresence: Int32 = -1
  var queue = DeadlineQueue()
  /// The pace of beacons that anybody can invent.
  var crowd: RateLimit
  /// How many enters and nears had to wait.
  public internal(set) var heldTransitions: UInt64 = 0
  var held: [HeldTransition] = []
  var now = MonotonicTime(nanoseconds: .min)

  /// - Parameters:
  ///   - crowd: limits enter and near of all beacons together that anybody can invent.
  ///   - keepsLinks: whether to remember what each receiver hears of each beacon, 200 octets a pair. Zones of distances and
  ///     signals need it, and `estimate` and `silence`; zones made of rooms do not.
  public init(site: Site, crowd: RateLimit = AdmissionLimits().transitions, keepsLinks: Bool = true) {
    self.crowd = crowd
    self.keepsLinks = keepsLinks
    self.site = site
    zones = site.zones.map { ZoneRules($0) }
    zoneReceivers = site.zones.map(\.receivers)
    blindZones = site.zones.map { _ in false }
    insiders = site.zones.map { _ in [:] }
    hasRoomZones = site.zones.contains { $0.rooms != nil }
    let positions = site.receivers.values.count { $0.position != nil }
    isLocating = keepsLinks && positions >= Int(Locator.quorum)
    guard keepsLinks else { return }
    places = PlaceBeliefs(site) { receiver, configured in
      Receiver(site.receivers[receiver] ?? site.calibration)
        .power(frame: nil, configured: configured.map { Float($0) })
    }
  }

  /// Starts tracking a beacon. A second call can only add zones.
  ///
  /// - Parameters:
  ///   - zones: the zones that include it; unknown ones are ignored.
  ///   - measuredPower: RSSI at 1 m in dBm from the configuration; it overrides the frames' value.
  ///   - isInventable: anybody can make up a beacon like it.
  ///   - isNewcomer: it was heard for the first time; its first enter and near never wait behind a crowd. The caller
  ///     limits the number of newcomers.
  ///
  /// Sightings of a beacon that was never admitted are ignored. Use dense beacon indices: memory grows with the largest one.
  public mutating func admit(
    _ beacon: BeaconIndex, zones: [ZoneIndex], measuredPower: Double? = nil, isInventable: Bool = false,
    isNewcomer: Bool = false
  ) {
    let index = Int(beacon.rawValue)
    guard index >= 0 else { return }
    while beacons.count <= index {
      beacons.append(Tracked())
      admitted.append([])
      if isLocating { locators.append(Locator()) }
    }
    let known = self.zones.indices
    let isKnown = { (zone: ZoneIndex) in known.contains(Int(zone.rawValue)) }
    let zones = zones.allSatisfy(isKnown) ? zones : zones.filter(isKnown)
    if beacons[index].isAdmitted { return join(zones, index) }
    beacons[index].isAdmitted = true
    beacons[index].isInventable = isInventable
    beacons[index].freeTurns = isNewcomer ? TransitionPace.newcomersTurns : 0
    beacons[index].measuredPower = measuredPower.map { Float($0) }
    admitted[index] = zones
  }

  /// Processes a sighting. Deadlines up to its time (inclusive) are processed first, in order, even if the beacon is unknown.
  public mutating func observe(_ sighting: Sighting, into transitions: inout [Transition]) {
    let beacon = Int(sighting.beacon.rawValue)
    advance(to: sighting.time, into: &transitions)
    guard beacons.indices.contains(beacon), beacons[beacon].isAdmitted else { return }
    beacons[beacon].note(sighting)
    if !isKnown(sighting.receiver) { meet(sighting.receiver, into: &transitions) }
    guard let link = link(of: beacon, at: sighting.receiver, time: now) else { return }
    hear(sighting, by: link, into: &transitions)
  }

  /// Processes every deadline up to `time` (inclusive), in order.
  public mutating func advance(to time: MonotonicTime, into transitions: inout [Transition]) {
    if queue.isDue(at: time) { happen(until: time, into: &transitions) }
    // The very last time stands for "never".
    now = max(now, min(time, MonotonicTime(nanoseconds: .max - 1)))
  }

  private mutating func happen(until time: MonotonicTime, into transitions: inout [Transition]) {
    while let (due, timer) = queue.popFirst(notAfter: time) {
      now = max(now, due)
      if timer.isPresence {
        presences[timer.index].queuedFor = Presence.never
        settle(Int32(timer.index), at: now, into: &transitions)
      } else {
        links[timer.index].queuedFor = Presence.never
        silence(Int32(timer.index), at: now, into: &transitions)
      }
    }
  }

  /// When to call `advance` next; nil: not before another sighting. The time may turn out too early:
  /// call `advance`, then ask again.
  public var nextDeadline: MonotonicTime? { queue.first }
}

/// A beacon's row in the engine's tables. With the fields in this order it takes 40 bytes.
struct Tracked: Sendable {
  var measuredPower: Float?
  var isAdmitted = false
  var isInventable = false
  /// How many more transitions need not wait behind a crowd.
  var freeTurns: UInt8 = 0
  var linkCount: UInt8 = 0
  /// The receiver of the newest sighting.
  var lastReceiver = ReceiverIndex(rawValue: 0)
  /// Wall time minus monotonic time at the newest sighting.
  var wallOffset = TimeSpan.zero
  /// The earliest time until the first sighting.
  var lastHeard = MonotonicTime(nanoseconds: .min)
  var firstLink: Int32 = -1
  var firstPresence: Int32 = -1

  @inline(__always) mutating func note(_ sighting: Sighting) {
    lastReceiver = sighting.receiver
    wallOffset = sighting.wallTime - WallTime(nanoseconds: sighting.time.nanoseconds)
    lastHeard = sighting.time
  }
}

struct LinkSlot: Sendable {
  var link: Link
  var beacon: Int32
  var nextOfBeacon: Int32
  var firstMember: Int32 = -1
  /// When its timer fires, or `Presence.never`. A copy of the queue's value, so that most sightings need not touch the queue.
  var queuedFor = Presence.never

  /// Notes that the receiver heard the beacon.
  ///
  /// - Returns: what changed, and a new time for its timer if that is earlier than the present one.
  @inline(__always) mutating func hear(
    rssi: Int8?, power: Float, decadesPerDecibel: Float, at time: MonotonicTime
  ) -> (news: Link.News, timer: MonotonicTime?) {
    let news = link.hear(rssi: rssi, power: power, decadesPerDecibel: decadesPerDecibel, at: time)
    let deadline = link.silenceDeadline
    guard deadline < queuedFor else { return (news, nil) }
    queuedFor = deadline
    return (news, deadline)
  }
}

struct PresenceSlot: Sendable {
  var presence: Presence
  var beacon: Int32
  var nextOfBeacon: Int32
  var firstMember: Int32 = -1
  /// Where the beacon was last heard; the link is −1 once it was replaced by another.
  var lastLink: Int32 = -1
  var lastReceiver: ReceiverIndex
  /// As for a link.
  var queuedFor = Presence.never

  /// Notes that one of the zone's receivers heard the beacon, and where the beacon stands now; nil: unknown.
  ///
  /// - Returns: when something is due, if nothing is heard until then; or `Presence.never`.
  @inline(__always) mutating func hear(
    by link: Int32, at receiver: ReceiverIndex, standing: Standing?, time: MonotonicTime, lost: TimeSpan?,
    dwells: Dwells, isBlind: Bool
  ) -> MonotonicTime {
    lastLink = link
    lastReceiver = receiver
    presence.silentSince = time
    presence.lostDeadline = lost.map { time + $0 } ?? Presence.never
    if let standing { presence.stand(standing, at: time) }
    return presence.deadline(dwells: dwells, isBlind: isBlind)
  }
}

/// Connects a link with a presence it counts for; chained from both.
struct Member: Sendable {
  var link: Int32
  var presence: Int32
  var nextOfLink: Int32
  var nextOfPresence: Int32
}
