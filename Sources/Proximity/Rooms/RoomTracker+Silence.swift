import Beacons
import Core

/// Silent beacons and blind receivers.
extension RoomTracker {
  /// A beacon leaves its room after an unusually long silence, unless its room or its best receiver is blind.
  mutating func fallSilent(_ track: Int, at time: MonotonicTime, into transitions: inout [RoomTransition]) {
    guard tracks[track].lastHeard.nanoseconds != .min, !tracks[track].isFrozen else { return }
    let deadline = tracks[track].silenceDeadline
    if deadline > time {
      silences.schedule(Int32(track), at: deadline)
      return
    }
    if isInBlindRoom(track) || isHeardBestByTheBlind(track) {
      tracks[track].isFrozen = true
      return
    }
    leave(track, at: time, because: nil, into: &transitions)
    changed.insert(beacon(of: track))
    // It may appear anywhere next.
    beliefs.reset(track)
    held.reset(track)
    tracks[track].window = nil
    tracks[track].hearers = HearerSet()
    tracks[track].earlierHearers = HearerSet()
  }

  /// Only the best receiver counts. The others may have lost the beacon for any reason.
  private func isHeardBestByTheBlind(_ track: Int) -> Bool {
    hearer(tracks[track].lastReceiver).map { blind.contains($0) && tracks[track].recentHearers.contains($0) }
      ?? false
  }

  private func isInBlindRoom(_ track: Int) -> Bool {
    tracks[track].told >= 0 && isBlind(RoomIndex(rawValue: tracks[track].told))
  }

  private mutating func leave(
    _ track: Int, at time: MonotonicTime, because reason: Evidence.Reason?,
    into transitions: inout [RoomTransition]
  ) {
    let room = Int(tracks[track].told)
    guard room >= 0 else { return }
    let wallTime = tracks[track].wallTime(at: time)
    let beacon = beacon(of: track)
    transitions.append(
      RoomTransition(
        event: .exit, room: RoomIndex(rawValue: Int32(room)), beacon: beacon, time: time, wallTime: wallTime,
        probability: nil, evidence: [], receiver: tracks[track].lastReceiver, reason: reason))
    tracks[track].told = -1
    tracks[track].since = wallTime
    tracks[track].outside = OutsideLevel()
    insiders[room][beacon] = nil
  }

  /// Removes a beacon from its room because of a change of the configuration.
  public mutating func leave(
    _ beacon: BeaconIndex, because reason: Evidence.Reason, at time: MonotonicTime,
    into transitions: inout [RoomTransition]
  ) {
    guard let track = knownTrack(of: beacon) else { return }
    leave(track, at: time, because: reason, into: &transitions)
  }

  /// Shows the tracker which receivers can hear. The beacons of those that can hear again get time to be heard.
  public mutating func see(_ sight: ReceiverSight, at time: MonotonicTime) {
    let wasBlind = blind
    blind = HearerSet()
    for (hearer, place) in plan.hearers.enumerated() {
      if sight.isKnown(place.receiver) { known.insert(hearer) }
      if sight.isBlind(place.receiver) { blind.insert(hearer) }
    }
    let regained = wasBlind.subtracting(blind)
    if regained.isEmpty { return }
    for track in tracks.indices
    where !tracks[track].recentHearers.intersection(regained).isEmpty
      || tracks[track].isFrozen && !isInBlindRoom(track)
    {
      tracks[track].isFrozen = false
      tracks[track].silentSince = max(tracks[track].silentSince, time)
      silences.schedule(Int32(track), at: tracks[track].silenceDeadline)
    }
  }
}

/// Detects receivers that fail without being reported as blind.
extension RoomTracker {
  /// Judges a window of a beacon whose room's receivers may have failed.
  mutating func sense(_ track: Int, at time: MonotonicTime) -> OutsideLevel.Sense {
    let told = Int(tracks[track].told)
    guard model.grid == nil, told >= 0 else { return .usual }
    let residents = model.access.residents[told].subtracting(drift.elsewhere)
    guard !residents.isEmpty else { return .usual }
    var (isHome, strongest) = (false, Float?.none)
    for hearing in hearings {
      if residents.contains(hearing.hearer) {
        isHome = true
      } else {
        strongest = max(strongest ?? hearing.level, hearing.level)
      }
    }
    return tracks[track].outside.note(
      strongest, isHome: isHome, isMute: !isHome && areMute(residents, at: time))
  }

  /// Whether none of these receivers reports any beacon.
  private func areMute(_ hearers: HearerSet, at time: MonotonicTime) -> Bool {
    plan.hearers.indices.allSatisfy { hearer in
      !hearers.contains(hearer) || blind.contains(hearer)
        || lastWords[hearer] + Self.silenceOfAFailure < time
    }
  }

  /// A receiver that hears no beacon for this long may have failed.
  private static let silenceOfAFailure = TimeSpan.seconds(3)
}
