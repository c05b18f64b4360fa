import Beacons

/// How far what receivers hear is from what they should hear: it tells which of them was moved, or, where nothing was measured, how
/// sensitive each is.
extension RoomTracker {
  /// Windows of a beacon from one look at a receiver to the next, 1.2 s; with more receivers more, for each costs as much as
  /// judging it. They take turns.
  private static let driftPace = 4
  /// A beacon that stays in a room for longer probably lies still, and its corner says no more of the room.
  private static let visit = TimeSpan.seconds(240)

  /// In calibrated rooms: one receiver's error, by what the others hear.
  ///
  /// - Parameter last: the window of this beacon before this one.
  mutating func noteDrift(_ track: Int, in window: Int64, after last: Int64?) {
    let pace = Int64(max(Self.driftPace, plan.hearers.count / 2))
    let turn = (window + Int64(track)) / pace
    guard last.map({ ($0 + Int64(track)) / pace }) != turn, tracks[track].told >= 0,
      tracks[track].wallTime(at: RoomWindows.end(of: window)) - tracks[track].since < Self.visit
    else { return }
    hearings.removeAll(keepingCapacity: true)
    for hearer in plan.hearers.indices where !blind.contains(hearer) {
      if let hearing = held.hearing(of: track, at: hearer, in: window) { hearings.append(hearing) }
    }
    guard hearings.count > 2 else { return }
    let index = Int(turn.magnitude % UInt64(hearings.count))
    let expected = leaveOneOut.expectation(
      of: index, in: hearings, ofTrack: track, offset: tracks[track].offset, model, prior: beliefs.prior,
      filter)
    let hearing = hearings[index]
    guard let expected, model.isMeasured[hearing.hearer][expected.room] else { return }
    drift.note(hearing.level - expected.level, of: hearing.hearer, in: expected.room)
  }

  /// In rooms that are not calibrated: the error of each receiver, by where the beacon is believed to be.
  ///
  /// - Parameter count: of the hearings, those of this window.
  mutating func noteGains(_ track: Int, hearings count: Int) {
    let room = Int(tracks[track].told)
    guard room >= 0, gains.counts(track, in: room) else { return }
    let offset = tracks[track].offset
    beliefs.look(track) { belief in
      for hearing in hearings.prefix(count) {
        let error = hearing.level - offset - model.expectedLevel(hearing.hearer, belief, filter)
        gains.note(error + gains.decibels[hearing.hearer], of: hearing.hearer, in: room)
      }
    }
  }
}
