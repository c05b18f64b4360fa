import Beacons

/// Decides which beacon is in which zone. A function of its input and of the time passed in: it asks no clock.
///
/// Time: what is earlier than the latest time seen is taken to happen at that one. A jump forward lets every deadline
/// in between happen at its own time. Wall times of transitions follow the newest sighting of the beacon concerned.
///
/// Signal: RSSI outside the −127…+20 dBm of the Core Specification proves presence only, as does none.
public struct ZoneEngine: Sendable {
  /// A beacon is followed by at most so many receivers at a time; more are ignored until one falls silent.
  public static let receiversPerBeacon = 64
  /// From so many receivers on, one that fell silent gives its place up to a new one.
  static let receiversKept = 16

  var zones: [Rules]
  var zoneReceivers: [Set<ReceiverIndex>?]
  var blindZones: [Bool]
  /// By zone: who is inside, with its place in `presences`.
  var insiders: [[BeaconIndex: Int32]]
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
  var queue = DeadlineQueue()
  var now = MonotonicTime(nanoseconds: .min)

  public init(site: Site) {
    self.site = site
    zones = site.zones.map { Rules($0) }
    zoneReceivers = site.zones.map(\.receivers)
    blindZones = site.zones.map { _ in false }
    insiders = site.zones.map { _ in [:] }
    let positions = site.receivers.values.count { $0.position != nil }
    isLocating = positions >= Int(Locator.quorum)
  }

  /// Takes up a newly tracked beacon; a second time changes nothing.
  ///
  /// `zones`: those it takes part in; others are none. `measuredPower`: RSSI at 1 m in dBm from the configuration; it
  /// overrides what frames say. Sightings of a beacon never admitted are ignored. Beacon indices are dense: the
  /// memory used is that of the largest one.
  public mutating func admit(_ beacon: BeaconIndex, zones: [ZoneIndex], measuredPower: Double? = nil) {
    let index = Int(beacon.rawValue)
    guard index >= 0 else { return }
    while beacons.count <= index {
      beacons.append(Tracked())
      admitted.append([])
      if isLocating { locators.append(Locator()) }
    }
    guard !beacons[index].isAdmitted else { return }
    beacons[index].isAdmitted = true
    beacons[index].measuredPower = measuredPower.map { Float($0) }
    let count = self.zones.count
    admitted[index] = zones.allSatisfy { $0.isBelow(count) } ? zones : zones.filter { $0.isBelow(count) }
  }

  /// Takes in a sighting. Deadlines up to its time (inclusive) happen first, in order.
  public mutating func observe(_ sighting: Sighting, into transitions: inout [Transition]) {
    let beacon = Int(sighting.beacon.rawValue)
    guard beacons.indices.contains(beacon), beacons[beacon].isAdmitted else { return }
    advance(to: sighting.time, into: &transitions)
    let time = now
    beacons[beacon].wallOffset =
      sighting.wallTime - WallTime(nanoseconds: sighting.time.nanoseconds)
    if !isKnown(sighting.receiver) { meet(sighting.receiver, into: &transitions) }
    guard let index = link(of: beacon, at: sighting.receiver, power: sighting.measuredPower, time: time)
    else { return }

    let rssi = sighting.rssi.flatMap { (-127...20).contains($0) ? $0 : nil }
    let isReturning = !links[Int(index)].link.isCurrent
    let power = receivers[Int(sighting.receiver.rawValue)].power(
      frame: sighting.measuredPower, configured: beacons[beacon].measuredPower)
    links[Int(index)].link.power = power
    let isNews = links[Int(index)].link.hear(rssi: rssi, at: time)
    if isLocating, isReturning { joinLocator(index, rssi: rssi, time: time) }
    if isNews, let rssi { range(index, rssi: rssi, time: time) }
    watchSilence(of: index)

    var member = links[Int(index)].firstMember
    while member >= 0 {
      let presence = members[Int(member)].presence
      member = members[Int(member)].nextOfLink
      let zone = Int(presences[Int(presence)].presence.zone.rawValue)
      let lost = zones[zone].lost.map { time + $0 }
      presences[Int(presence)].hear(by: index, at: sighting.receiver, time: time, lostDeadline: lost)
      weigh(presence, at: time)
      settle(presence, at: time, into: &transitions)
    }
  }

  /// Lets every deadline up to `time` (inclusive) happen, in order.
  public mutating func advance(to time: MonotonicTime, into transitions: inout [Transition]) {
    while let (due, timer) = queue.popFirst(notAfter: time) {
      now = max(now, due)
      if timer.isPresence {
        settle(Int32(timer.index), at: now, into: &transitions)
      } else {
        links[timer.index].isQueued = false
        silence(Int32(timer.index), at: now, into: &transitions)
      }
    }
    now = max(now, time)
  }

  /// When `advance` next has something to do, at the earliest; nil: not before another sighting. It may prove too
  /// early: call `advance`, then ask again.
  public var nextDeadline: MonotonicTime? { queue.first }
}

/// A beacon's part of the engine's tables.
struct Tracked: Sendable {
  var isAdmitted = false
  var measuredPower: Float?
  /// Wall time less monotonic time at the newest sighting.
  var wallOffset = TimeSpan.zero
  var firstLink: Int32 = -1
  var linkCount: Int32 = 0
  var firstPresence: Int32 = -1
}

struct LinkSlot: Sendable {
  var link: Link
  let beacon: Int32
  var nextOfBeacon: Int32
  var firstMember: Int32 = -1
  /// Whether its timer runs, and when that comes up: kept here too, to leave the queue alone at most sightings.
  var isQueued = false
  var queuedFor = MonotonicTime.zero
}

struct PresenceSlot: Sendable {
  var presence: Presence
  let beacon: Int32
  var nextOfBeacon: Int32
  var firstMember: Int32 = -1
  /// Where the beacon was last heard; the link is −1 once it made room for another.
  var lastLink: Int32 = -1
  var lastReceiver: ReceiverIndex

  /// Takes in that one of the zone's receivers heard the beacon.
  @inline(__always) mutating func hear(
    by link: Int32, at receiver: ReceiverIndex, time: MonotonicTime, lostDeadline: MonotonicTime?
  ) {
    lastLink = link
    lastReceiver = receiver
    presence.silentSince = time
    presence.lostDeadline = lostDeadline
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
