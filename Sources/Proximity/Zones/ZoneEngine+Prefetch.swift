import Beacons

extension ZoneEngine {
  /// Prefetches what the next sightings will read. Otherwise a sighting waits for one cache miss after another, because the
  /// beacon's record says where its link is, the link where its members are, and so on. Here each step is requested for all
  /// before the next.
  ///
  /// - Parameter likely: beacons that are not tracked are skipped.
  public func prefetch(_ likely: [BeaconIndex]) {
    for beacon in likely { beacons.prefetch(at: Int(beacon.rawValue)) }
    for beacon in likely where beacons.indices.contains(Int(beacon.rawValue)) {
      let tracked = beacons[Int(beacon.rawValue)]
      links.prefetch(at: Int(tracked.firstLink))
      presences.prefetch(at: Int(tracked.firstPresence))
    }
    for beacon in likely where beacons.indices.contains(Int(beacon.rawValue)) {
      let link = Int(beacons[Int(beacon.rawValue)].firstLink)
      if link >= 0 { members.prefetch(at: Int(links[link].firstMember)) }
    }
  }
}
