/// Statistics of the distances between estimated and true positions.
public struct PositionErrors: Hashable, Sendable {
  public private(set) var count = 0
  /// The number of coordinates within one and two stated standard deviations of the true ones. Each position has two coordinates.
  private var withinOne = 0
  private var withinTwo = 0
  /// Number of positions by error in centimetres. The last entry includes all larger errors.
  private var counts: [Int32] = []

  private static let largest = 10_000

  public init() {}

  /// - Parameter deviation: stated standard deviation of each coordinate, metres.
  public mutating func add(_ estimate: Point, deviation: Double, truth: Point) {
    if counts.isEmpty { counts = [Int32](repeating: 0, count: Self.largest + 1) }
    let (x, y) = (abs(estimate.x - truth.x), abs(estimate.y - truth.y))
    let error = (x * x + y * y).squareRoot()
    guard error.isFinite else { return }
    count += 1
    counts[Int(min(error * 100, Double(Self.largest)).rounded())] &+= 1
    for offset in [x, y] {
      if offset <= deviation { withinOne += 1 }
      if offset <= 2 * deviation { withinTwo += 1 }
    }
  }

  /// The error in metres that the given share of the positions does not exceed, to a centimetre; nil: no positions.
  public func error(ofShare share: Double) -> Double? {
    guard count > 0 else { return nil }
    let wanted = Int((share * Double(count)).rounded(.up))
    var sum = 0
    for (place, number) in counts.enumerated() {
      sum += Int(number)
      if sum >= max(wanted, 1) { return Double(place) / 100 }
    }
    return nil
  }

  /// 0 to 1; about 0.68 if the stated deviation is right. nil: no positions.
  public var shareWithinOneDeviation: Double? { count > 0 ? Double(withinOne) / Double(2 * count) : nil }
  /// 0 to 1; about 0.95 if the stated deviation is right. nil: no positions.
  public var shareWithinTwoDeviations: Double? { count > 0 ? Double(withinTwo) / Double(2 * count) : nil }
}
