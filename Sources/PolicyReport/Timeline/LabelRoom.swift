/// The free places for text in a drawing, so that no label covers another.
struct LabelRoom {
  struct Box {
    var x: Double
    var y: Double
    var width: Double
    var height: Double

    func touches(_ other: Box) -> Bool {
      x < other.x + other.width && other.x < x + width && y < other.y + other.height && other.y < y + height
    }
  }

  private var taken: [Box] = []

  mutating func take(_ box: Box) { taken.append(box) }

  /// Uses the first free place; nil: none is free.
  mutating func place(_ places: [Box], within frame: Box) -> Box? {
    let free = places.first { box in
      box.x >= frame.x && box.x + box.width <= frame.x + frame.width && box.y >= frame.y
        && box.y + box.height <= frame.y + frame.height && !taken.contains { $0.touches(box) }
    }
    if let free { take(free) }
    return free
  }

  /// The approximate width of a text in the page's own fonts, rather too large than too small.
  static func width(of text: String, size: Double = 13.5) -> Double { Double(text.count) * size * 0.64 + 4 }
}
