import Beacons

/// Receivers that fail without saying so.
extension RoomTracker {
  /// Whether the receivers of the beacon's room failed, and the others hear it as before.
  mutating func saysNothingNew(_ track: Int, at time: MonotonicTime) -> Bool {
    let told = Int(tracks[track].told)
    guard model.grid == nil, told >= 0 else { return false }
    let residents = model.access.residents[told].subtracting(drift.elsewhere)
    guard !residents.isEmpty else { return false }
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
