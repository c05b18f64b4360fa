import Pages

/// A decimal logarithm of our own. The C library's may differ in the last digit between machines, and a page must be
/// identical everywhere.
enum Logarithm {
  /// The logarithm of a positive number, to about six digits.
  static func ten(_ number: Double) -> Double {
    guard number > 0, number.isFinite else { return -300 }
    // ln(m · 2^e) = ln m + e · ln 2, and ln m = 2 · atanh((m − 1) / (m + 1)).
    let ratio = (number.significand - 1) / (number.significand + 1)
    let square = ratio * ratio
    var term = ratio
    var sum = 0.0
    for power in stride(from: 1.0, through: 15, by: 2) {
      sum += term / power
      term *= square
    }
    let natural = 2 * sum + Double(number.exponent) * 0.693_147_180_559_945_3
    return natural / 2.302_585_092_994_046
  }
}
