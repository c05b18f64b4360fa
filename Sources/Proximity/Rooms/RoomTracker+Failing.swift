import Beacons

/// Receivers that fail without saying so.
extension RoomTracker {
  /// Whether the receivers of the beacon's room failed, and the others hear it as before.
  mutating func saysNothingNew(_ track: Int, at time: MonotonicTime) -> Bool {
    let told = Int(tracks[track].told)
    guard model.grid == nil, told >= 0, !model.access.residents[told].isEmpty else { return false }
    let residents = model.access.residents[told]
    var (isHome, strongest) = (false, Float?.none)
    for hearing in hearings {
      if residents.contains(hearing.hearer) {
        isHome = true
      } else {
        strongest = max(strongest ?? hearing.level, hearing.level)
      }
    }
    return tracks[track].outside.note(strongest, isHome: isHome, isMute: !isHome && isMute(told, at: time))
  }

  /// Whether nothing at all comes from the receivers of a room.
  private func isMute(_ room: Int, at time: MonotonicTime) -> Bool {
    plan.rooms[room].receivers.allSatisfy { receiver in
      guard let hearer = hearer(receiver) else { return true }
      return blind.contains(hearer) || lastWords[hearer] + Self.silenceOfAFailure < time
    }
  }

  /// A receiver that hears no beacon for this long may have failed.
  private static let silenceOfAFailure = TimeSpan.seconds(3)
}
