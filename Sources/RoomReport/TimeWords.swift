import Beacons
import JSON
import Pages

/// Times and lengths of time, for people.
enum TimeWords {
  /// `2026-11-20 21:50`.
  static func minute(_ time: WallTime) -> String {
    let text = time.rfc3339
    return "\(text.prefix(10)) \(text.dropFirst(11).prefix(5))"
  }

  /// `21:50:03`.
  static func second(_ time: WallTime) -> String { String(time.rfc3339.dropFirst(11).prefix(8)) }

  /// `0.9 s`, `46 s`, `3 min 5 s`, `2 h 10 min`; never finer than useful.
  static func length(_ seconds: Double) -> String {
    if seconds < 60 { return Figures.number(seconds, seconds < 10 ? 1 : 0) + " s" }
    guard seconds < 1e9 else { return "years" }
    let whole = Int(seconds.rounded())
    let (hours, minutes) = (whole / 3600, whole / 60 % 60)
    if hours == 0 { return "\(minutes) min" + (whole % 60 > 0 ? " \(whole % 60) s" : "") }
    return "\(hours) h" + (minutes > 0 ? " \(minutes) min" : "")
  }
}
