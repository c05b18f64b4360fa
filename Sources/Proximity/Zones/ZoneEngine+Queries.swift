import Beacons

extension ZoneEngine {
  /// Whether `takeRearmed` or `takeSilenced` has anything to return.
  public var hasNews: Bool { hasRearmed || hasSilenced }
  public var hasRearmed: Bool { !rearmedZones.isEmpty }
  public var hasSilenced: Bool { !silenced.isEmpty }

  /// Beacons that a receiver stopped hearing since the last call: they may be nearest to another one now, or have no distance.
  public mutating func takeSilenced() -> [BeaconIndex] {
    defer { silenced.removeAll(keepingCapacity: true) }
    return silenced.sorted { $0.rawValue < $1.rawValue }
  }

  /// Appends the zones in which somebody moved beyond `rearm` without leaving since the last call. Who is near changed
  /// there, and no transition says so.
  public mutating func takeRearmed(into zones: inout [ZoneIndex]) {
    zones += rearmedZones.sorted()
    rearmedZones.removeAll(keepingCapacity: true)
  }

  /// The estimate of a beacon at one receiver or, if nil, at the receiver it is nearest to, without what luck did to make
  /// that one seem nearest. nil if no receiver hears it any more, or none with a signal.
  public func estimate(of beacon: BeaconIndex, at receiver: ReceiverIndex? = nil) -> (
    receiver: ReceiverIndex, estimate: Estimate
  )? {
    guard let nearest = nearest(of: beacon, where: { receiver == nil || receiver == $0 }) else { return nil }
    let luck = receiver == nil ? luck(of: nearest, among: beacons[Int(beacon.rawValue)].firstLink) : 0
    guard let estimate = estimate(nearest.nearestLink, luck: luck) else { return nil }
    return (links[Int(nearest.nearestLink)].link.receiver, estimate)
  }

  /// By how many decades the nearest of a beacon's receivers seems nearer than it is; see `Rivals`.
  private func luck(of nearest: Nearest, among first: Int32) -> Double {
    let link = links[Int(nearest.nearestLink)].link
    if link.isLocated { return 0 }
    let calibration = receivers[Int(link.receiver.rawValue)].calibration
    var rivals = Rivals(
      nearest: link.logDistance, decibels: calibration.deviation, exponent: calibration.exponent)
    var index = first
    while index >= 0 {
      let link = links[Int(index)].link
      if link.isCurrent, link.filter.hasLevel { rivals.add(link.logDistance) }
      index = links[Int(index)].nextOfBeacon
    }
    return rivals.luck
  }

  /// The estimate at the zone's receiver that the beacon is nearest to. nil if none of them hears it any more, or none
  /// with a signal.
  public func estimate(of beacon: BeaconIndex, in zone: ZoneIndex) -> Estimate? {
    guard zones.indices.contains(Int(zone.rawValue)) else { return nil }
    return nearest(of: beacon, where: { counts($0, in: zone) }).flatMap { estimate($0.nearestLink) }
  }

  /// nil if none of these receivers hears it any more, or none with a signal.
  private func nearest(of beacon: BeaconIndex, where isMeant: (ReceiverIndex) -> Bool) -> Nearest? {
    guard beacons.indices.contains(Int(beacon.rawValue)) else { return nil }
    var nearest = Nearest()
    var index = beacons[Int(beacon.rawValue)].firstLink
    while index >= 0 {
      let slot = links[Int(index)]
      if slot.link.isCurrent, isMeant(slot.link.receiver) { nearest.consider(index, in: links.span) }
      index = slot.nextOfBeacon
    }
    return nearest.isKnown ? nearest : nil
  }

  /// When and where a beacon was last heard, as in the sighting, except for wall times that are centuries off the monotonic
  /// ones. nil if it was never heard, or at the earliest possible time.
  public func lastSighting(of beacon: BeaconIndex) -> LastSighting? {
    guard beacons.indices.contains(Int(beacon.rawValue)) else { return nil }
    let tracked = beacons[Int(beacon.rawValue)]
    guard tracked.lastHeard > MonotonicTime(nanoseconds: .min) else { return nil }
    return LastSighting(
      time: tracked.lastHeard,
      wallTime: WallTime(nanoseconds: tracked.lastHeard.nanoseconds) + tracked.wallOffset,
      receiver: tracked.lastReceiver)
  }

  /// Since when a beacon has been silent, and when that silence means loss by the beacon's own interval if it stays silent:
  /// the latest over the zone's receivers, or over all receivers if nil. nil if none of them ever heard it.
  public func silence(of beacon: BeaconIndex, in zone: ZoneIndex?) -> (
    since: MonotonicTime, loss: MonotonicTime
  )? {
    guard beacons.indices.contains(Int(beacon.rawValue)) else { return nil }
    var latest: (since: MonotonicTime, loss: MonotonicTime)?
    var index = beacons[Int(beacon.rawValue)].firstLink
    while index >= 0 {
      let link = links[Int(index)].link
      index = links[Int(index)].nextOfBeacon
      if let zone, !zones.indices.contains(Int(zone.rawValue)) || !counts(link.receiver, in: zone) {
        continue
      }
      latest = (
        max(latest?.since ?? link.silentSince, link.silentSince),
        max(latest?.loss ?? link.silenceDeadline, link.silenceDeadline)
      )
    }
    return latest
  }

  /// Whether all receivers are blind.
  public var isBlind: Bool { knownReceivers > 0 && blindReceivers == knownReceivers }

  /// Who is in a zone, by beacon, ascending. `unknown` if all its receivers are blind or none has
  /// reported yet.
  public func occupancy(of zone: ZoneIndex) -> Occupancy {
    guard insiders.indices.contains(Int(zone.rawValue)) else { return Occupancy(state: .empty, members: []) }
    let inside = insiders[Int(zone.rawValue)].sorted { $0.key.rawValue < $1.key.rawValue }
    let members = inside.map { beacon, index in
      let presence = presences[Int(index)].presence
      return Occupancy.Member(beacon: beacon, since: presence.since, isNear: !presence.isArmed)
    }
    if isBlind(zone) || !isWatched(zone) { return Occupancy(state: .unknown, members: members) }
    return Occupancy(state: members.isEmpty ? .empty : .occupied, members: members)
  }

  /// Whether a beacon was admitted and not retired since.
  public func isAdmitted(_ beacon: BeaconIndex) -> Bool {
    let index = Int(beacon.rawValue)
    return beacons.indices.contains(index) && beacons[index].isAdmitted
  }

  /// The receivers that decide in a zone; nil: all.
  public func receivers(of zone: ZoneIndex) -> Set<ReceiverIndex>? {
    zoneReceivers.indices.contains(Int(zone.rawValue)) ? zoneReceivers[Int(zone.rawValue)] : []
  }

  /// How many beacons are in a zone.
  public func memberCount(of zone: ZoneIndex) -> Int {
    insiders.indices.contains(Int(zone.rawValue)) ? insiders[Int(zone.rawValue)].count : 0
  }

  /// The zones a beacon is in, ascending.
  public func zones(of beacon: BeaconIndex) -> [ZoneIndex] {
    guard beacons.indices.contains(Int(beacon.rawValue)) else { return [] }
    var inside: [ZoneIndex] = []
    var index = beacons[Int(beacon.rawValue)].firstPresence
    while index >= 0 {
      let slot = presences[Int(index)]
      if slot.presence.isInside { inside.append(slot.presence.zone) }
      index = slot.nextOfBeacon
    }
    if inside.count > 1 { inside.sort() }
    return inside
  }

  func estimate(_ link: Int32, luck: Double = 0) -> Estimate? {
    let slot = links[Int(link)]
    let receiver = Int(slot.link.receiver.rawValue)
    let calibration = receivers[receiver].calibration
    var deviation: Double?
    if slot.link.isLocated, let position = calibration.position {
      deviation =
        places?.deviation(of: Int(slot.beacon), to: receiver)
        ?? locators[Int(slot.beacon)].deviation(to: position)
    }
    return slot.link.estimate(calibration: calibration, located: deviation, luck: luck)
  }
}

/// Who is in a zone.
public struct Occupancy: Hashable, Sendable {
  public enum State: String, Hashable, Sendable {
    case occupied, empty
    /// Every receiver of the zone is blind, or none has reported yet. `members` are those that were inside when the
    /// last receiver went blind.
    case unknown
  }

  public struct Member: Hashable, Sendable {
    public var beacon: BeaconIndex
    /// When it entered.
    public var since: WallTime
    /// Whether near fired in this approach and is not re-armed yet.
    public var isNear: Bool
  }

  public var state: State
  /// By beacon, ascending.
  public var members: [Member]
}
