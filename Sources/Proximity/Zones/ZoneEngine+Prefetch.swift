import Beacons

extension ZoneEngine {
  /// Asks for what sightings of some beacons will read. A sighting waits for one miss after another: which link and presence a
  /// beacon has is in its own record. Here all those records are asked for first, then all that they lead to.
  ///
  /// - Parameter beacons: those not tracked are passed over.
  public func prefetch(_ beacons: Span<Int32>) {
    for place in beacons.indices { self.beacons.prefetch(at: Int(beacons[place])) }
    for place in beacons.indices where self.beacons.indices.contains(Int(beacons[place])) {
      links.prefetch(at: Int(self.beacons[Int(beacons[place])].firstLink))
      presences.prefetch(at: Int(self.beacons[Int(beacons[place])].firstPresence))
    }
  }
}
