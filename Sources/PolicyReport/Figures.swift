import JSON
import Messages
import RangingPolicy

/// Formats amounts for the report.
enum Figures {
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

  static func metres(_ distance: Double) -> String { number(distance, distance < 10 ? 1 : 0) + " m" }
  static func metres(_ distance: Micrometres) -> String { number(Double(distance) / 1e6, 2) + " m" }
  static func factor(_ factor: Double) -> String { "×" + (decimal(factor, decimals: 2) ?? "") }

  static func percent(_ share: Double?) -> String {
    guard let share else { return "none" }
    return number(share * 100, 0) + " %"
  }

  static func number(_ value: Double, _ decimals: Int) -> String {
    decimal(value, decimals: decimals) ?? String(value)
  }

  /// A coordinate in a drawing.
  static func at(_ value: Double) -> String { number(value, 1) }
}
