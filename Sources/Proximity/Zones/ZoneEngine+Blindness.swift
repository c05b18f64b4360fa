import Beacons

/// A blind receiver proves no absence: while all receivers of a zone are blind, nobody leaves it.
extension ZoneEngine {
  /// A receiver became blind or works again. Deadlines up to `time` (inclusive) are processed first.
  public mutating func setBlind(
    _ receiver: ReceiverIndex, _ isBlind: Bool, at time: MonotonicTime, into transitions: inout [Transition]
  ) {
    advance(to: time, into: &transitions)
    let index = Int(receiver.rawValue)
    if !isKnown(receiver) { register(receiver) }
    if receivers[index].isBlind != isBlind {
      receivers[index].isBlind = isBlind
      blindReceivers += isBlind ? 1 : -1
      if !isBlind { restartSilence(at: receiver) }
    }
    updateBlindZones(into: &transitions)
  }

  public func isBlind(_ zone: ZoneIndex) -> Bool {
    blindZones.indices.contains(Int(zone.rawValue)) && blindZones[Int(zone.rawValue)]
  }

  /// Whether nobody leaves a zone because it is blind. In a zone of rooms that depends on where the beacon is; see `isSeen`.
  func isFrozen(_ zone: Int) -> Bool { blindZones[zone] && zones[zone].rooms == nil }

  /// Whether any receiver of the zone has reported.
  public func isWatched(_ zone: ZoneIndex) -> Bool {
    guard zoneReceivers.indices.contains(Int(zone.rawValue)) else { return false }
    if zones[Int(zone.rawValue)].rooms != nil { return roomSight.isWatched }
    guard let own = zoneReceivers[Int(zone.rawValue)] else { return knownReceivers > 0 }
    return own.contains { isKnown($0) }
  }

  /// A receiver reported for the first time: a zone of all receivers has one more that works.
  mutating func meet(_ receiver: ReceiverIndex, into transitions: inout [Transition]) {
    register(receiver)
    if blindReceivers > 0 { updateBlindZones(into: &transitions) }
  }

  private mutating func register(_ receiver: ReceiverIndex) {
    let index = Int(receiver.rawValue)
    while receivers.count <= index {
      let next = ReceiverIndex(rawValue: UInt16(receivers.count))
      receivers.append(Receiver(site.receivers[next] ?? site.calibration))
    }
    receivers[index].isKnown = true
    knownReceivers += 1
  }

  /// Counts the silence at a receiver that has just recovered from now.
  private mutating func restartSilence(at receiver: ReceiverIndex) {
    for index in links.indices where links[index].link.receiver == receiver {
      links[index].link.silentSince = now
    }
  }

  private mutating func updateBlindZones(into transitions: inout [Transition]) {
    for zone in zones.indices where zones[zone].rooms == nil {
      let isBlind: Bool
      if let own = zoneReceivers[zone] {
        // A receiver that never reported hears nothing either.
        let known = own.filter { isKnown($0) }
        isBlind = !known.isEmpty && known.allSatisfy { receivers[Int($0.rawValue)].isBlind }
      } else {
        isBlind = knownReceivers > 0 && blindReceivers == knownReceivers
      }
      guard isBlind != blindZones[zone] else { continue }
      blindZones[zone] = isBlind
      for index in presences.indices where Int(presences[index].presence.zone.rawValue) == zone {
        if isBlind {
          presences[index].presence.interrupt()
          presences[index].presence.lostDeadline = Presence.never
        } else {
          regainSight(Int32(index), since: now)
          settle(Int32(index), at: now, into: &transitions)
        }
      }
    }
  }

  /// Gives a beacon a full interval from `time` to be heard again.
  mutating func regainSight(_ index: Int32, since time: MonotonicTime) {
    let slot = Int(index)
    presences[slot].presence.silentSince = max(presences[slot].presence.silentSince, time)
    guard presences[slot].presence.isInside else { return }
    if let lost = zones[Int(presences[slot].presence.zone.rawValue)].lost {
      presences[slot].presence.lostDeadline = presences[slot].presence.silentSince + lost
    } else if !isHeard(index) {
      presences[slot].presence.lostDeadline = patienceEnds(index)
    }
  }
}
