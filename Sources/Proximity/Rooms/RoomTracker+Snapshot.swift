import Beacons

/// The state of all beacons in the rooms. It is read after `see`, because sight is not in it. Derived data are left out, too: the
/// members of rooms and the tracks of beacons.
extension RoomTracker: StateFields {
  public mutating func fields(_ coder: inout StateCoder) throws(StateError) {
    coder.bounds.rooms = roomCount
    try coder("now", &now)
    try coder(each: "last_words", &lastWords)
    try coder(tally: "refused", &refused)
    if coder.isReading {
      for _ in 0..<(try coder.count()) { try readTrack(&coder) }
    } else {
      coder.count(tracks.count)
      for track in tracks.indices { write(track, to: &coder) }
    }
    try coder("free_tracks", &freeTracks)
    if coder.isReading { try deriveTracks(coder) }
    try windows.fields(&coder, tracks: tracks.count, hearers: plan.hearers.count)
    try coder("drift", &drift)
    try coder("gains", &gains)
  }

  private func write(_ track: Int, to coder: inout StateCoder) {
    coder.write(beaconOfTrack[track])
    coder.write(tracks[track])
    coder.write(silences.time(of: Int32(track)) ?? .distantFuture)
    beliefs.write(track, to: &coder)
    held.write(track, to: &coder)
    leaveOneOut.write(track, to: &coder)
  }

  private mutating func readTrack(_ coder: inout StateCoder) throws(StateError) {
    reserveTrack()
    beaconOfTrack.append(try coder.read())
    let track: RoomTrack = try coder.read()
    silences.add()
    let silence: MonotonicTime = try coder.read()
    if silence < .distantFuture { silences.schedule(Int32(tracks.count), at: silence) }
    tracks.append(track)
    try beliefs.append(from: &coder)
    try held.append(from: &coder)
    try leaveOneOut.append(from: &coder)
  }

  private mutating func deriveTracks(_ coder: borrowing StateCoder) throws(StateError) {
    var isFree = [Bool](repeating: false, count: tracks.count)
    for track in freeTracks {
      guard isFree.indices.contains(Int(track)), !isFree[Int(track)], tracks[Int(track)].told < 0 else {
        throw coder.damaged
      }
      isFree[Int(track)] = true
    }
    trackOfBeacon = [Int32](repeating: -1, count: coder.bounds.beacons)
    for track in tracks.indices where !isFree[track] {
      let beacon = beaconOfTrack[track]
      guard trackOfBeacon[Int(beacon.rawValue)] < 0 else { throw coder.damaged }
      trackOfBeacon[Int(beacon.rawValue)] = Int32(track)
      if tracks[track].told >= 0 { insiders[Int(tracks[track].told)][beacon] = tracks[track].since }
    }
  }
}
