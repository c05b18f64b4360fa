import Core

/// Formats amounts for a page.
package enum Figures {
  package static func metres(_ distance: Double) -> String { number(distance, distance < 10 ? 1 : 0) + " m" }

  package static func percent(_ share: Double?) -> String {
    guard let share else { return "none" }
    return number(share * 100, 0) + " %"
  }

  package static func number(_ value: Double, _ decimals: Int) -> String {
    decimal(value, decimals: decimals)
  }

  /// A coordinate in a drawing.
  package static func at(_ value: Double) -> String { number(value, 1) }
}
