import Beacons

extension ZoneEngine {
  /// Reads what sightings of some beacons will ask for, so that it is in the cache by then. Sightings have to wait for one
  /// miss after another; these loads wait for none but the one that tells their place.
  ///
  /// - Parameter beacons: `LikelyBeacons.limit` of them at most; those not tracked are passed over.
  /// - Returns: a number without meaning, for whoever must not be optimised away.
  public func prefetch(_ beacons: Span<Int32>) -> Int {
    var sum = 0
    var linkPlaces = InlineArray<64, Int32>(repeating: -1)
    var presencePlaces = InlineArray<64, Int32>(repeating: -1)
    for place in 0..<min(beacons.count, LikelyBeacons.limit)
    where self.beacons.indices.contains(Int(beacons[place])) {
      // The first octets, too: half of these records lie across two lines of the cache.
      sum &+= self.beacons[Int(beacons[place])].isAdmitted ? 1 : 0
      linkPlaces[place] = self.beacons[Int(beacons[place])].firstLink
      presencePlaces[place] = self.beacons[Int(beacons[place])].firstPresence
    }
    var memberPlaces = InlineArray<64, Int32>(repeating: -1)
    for place in linkPlaces.indices where linkPlaces[place] >= 0 {
      let link = Int(linkPlaces[place])
      if links[link].solePresence < 0 { memberPlaces[place] = links[link].firstMember }
      sum &+= Int(links[link].link.receiver.rawValue)
      sum &+= links[link].link.filter.hasLevel ? 1 : 0
      sum &+= Int(truncatingIfNeeded: links[link].link.interval.lost.nanoseconds)
      sum &+= Int(truncatingIfNeeded: links[link].queuedFor.nanoseconds)
    }
    for place in presencePlaces.indices where presencePlaces[place] >= 0 {
      let presence = Int(presencePlaces[place])
      sum &+= presences[presence].presence.isInside ? 1 : 0
      sum &+= Int(truncatingIfNeeded: presences[presence].presence.exitSince.nanoseconds)
      sum &+= Int(truncatingIfNeeded: presences[presence].queuedFor.nanoseconds)
    }
    for place in memberPlaces.indices where memberPlaces[place] >= 0 {
      sum &+= Int(members[Int(memberPlaces[place])].presence)
    }
    return sum
  }
}
