import Beacons

extension ZoneEngine {
  /// Prefetches what the next sightings will read. Otherwise a sighting waits for one cache miss after another, because the
  /// beacon's record says where its link and presence are. Here all records are requested first, then everything they refer
  /// to.
  ///
  /// - Parameter beacons: those that are not tracked are skipped.
  public func prefetch(_ beacons: Span<Int32>) {
    for place in beacons.indices { self.beacons.prefetch(at: Int(beacons[place])) }
    for place in beacons.indices where self.beacons.indices.contains(Int(beacons[place])) {
      links.prefetch(at: Int(self.beacons[Int(beacons[place])].firstLink))
      presences.prefetch(at: Int(self.beacons[Int(beacons[place])].firstPresence))
    }
  }
}
