import Beacons
import Core

/// The state of one beacon: its links and its standing in zones. Another engine can continue from it, after a restart or under
/// another configuration.
public struct BeaconState: StateElement, Sendable {
  var record: BeaconRecord

  init(record: BeaconRecord) { self.record = record }
  public init() { record = BeaconRecord() }

  public mutating func fields(_ coder: inout StateCoder) throws(StateError) {
    try record.fieldsOfHearing(&coder)
  }

  /// nil: never sighted.
  public var lastSighting: LastSighting? { record.lastSighting }
  /// The zones that the beacon is in.
  public var occupiedZones: [ZoneIndex] { record.stays.filter(\.isInside).map(\.zone) }
  /// Whether the beacon is in a zone.
  public var isInside: Bool { record.stays.contains(where: \.isInside) }
  /// The receivers that heard it, except those that were replaced.
  public var receivers: Set<ReceiverIndex> {
    Set(record.links.map(\.receiver) + [lastSighting].compactMap { $0?.receiver })
  }
}

extension ZoneEngine {
  /// The state of a beacon; nil if it is not admitted.
  public func state(of beacon: BeaconIndex) -> BeaconState? {
    admitted(beacon).map { BeaconState(record: beacons[$0]) }
  }

  /// Restores the state of a beacon that was admitted and not yet sighted. Emits nothing. Overdue transitions happen at the next
  /// `advance`.
  ///
  /// - Parameters:
  ///   - sightSince: when reception resumed. No beacon is declared away before a full interval from then. nil: reception never
  ///     stopped, as when another worker takes over.
  ///   - changed: zones whose rules changed since the state was saved. Their members stay until the new rules, counted from now on,
  ///     say otherwise.
  ///   - regained: changed zones that are no longer blind because their receivers changed.
  public mutating func restore(
    _ state: BeaconState, of beacon: BeaconIndex, sightSince: MonotonicTime? = nil,
    changed: Set<ZoneIndex> = [], regained: Set<ZoneIndex> = []
  ) {
    guard let index = admitted(beacon), beacons[index].links.isEmpty else { return }
    let known = state.record
    beacons[index].wallOffset = known.wallOffset
    beacons[index].lastHeard = known.lastHeard
    beacons[index].lastReceiver = known.lastReceiver
    if rules.isLocating { beacons[index].locator = known.locator }
    if let sightSince { places?.begin(index, at: sightSince) }
    for var link in known.links where keepsLinks {
      register(link.receiver)
      if let sightSince { link.silentSince = max(link.silentSince, sightSince) }
      _ = beacons[index].add(link, rules)
    }
    beacons[index].countReceivers(rules)
    for stay in known.stays where beacons[index].zones.contains(stay.zone) {
      restore(
        stay, of: index, sightSince: regained.contains(stay.zone) ? now : sightSince,
        isChanged: changed.contains(stay.zone))
    }
    watch(index)
  }

  /// Copies a beacon's place belief from an earlier engine with the same map.
  public mutating func restorePlace(of known: BeaconIndex, _ earlier: ZoneEngine, as beacon: BeaconIndex) {
    guard let belief = earlier.places?.belief(of: Int(known.rawValue)) else { return }
    places?.restore(belief, of: Int(beacon.rawValue))
  }

  private mutating func restore(
    _ saved: Stay, of beacon: Int, sightSince: MonotonicTime?, isChanged: Bool
  ) {
    let index = beacons[beacon].makeStay(in: saved.zone, at: saved.lastReceiver, time: saved.silentSince)
    let zone = Int(saved.zone.rawValue)
    var stay = saved
    // The links may differ from the saved ones.
    stay.links = beacons[beacon].stays[index].links
    let links = beacons[beacon].links.indices.filter { stay.isOf($0) }
    let newest =
      links.first { beacons[beacon].links[$0].receiver == saved.lastReceiver }
      ?? links.max { beacons[beacon].links[$0].lastHeard < beacons[beacon].links[$1].lastHeard }
    stay.lastLink = Int8(newest ?? -1)
    if let newest { stay.lastReceiver = beacons[beacon].links[newest].receiver }
    if isChanged {
      // The zone may have had other receivers, which heard the beacon earlier.
      for link in links { stay.silentSince = max(stay.silentSince, beacons[beacon].links[link].lastHeard) }
    }
    if rules.zones[zone].near == nil {
      // Without a near rule no beacon is near.
      stay.nearSince = Stay.never
      stay.isArmed = true
    }
    beacons[beacon].stays[index] = stay
    if isChanged { judgeAnew(beacon, index) }
    // The rooms decide later.
    if isOfRooms(stay) {
      if sightSince != nil { beacons[beacon].stays[index].interrupt() }
      beacons[beacon].stays[index].lostDeadline = Stay.never
    } else if let sightSince, sightSince > saved.silentSince {
      beacons[beacon].stays[index].interrupt()
      beacons[beacon].stays[index].lostDeadline = Stay.never
      regainSight(beacon, index, since: sightSince)
    }
    if stay.isInside { insiders[zone].insert(BeaconIndex(rawValue: Int32(beacon))) }
  }

  /// Restarts all dwell times after a change of a zone's rules.
  private mutating func judgeAnew(_ beacon: Int, _ index: Int) {
    let stay = beacons[beacon].stays[index]
    let zone = Int(stay.zone.rawValue)
    beacons[beacon].stays[index].interrupt()
    beacons[beacon].stays[index].lostDeadline = Stay.never
    if rules.zones[zone].isBlind || isOfRooms(stay) { return }
    let isHeard = beacons[beacon].isHeard(in: index)
    if isHeard, let standing = standing(of: beacon, index, at: now) {
      beacons[beacon].stays[index].stand(standing, at: now)
    }
    // Also set outside the zone: under the new rules the beacon may enter without another sighting.
    if let lost = rules.zones[zone].lost {
      beacons[beacon].stays[index].lostDeadline = stay.silentSince + lost
    } else if !isHeard {
      beacons[beacon].stays[index].lostDeadline = beacons[beacon].patienceEnds(in: index)
    }
  }
}
