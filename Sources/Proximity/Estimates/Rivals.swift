import Glibc

/// The receivers that hear a beacon about as well as the one it seems nearest to.
///
/// Of several uncertain distances the smallest is partly small by luck. In an open office with twelve receivers the nearest
/// one's was 2.0 m too small where 3 to 7 m were true, and is 1.2 m too small with this correction; the median error falls
/// from 1.5 to 1.1 m (Position-Annotated-BLE-RSSI-Dataset, leave one walk out).
///
/// This is for telling the distance to a receiver that was chosen. Zones compare the smallest distance as it is: it is a
/// good measure of how near the nearest receiver is, whichever that may be.
struct Rivals {
  private let nearest: Double
  /// Standard deviation of each distance, decades.
  private let deviation: Double
  /// How many receivers compete, the nearest included. One counts less the farther it seems.
  private var count = 0.0

  /// What smoothing leaves of the signal's deviation from the model, for a beacon that moves.
  private static let remaining = 0.8

  /// - Parameters:
  ///   - nearest: the smallest log10 of a distance in metres.
  ///   - decibels: standard deviation of the signal around the model.
  init(nearest: Float, decibels: Double, exponent: Double) {
    self.nearest = Double(nearest)
    deviation = Self.remaining * decibels / (10 * exponent)
  }

  mutating func add(_ logDistance: Float) {
    let apart = (Double(logDistance) - nearest) / deviation
    count += exp(-0.25 * apart * apart)
  }

  /// By how many decades luck made the nearest seem nearer than it is.
  var luck: Double { 0.5 * deviation * log(max(count, 1)).squareRoot() }
}
