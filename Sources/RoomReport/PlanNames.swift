/// Finds places for the names on a plan, so that none covers another one or a receiver.
struct PlanNames {
  /// Where a text may be: a point of its baseline, and which part of the text is there.
  struct Place {
    enum Anchor: String { case start, middle, end }

    var x: Double
    var y: Double
    var anchor = Anchor.middle
  }

  private struct Box {
    var left: Double
    var right: Double
    var top: Double
    var bottom: Double

    /// The area that both cover.
    func overlap(_ other: Box) -> Double {
      max(0, min(right, other.right) - max(left, other.left))
        * max(0, min(bottom, other.bottom) - max(top, other.top))
    }
  }

  /// The width of a letter per unit of font size. The font is unknown; this is wide.
  private static let letter = 0.6
  private static let ascent = 0.8
  private static let descent = 0.25

  private let width: Double
  private let height: Double
  private var taken: [Box] = []

  /// - Parameters:
  ///   - width, height: of the drawing; names stay within it.
  init(width: Double, height: Double) {
    self.width = width
    self.height = height
  }

  /// Keeps names off a square around a point.
  mutating func reserve(x: Double, y: Double, _ reach: Double) {
    taken.append(Box(left: x - reach, right: x + reach, top: y - reach, bottom: y + reach))
  }

  /// The first free place, otherwise the one that covers least. The name is moved sideways into the drawing.
  mutating func place(_ name: String, size: Double, in places: [Place]) -> Place? {
    var best: (place: Place, box: Box, cost: Double)?
    for place in places {
      var (place, box) = (place, box(of: name, size, at: place))
      let shift = max(0, -box.left) - max(0, box.right - width)
      place.x += shift
      box.left += shift
      box.right += shift
      let outside = max(0, -box.top) + max(0, box.bottom - height)
      let cost = taken.reduce(outside * width) { $0 + $1.overlap(box) }
      if best.map({ cost < $0.cost }) ?? true { best = (place, box, cost) }
      if cost == 0 { break }
    }
    if let best { taken.append(best.box) }
    return best?.place
  }

  private func box(of name: String, _ size: Double, at place: Place) -> Box {
    let length = Double(name.count) * size * Self.letter
    let left =
      switch place.anchor {
      case .start: place.x
      case .middle: place.x - length / 2
      case .end: place.x - length
      }
    return Box(
      left: left, right: left + length, top: place.y - size * Self.ascent,
      bottom: place.y + size * Self.descent)
  }
}
