import Beacons

/// All that is known of the beacons among the rooms. What follows is left out: who is in which room, which track a beacon has.
extension RoomTracker {
  public func snapshot(into writer: inout StateWriter) {
    writer.write(now)
    writer.write(known)
    writer.write(blind)
    for time in lastWords { writer.write(time) }
    writer.write(refused)
    writer.count(tracks.count)
    for track in tracks.indices {
      writer.write(beaconOfTrack[track])
      writer.write(tracks[track])
      writer.write(silences.time(of: .link(Int32(track))) ?? .distantFuture)
      beliefs.write(track, to: &writer)
      held.write(track, to: &writer)
      leaveOneOut.write(track, to: &writer)
    }
    writer.write(freeTracks)
    windows.snapshot(into: &writer)
    drift.snapshot(into: &writer)
    gains.snapshot(into: &writer)
  }

  /// Of a new one for the same rooms.
  public mutating func restore(from reader: inout StateReader) throws(StateError) {
    reader.part = "rooms"
    reader.bounds.rooms = roomCount
    now = try reader.read()
    known = try reader.read()
    blind = try reader.read()
    for hearer in lastWords.indices { lastWords[hearer] = try reader.read() }
    refused = try reader.tally()
    for _ in 0..<(try reader.count()) { try restoreTrack(from: &reader) }
    freeTracks = try reader.read()
    try deriveTracks(reader)
    reader.part = "windows of rooms"
    try windows.restore(tracks: tracks.count, hearers: plan.hearers.count, from: &reader)
    try drift.restore(from: &reader)
    try gains.restore(from: &reader)
  }

  private mutating func restoreTrack(from reader: inout StateReader) throws(StateError) {
    reserveTrack()
    beaconOfTrack.append(try reader.read())
    let track: RoomTrack = try reader.read()
    silences.addLink()
    let silence: MonotonicTime = try reader.read()
    if silence < .distantFuture { silences.schedule(.link(Int32(tracks.count)), at: silence) }
    tracks.append(track)
    try beliefs.append(from: &reader)
    try held.append(from: &reader)
    try leaveOneOut.append(from: &reader)
  }

  private mutating func deriveTracks(_ reader: StateReader) throws(StateError) {
    var isFree = [Bool](repeating: false, count: tracks.count)
    for track in freeTracks {
      guard isFree.indices.contains(Int(track)), !isFree[Int(track)], tracks[Int(track)].told < 0 else {
        throw reader.damaged
      }
      isFree[Int(track)] = true
    }
    trackOfBeacon = [Int32](repeating: -1, count: reader.bounds.beacons)
    for track in tracks.indices where !isFree[track] {
      let beacon = beaconOfTrack[track]
      guard trackOfBeacon[Int(beacon.rawValue)] < 0 else { throw reader.damaged }
      trackOfBeacon[Int(beacon.rawValue)] = Int32(track)
      if tracks[track].told >= 0 { insiders[Int(tracks[track].told)][beacon] = tracks[track].since }
    }
  }
}
