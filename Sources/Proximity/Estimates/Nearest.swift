/// The best values that a zone's receivers have for the beacon now: the smallest distance and the strongest
/// signal. They may come from different receivers.
struct Nearest {
  var logDistance = Float.infinity
  /// How far `logDistance` must be beyond a threshold to decide.
  var margin: Float = 0
  var level = -Float.infinity
  /// Links by their place in the beacon's record; −1: none.
  var nearestLink = -1
  var strongestLink = -1

  var isKnown: Bool { nearestLink >= 0 }

  /// Considers one receiver's values.
  @inline(__always) mutating func consider(logDistance: Float, margin: Float, level: Float, at link: Int) {
    if logDistance < self.logDistance {
      self.logDistance = logDistance
      self.margin = margin
      nearestLink = link
    }
    if level > self.level {
      self.level = level
      strongestLink = link
    }
  }
}
