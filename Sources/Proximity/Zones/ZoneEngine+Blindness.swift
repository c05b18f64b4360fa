import Beacons

/// Blind receivers. While all receivers of a zone are blind, no beacon leaves it.
extension ZoneEngine {
  /// A receiver became blind or works again. Deadlines up to `time` (inclusive) are processed first.
  public mutating func setBlind(
    _ receiver: ReceiverIndex, _ isBlind: Bool, at time: MonotonicTime, into transitions: inout [Transition]
  ) {
    advance(to: time, into: &transitions)
    let index = Int(receiver.rawValue)
    if !isKnown(receiver) { register(receiver) }
    if rules.receivers[index].isBlind != isBlind {
      rules.receivers[index].isBlind = isBlind
      blindReceivers += isBlind ? 1 : -1
      if !isBlind { restartSilence(at: receiver) }
    }
    updateBlindZones(into: &transitions)
  }

  /// Whether the receiver ever reported an advertisement or its own state.
  public func isKnown(_ receiver: ReceiverIndex) -> Bool { rules.isKnown(receiver) }

  public func isBlind(_ zone: ZoneIndex) -> Bool {
    rules.zones.indices.contains(Int(zone.rawValue)) && rules.zones[Int(zone.rawValue)].isBlind
  }

  /// Whether all receivers are blind.
  public var isBlind: Bool { knownReceivers > 0 && blindReceivers == knownReceivers }

  /// Whether any receiver of the zone has reported.
  public func isWatched(_ zone: ZoneIndex) -> Bool {
    guard rules.zones.indices.contains(Int(zone.rawValue)) else { return false }
    if rules.zones[Int(zone.rawValue)].rooms != nil { return roomSight.isWatched }
    guard let own = rules.zones[Int(zone.rawValue)].receivers else { return knownReceivers > 0 }
    return own.contains { isKnown($0) }
  }

  /// Registers a receiver that reported for the first time. Zones of all receivers may then no longer be blind.
  mutating func meet(_ receiver: ReceiverIndex, into transitions: inout [Transition]) {
    register(receiver)
    if blindReceivers > 0 { updateBlindZones(into: &transitions) }
  }

  private mutating func register(_ receiver: ReceiverIndex) {
    let index = Int(receiver.rawValue)
    while rules.receivers.count <= index {
      let next = ReceiverIndex(rawValue: UInt16(rules.receivers.count))
      rules.receivers.append(Receiver(site.receivers[next] ?? site.calibration))
    }
    rules.receivers[index].isKnown = true
    knownReceivers += 1
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
      let isBlind: Bool
      if let own = rules.zones[zone].receivers {
        // Receivers that never reported do not count.
        let known = own.filter { isKnown($0) }
        isBlind = !known.isEmpty && known.allSatisfy { rules.receivers[Int($0.rawValue)].isBlind }
      } else {
        isBlind = self.isBlind
      }
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
