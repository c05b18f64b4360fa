import Beacons

/// Receivers that fail without saying so.
extension RoomTracker {
  /// What this window says of a beacon whose room's receivers may have failed.
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

  /// Whether nothing at all comes from some receivers.
  private func areMute(_ hearers: HearerSet, at time: MonotonicTime) -> Bool {
    plan.hearers.indices.allSatisfy { hearer in
      !hearers.contains(hearer) || blind.contains(hearer)
        || lastWords[hearer] + Self.silenceOfAFailure < time
    }
  }

  /// A receiver that hears no beacon for this long may have failed.
  private static let silenceOfAFailure = TimeSpan.seconds(3)
}
