import Beacons

/// Collects the errors of receivers. They show which receiver was moved or, without a calibration, how sensitive each one is.
extension RoomTracker {
  /// By hearer: gain relative to the maps, dB.
  var gainsOfHearers: [Float] { model.isCalibrated ? drift.gains : gains.decibels }

  /// Records that a beacon changed rooms.
  mutating func beginStay(_ track: Int) {
    gains.begin(track)
    leaveOneOut.begin(track, in: tracks[track].told)
  }

  /// Windows between two checks of a beacon: 1.2 s. A check costs as much as judging a window. With more than eight receivers the
  /// interval is half as many windows as there are receivers.
  private static let driftPace = 4

  /// In calibrated rooms: records one receiver's error, predicted from the others.
  ///
  /// - Parameter last: the previous window of this beacon.
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
    // Moved receivers are left out if at least two others remain.
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

  /// Maximum error, dB. A larger one is caused by the beacon: it lies on a receiver or is outside all rooms.
  private static let oddError: Float = 15

  /// In uncalibrated rooms: records the error of each receiver for the estimated position. Only if the room is certain: the
  /// reported room may be wrong.
  ///
  /// - Parameter count: the first `count` entries of `hearings` are from this window.
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
