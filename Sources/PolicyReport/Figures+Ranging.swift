import JSON
import Messages
import Pages
import RangingPolicy

/// Amounts of the ranging policy.
extension Figures {
  /// `46 s`, `3 min 5 s`, `2 h 10 min`; never finer than useful.
  static func time(_ time: Milliseconds) -> String {
    let seconds = Double(time) / 1000
    if abs(seconds) < 600 { return number(seconds, 1) + " s" }
    let minutes = time / 60_000
    let rest = (time / 1000) % 60
    if minutes < 120 { return "\(minutes) min" + (rest > 0 ? " \(rest) s" : "") }
    let hours = minutes / 60
    return "\(hours) h" + (minutes % 60 > 0 ? " \(minutes % 60) min" : "")
  }

  static func metres(_ distance: Micrometres) -> String { number(Double(distance) / 1e6, 2) + " m" }
  static func factor(_ factor: Double) -> String { "×" + decimal(factor, decimals: 2) }
}
