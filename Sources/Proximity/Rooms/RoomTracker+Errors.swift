import Beacons

/// How far what receivers hear is from what they should hear: it tells which of them was moved, or, where nothing was measured, how
/// sensitive each is.
extension RoomTracker {
  /// A beacon is in another room.
  mutating func beginStay(_ track: Int) {
    gains.begin(track)
    leaveOneOut.begin(track, in: tracks[track].told)
  }

  /// Windows of a beacon from one look to the next: 1.2 s. A look costs as much as judging a window. So with more than eight
  /// receivers it is one in half as many windows as there are receivers.
  private static let driftPace = 4

  /// In calibrated rooms: one receiver's error, by what the others hear.
  ///
  /// - Parameter last: the window of this beacon before this one.
  mutating func noteDrift(_ track: Int, in window: Int64, after last: Int64?) {
    let pace = Int64(max(Self.driftPace, plan.hearers.count / 2))
    guard last.map({ ($0 + Int64(track)) / pace }) != (window + Int64(track)) / pace, tracks[track].told >= 0
    else { return }
    hearings.removeAll(keepingCapacity: true)
    for hearer in plan.hearers.indices where !blind.contains(hearer) {
      if let hearing = held.hearing(of: track, at: hearer, in: window) { hearings.append(hearing) }
    }
    guard hearings.count > 2, let turn = leaveOneOut.turn(ofTrack: track, among: hearings.count) else {
      return
    }
    let expected = leaveOneOut.expectation(
      of: turn, in: hearings, ofTrack: track, offset: tracks[track].offset, model, prior: beliefs.prior,
      filter)
    guard let expected else { return }
    drift.note(hearings[turn].level - expected.level, of: hearings[turn].hearer, in: expected.room)
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
