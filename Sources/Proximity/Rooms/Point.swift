/// A place on a floor, in the site's own coordinates: metres, as the `x` and `y` of a `Position`.
public struct Point: Hashable, Sendable, Codable {
  public var x: Double
  public var y: Double

  public init(x: Double, y: Double) {
    self.x = x
    self.y = y
  }
}
