import Beacons

/// Where a beacon stands in a zone, and which dwell time is running.
public struct ZoneProgress: Hashable, Sendable {
  public enum Event: String, Hashable, Sendable { case near, enter, exit, lost }

  /// Something that happens at `due` unless the beacon changes its mind.
  public struct Pending: Hashable, Sendable {
    public var event: Event
    public var since: MonotonicTime
    public var due: MonotonicTime
  }

  public var isInside: Bool
  public var isNear: Bool
  /// The first of several; nil: nothing is due.
  public var pending: Pending?
}

extension ZoneEngine {
  /// nil: no receiver of the zone ever heard the beacon.
  public func progress(of beacon: BeaconIndex, in zone: ZoneIndex) -> ZoneProgress? {
    guard beacons.indices.contains(Int(beacon.rawValue)) else { return nil }
    var index = beacons[Int(beacon.rawValue)].firstPresence
    while index >= 0 {
      let slot = presences[Int(index)]
      if slot.presence.zone == zone {
        return ZoneProgress(
          isInside: slot.presence.isInside, isNear: !slot.presence.isArmed,
          pending: slot.presence.pending(
            zones[Int(zone.rawValue)].dwells, isBlind: isFrozen(Int(zone.rawValue))))
      }
      index = slot.nextOfBeacon
    }
    return nil
  }
}

extension Presence {
  /// What happens next if nothing changes.
  fileprivate func pending(_ dwells: Dwells, isBlind: Bool) -> ZoneProgress.Pending? {
    var all: [ZoneProgress.Pending] = []
    func add(_ event: ZoneProgress.Event, since: MonotonicTime, due: MonotonicTime) {
      if since != Self.never, due != Self.never { all.append(.init(event: event, since: since, due: due)) }
    }
    if !isInside { add(.enter, since: enterSince, due: enterSince + dwells.enter) }
    if isArmed { add(.near, since: nearSince, due: nearSince + dwells.near) }
    if isInside, !isBlind {
      add(.exit, since: exitSince, due: exitSince + dwells.exit)
      add(.lost, since: silentSince, due: lostDeadline)
    }
    return all.min { $0.due < $1.due }
  }
}
