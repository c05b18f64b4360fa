import Beacons
import Glibc

/// The position of a beacon, from all receivers of known position that hear it: an extended Kalman filter on the plane over
/// RSSI, with a random walk as the motion model.
///
/// One receiver alone cannot tell a near beacon behind a body from a far one. Several together can.
struct Locator: Hashable, Sendable {
  /// Receivers needed for a position to mean anything.
  static let quorum: UInt16 = 3
  /// How far a beacon moves in a second (standard deviation, metres): walking.
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

    // E[ln d²] over the present uncertainty, within a few per cent: add half the variance to the square.
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
    // Along the line of sight, and what is across it where the receiver is no farther than the position is uncertain.
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

/// How many receivers hear the beacon follows from the links.
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

  /// Whether it can be: all that was read has a range.
  var isSound: Bool { abs(x) + abs(y) + abs(xx) + abs(xy) + abs(yy) <= 1e12 }
}
