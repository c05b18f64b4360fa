import Beacons

/// Decides which beacon is in which zone. A function of its input and of the time passed in: it asks no clock.
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
/// Time: what is earlier than the latest time seen is taken to happen at that one. A jump forward lets every deadline
/// in between happen at its own time; one at the very last time that a clock can tell, or beyond, never happens. Wall times
/// of transitions follow the newest sighting of the beacon concerned.
///
/// Signal: RSSI outside the −127…+20 dBm of the Core Specification proves presence only, as does none.
public struct ZoneEngine: Sendable {
  /// A beacon is followed by at most so many receivers at a time; more are ignored until one falls silent.
  public static let receiversPerBeacon = 64
  /// From so many receivers on, one that fell silent gives its place up to a new one.
  static let receiversKept = 16

  var zones: [ZoneRules]
  var zoneReceivers: [Set<ReceiverIndex>?]
  var blindZones: [Bool]
  /// By zone: who is inside, with its place in `presences`.
  var insiders: [[BeaconIndex: Int32]]
  /// Zones in which somebody is near no more, who stays inside; taken with `takeRearmed`.
  var rearmedZones: Set<ZoneIndex> = []
  var site: Site
  var receivers: [Receiver] = []
  /// Receivers heard of so far.
  public internal(set) var knownReceivers = 0
  var blindReceivers = 0

  var beacons: [Tracked] = []
  /// By beacon, as `beacons`: the zones it takes part in.
  var admitted: [[ZoneIndex]] = []
  /// By beacon; empty where the site knows too few positions.
  var locators: [Locator] = []
  let isLocating: Bool

  var links: [LinkSlot] = []
  var presences: [PresenceSlot] = []
  var members: [Member] = []
  var freeMember: Int32 = -1
  /// Rows of retired beacons, chained by `nextOfBeacon`.
  var freeLink: Int32 = -1
  var freePresence: Int32 = -1
  var queue = DeadlineQueue()
  /// The pace of beacons that anybody can invent.
  var crowd: RateLimit
  /// Enters and nears that had to wait.
  public internal(set) var heldTransitions: UInt64 = 0
  var held: [HeldTransition] = []
  var now = MonotonicTime(nanoseconds: .min)

  /// - Parameter crowd: enter and near of all beacons together that anybody can invent.
  public init(site: Site, crowd: RateLimit = AdmissionLimits().transitions) {
    self.crowd = crowd
    self.site = site
    zones = site.zones.map { ZoneRules($0) }
    zoneReceivers = site.zones.map(\.receivers)
    blindZones = site.zones.map { _ in false }
    insiders = site.zones.map { _ in [:] }
    let positions = site.receivers.values.count { $0.position != nil }
    isLocating = positions >= Int(Locator.quorum)
  }

  /// Takes up a newly tracked beacon; a second time it takes part in more zones at most.
  ///
  /// `zones`: those it takes part in; others are none. `measuredPower`: RSSI at 1 m in dBm from the configuration; it
  /// overrides what frames say. `isInventable`: anybody can make up one like it. `isNewcomer`: it was heard for the first
  /// time, and never waits behind a crowd for its first enter and near; the caller bounds the number of newcomers.
  /// Sightings of a beacon never admitted are ignored. Beacon indices are dense: the memory used is that of the largest one.
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
    let count = self.zones.count
    let zones = zones.allSatisfy { $0.isBelow(count) } ? zones : zones.filter { $0.isBelow(count) }
    if beacons[index].isAdmitted { return join(zones, index) }
    beacons[index].isAdmitted = true
    beacons[index].isInventable = isInventable
    beacons[index].freeTurns = isNewcomer ? TransitionPace.newcomersTurns : 0
    beacons[index].measuredPower = measuredPower.map { Float($0) }
    admitted[index] = zones
  }

  /// Takes in a sighting. Deadlines up to its time (inclusive) happen first, in order, even where it is of nobody known.
  public mutating func observe(_ sighting: Sighting, into transitions: inout [Transition]) {
    let beacon = Int(sighting.beacon.rawValue)
    advance(to: sighting.time, into: &transitions)
    guard beacons.indices.contains(beacon), beacons[beacon].isAdmitted else { return }
    beacons[beacon].note(sighting)
    if !isKnown(sighting.receiver) { meet(sighting.receiver, into: &transitions) }
    guard link(of: beacon, at: sighting.receiver, time: now) != nil else { return }
    hearAlone(sighting, into: &transitions)
  }

  /// Lets every deadline up to `time` (inclusive) happen, in order.
  public mutating func advance(to time: MonotonicTime, into transitions: inout [Transition]) {
    if queue.isDue(at: time) { happen(until: time, into: &transitions) }
    // The very last time there is stands for none.
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

  /// When `advance` next has something to do, at the earliest; nil: not before another sighting. It may prove too
  /// early: call `advance`, then ask again.
  public var nextDeadline: MonotonicTime? { queue.first }
}

/// A beacon's part of the engine's tables. In this order it takes 40 octets.
struct Tracked: Sendable {
  var measuredPower: Float?
  var isAdmitted = false
  var isInventable = false
  /// Transitions for which it does not wait behind a crowd.
  var freeTurns: UInt8 = 0
  var linkCount: UInt8 = 0
  /// Of the newest sighting.
  var lastReceiver = ReceiverIndex(rawValue: 0)
  /// Wall time less monotonic time at the newest sighting.
  var wallOffset = TimeSpan.zero
  /// The earliest time there is, before the first sighting.
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
  let beacon: Int32
  var nextOfBeacon: Int32
  var firstMember: Int32 = -1
  /// The presence that it counts for, where that is one and no other link ever counted for it; else −1. As most beacons have
  /// one zone and one receiver, their members are not asked for.
  var solePresence: Int32 = -1
  /// When its timer comes up, or `Presence.never`: kept here too, to leave the queue alone at most sightings.
  var queuedFor = Presence.never

  /// Takes in that the receiver heard the beacon. All in one, for each change of an element of an array has to find out
  /// first whether the array is shared.
  ///
  /// - Returns: what is new, and when its timer is to come up if that is sooner than it would.
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
  let beacon: Int32
  var nextOfBeacon: Int32
  var firstMember: Int32 = -1
  /// Where the beacon was last heard; the link is −1 once it made room for another.
  var lastLink: Int32 = -1
  var lastReceiver: ReceiverIndex
  /// As that of a link.
  var queuedFor = Presence.never

  /// Takes in that one of the zone's receivers heard the beacon, and where the beacon stands now; nil: nobody can tell.
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

/// That a link counts for a presence: chained from both.
struct Member: Sendable {
  var link: Int32
  var presence: Int32
  var nextOfLink: Int32
  var nextOfPresence: Int32
}

extension ZoneIndex {
  fileprivate func isBelow(_ count: Int) -> Bool { rawValue >= 0 && Int(rawValue) < count }
}
