import Beacons

/// How far what receivers hear is from what they should hear: it tells which of them was moved, or, where nothing was measured, how
/// sensitive each is.
extension RoomTracker {
  /// By hearer: how many dB more it hears than the maps say.
  var gainsOfHearers: [Float] { model.isCalibrated ? drift.gains : gains.decibels }

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
      guard var hearing = held.hearing(of: track, at: hearer, in: window) else { continue }
      hearing.takeOff(drift.gains[hearer])
      hearings.append(hearing)
    }
    guard hearings.count > 2, let turn = leaveOneOut.turn(ofTrack: track, among: hearings.count) else {
      return
    }
    let own = hearings[turn]
    // Receivers that hang elsewhere are left out, if at least two others remain.
    let elsewhere = drift.elsewhere
    let others = hearings.count { $0.hearer != own.hearer && !elsewhere.contains($0.hearer) }
    if others > 1 { hearings.removeAll { $0.hearer != own.hearer && elsewhere.contains($0.hearer) } }
    guard let index = hearings.firstIndex(where: { $0.hearer == own.hearer }),
      let expected = leaveOneOut.expectation(
        of: index, in: hearings, ofTrack: track, offset: tracks[track].offset, model, prior: beliefs.prior,
        filter)
    else { return }
    drift.note(own.level + drift.gains[own.hearer] - expected.level, of: own.hearer, in: expected.room)
  }

  /// dB. A greater error says less of a receiver than of a beacon: that it lies on one, or is in none of the rooms.
  private static let oddError: Float = 15

  /// In rooms that are not calibrated: the error of each receiver, by where the beacon is believed to be. While that is open, nothing
  /// is learnt: a beacon stays in the room that was told last, right or wrong.
  ///
  /// - Parameter count: of the hearings, those of this window.
  mutating func noteGains(_ track: Int, hearings count: Int) {
    let room = Int(tracks[track].told)
    guard room >= 0, sums[room] >= Self.toldFrom, gains.counts(track, in: room) else { return }
    let offset = tracks[track].offset
    beliefs.look(track) { belief in
      for hearing in hearings.prefix(count) {
        let error = hearing.level - offset - model.expectedLevel(hearing.hearer, belief, filter)
        let bounded = min(max(error, -Self.oddError), Self.oddError)
        gains.note(bounded + gains.decibels[hearing.hearer], of: hearing.hearer, in: room)
      }
    }
  }
}
