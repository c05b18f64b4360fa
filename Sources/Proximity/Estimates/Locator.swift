import Beacons
import Core
import Glibc

/// Estimates the position of a beacon from all receivers of known position that hear it. An extended Kalman filter in the plane; it
/// takes RSSI samples and assumes a random walk.
///
/// One receiver cannot distinguish a near beacon behind a body from a distant one. Several receivers can.
struct Locator: Hashable, Sendable {
  /// The minimum number of receivers for a useful position.
  static let quorum: UInt16 = 3
  /// Motion of a beacon in one second (standard deviation, metres): walking.
  private static let stride = 1.2
  /// Degrees of freedom of the Student-t weight that damps outliers.
  private static let freedom = 4.0
  /// The least distance between beacon and antenna, metres. It keeps the slope of the model finite.
  private static let closest = 0.5
  /// dB per natural logarithm of squared distance, for an exponent of 1: 5 / ln 10.
  private static let slope = 2.171_472_409_516_259

  private var x = 0.0
  private var y = 0.0
  /// Covariance, m².
  private var xx = 0.0
  private var xy = 0.0
  private var yy = 0.0
  private var time = MonotonicTime.zero
  /// How many receivers of known position hear the beacon now.
  var receivers: UInt16 = 0

  var isUsable: Bool { receivers >= Self.quorum }

  /// Starts at the one receiver that hears the beacon, with the distance its signal suggests as uncertainty.
  mutating func restart(at position: Position, logDistance: Float, time: MonotonicTime) {
    x = position.x
    y = position.y
    let radius = min(max(pow(10, Double(logDistance)), 3), 20)
    xx = radius * radius
    xy = 0
    yy = xx
    self.time = time
  }

  /// Processes one sample in dBm from a receiver at `position`, which receives `power` dBm at 1 m.
  mutating func add(
    rssi: Double, position: Position, power: Double, exponent: Double, deviation: Double,
    time now: MonotonicTime
  ) {
    let growth = Self.stride * Self.stride * max(0, min((now - time).seconds, 600))
    time = max(time, now)
    xx += growth
    yy += growth

    // Approximates E[ln d²] over the current uncertainty to a few per cent: adds half the variance to the square.
    let (dx, dy) = (x - position.x, y - position.y)
    let square = dx * dx + dy * dy + Self.height(of: position) + 0.5 * (xx + yy)
    let k = Self.slope * exponent
    let residual = rssi - (power - k * log(square))
    let hx = -2 * k * dx / square
    let hy = -2 * k * dy / square
    let gx = xx * hx + xy * hy
    let gy = xy * hx + yy * hy
    let spread = hx * gx + hy * gy
    let noise = deviation * deviation
    let surprise = residual * residual / (spread + noise)
    let variance = spread + noise * (Self.freedom + surprise) / (Self.freedom + 1)
    let scale = residual / variance
    x += gx * scale
    y += gy * scale
    xx -= gx * gx / variance
    xy -= gx * gy / variance
    yy -= gy * gy / variance
  }

  /// log10 of the distance to a receiver in metres.
  func logDistance(to position: Position) -> Float {
    let (dx, dy) = (x - position.x, y - position.y)
    return Float(0.5 * log10(dx * dx + dy * dy + Self.height(of: position) + 0.28 * (xx + yy)))
  }

  /// Standard deviation of the distance to a receiver in metres.
  func deviation(to position: Position) -> Double {
    let (dx, dy) = (x - position.x, y - position.y)
    // Along the line of sight, and across it. The latter matters if the receiver is as near as the position is uncertain.
    let along = dx * dx * xx + 2 * dx * dy * xy + dy * dy * yy
    let across = 0.5 * (xx * xx + 2 * xy * xy + yy * yy)
    let square = dx * dx + dy * dy + Self.height(of: position) + 0.28 * (xx + yy)
    return max(0, (along + across) / square).squareRoot()
  }

  /// Square of the height difference between receiver and beacon, m².
  private static func height(of position: Position) -> Double {
    let difference = position.z - Position.beaconHeight
    return max(difference * difference, closest * closest)
  }
}

/// `receivers` is not coded. It follows from the links.
extension Locator: StateElement {
  mutating func fields(_ coder: inout StateCoder) throws(StateError) {
    try coder("x", &x)
    try coder("y", &y)
    try coder("xx", &xx)
    try coder("xy", &xy)
    try coder("yy", &yy)
    try coder("time", &time)
    try coder.check(isSound)
  }

  /// Whether all values are within their valid ranges.
  var isSound: Bool { abs(x) + abs(y) + abs(xx) + abs(xy) + abs(yy) <= 1e12 }
}
