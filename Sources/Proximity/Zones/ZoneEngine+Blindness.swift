import Beacons

/// Blind receivers. While all receivers of a zone are blind, no beacon leaves it.
extension ZoneEngine {
  /// Shows the engine which receivers can hear. Deadlines up to `time` (inclusive) are processed first.
  public mutating func see(
    _ sight: ReceiverSight, at time: MonotonicTime, into transitions: inout [Transition]
  ) {
    advance(to: time, into: &transitions)
    let regained = sight.regained(since: self.sight)
    self.sight = sight
    if sight.count > 0 { register(ReceiverIndex(rawValue: UInt16(sight.count - 1))) }
    for receiver in regained { restartSilence(at: receiver) }
    updateBlindZones(into: &transitions)
  }

  public func isBlind(_ zone: ZoneIndex) -> Bool {
    rules.zones.indices.contains(Int(zone.rawValue)) && rules.zones[Int(zone.rawValue)].isBlind
  }

  /// Whether any receiver of the zone has reported.
  public func isWatched(_ zone: ZoneIndex) -> Bool {
    guard rules.zones.indices.contains(Int(zone.rawValue)) else { return false }
    if rules.zones[Int(zone.rawValue)].rooms != nil { return roomSight.isWatched }
    return sight.isWatched(rules.zones[Int(zone.rawValue)].receivers)
  }

  /// Adds a receiver that was heard before it was shown. Zones of all receivers may then no longer be blind.
  mutating func meet(_ receiver: ReceiverIndex, into transitions: inout [Transition]) {
    var sight = sight
    sight[receiver] = .sees
    see(sight, at: now, into: &transitions)
  }

  /// Makes the calibrations of receivers ready, up to this one.
  mutating func register(_ receiver: ReceiverIndex) {
    while rules.receivers.count <= Int(receiver.rawValue) {
      let next = ReceiverIndex(rawValue: UInt16(rules.receivers.count))
      rules.receivers.append(Receiver(site.receivers[next] ?? site.calibration))
    }
  }

  /// Restarts the silence of all beacons at a receiver that has just recovered.
  private mutating func restartSilence(at receiver: ReceiverIndex) {
    for beacon in beacons.indices {
      if let link = beacons[beacon].link(at: receiver) { beacons[beacon].links[link].silentSince = now }
    }
  }

  private mutating func updateBlindZones(into transitions: inout [Transition]) {
    var changed: Set<ZoneIndex> = []
    for zone in rules.zones.indices where rules.zones[zone].rooms == nil {
      let isBlind = sight.isBlind(rules.zones[zone].receivers)
      guard isBlind != rules.zones[zone].isBlind else { continue }
      rules.zones[zone].isBlind = isBlind
      changed.insert(ZoneIndex(rawValue: Int32(zone)))
    }
    if changed.isEmpty { return }
    for beacon in beacons.indices {
      for stay in beacons[beacon].stays.indices where changed.contains(beacons[beacon].stays[stay].zone) {
        if rules.zones[Int(beacons[beacon].stays[stay].zone.rawValue)].isBlind {
          beacons[beacon].stays[stay].interrupt()
          beacons[beacon].stays[stay].lostDeadline = Stay.never
        } else {
          regainSight(beacon, stay, since: now)
          settle(beacon, stay, at: now, into: &transitions)
        }
      }
      watch(beacon)
    }
  }

  /// Gives a beacon a full interval from `time` to be heard again.
  mutating func regainSight(_ beacon: Int, _ stay: Int, since time: MonotonicTime) {
    let silentSince = max(beacons[beacon].stays[stay].silentSince, time)
    beacons[beacon].stays[stay].silentSince = silentSince
    guard beacons[beacon].stays[stay].isInside else { return }
    if let lost = rules.zones[Int(beacons[beacon].stays[stay].zone.rawValue)].lost {
      beacons[beacon].stays[stay].lostDeadline = silentSince + lost
    } else if !beacons[beacon].isHeard(in: stay) {
      beacons[beacon].stays[stay].lostDeadline = beacons[beacon].patienceEnds(in: stay)
    }
  }
}
