/// How far estimated positions are from the true ones.
public struct PositionErrors: Hashable, Sendable {
  public private(set) var count = 0
  /// How many coordinates lie within one and two stated standard deviations of the true ones: two coordinates a position.
  private var withinOne = 0
  private var withinTwo = 0
  /// By centimetres; the last one: or more.
  private var counts: [Int32] = []

  private static let largest = 10_000

  public init() {}

  /// - Parameter deviation: as stated, of each coordinate, metres.
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

  /// The error that a share of the positions does not exceed, metres, to a centimetre; nil: there are none.
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

  /// 0 to 1; about 0.68 if the stated deviation is right. nil: there are no positions.
  public var shareWithinOneDeviation: Double? { count > 0 ? Double(withinOne) / Double(2 * count) : nil }
  /// 0 to 1; about 0.95 if the stated deviation is right. nil: there are no positions.
  public var shareWithinTwoDeviations: Double? { count > 0 ? Double(withinTwo) / Double(2 * count) : nil }
}
