import Proximity

/// How two outlines of one floor lie to each other.
extension Outline {
  /// The area that both cover, m². Between two corners' heights it is measured in a few strips, which is exact for walls at
  /// right angles.
  func overlap(with other: Outline) -> Double {
    let heights = (corners + other.corners).map(\.y).sorted()
    let strips = 4
    var area = 0.0
    for (low, high) in zip(heights, heights.dropFirst()) where high > low {
      let strip = (high - low) / Double(strips)
      for place in 0..<strips {
        let height = low + (Double(place) + 0.5) * strip
        area += strip * commonLength(spans(at: height), other.spans(at: height))
      }
    }
    return area
  }

  /// Where a line to the east is inside: pairs of coordinates, ascending.
  private func spans(at height: Double) -> [Double] {
    walls.filter { ($0.from.y > height) != ($0.to.y > height) }.map { $0.x(at: height) }.sorted()
  }

  /// How much of this outline is no farther than `gap` from another, metres: a wall has some thickness.
  func sharedWall(with other: Outline, gap: Double = 0.4) -> Double {
    guard mayTouch(other, gap) else { return 0 }
    let step = 0.1
    // A long side of a hall takes no more steps than this.
    let most = 1_000.0
    return walls.reduce(0) { total, side in
      let steps = max(1, min(most, (side.length / step).rounded(.up)))
      let shared = (0..<Int(steps)).count { place in
        other.gap(to: side.point(at: (Double(place) + 0.5) / steps)) <= gap
      }
      return total + side.length * Double(shared) / steps
    }
  }

  private func mayTouch(_ other: Outline, _ gap: Double) -> Bool {
    func isApart(_ axis: (Point) -> Double) -> Bool {
      let (own, theirs) = (corners.map(axis), other.corners.map(axis))
      guard let least = own.min(), let most = own.max(), let low = theirs.min(), let high = theirs.max()
      else {
        return true
      }
      return least > high + gap || low > most + gap
    }
    return !isApart(\.x) && !isApart(\.y)
  }
}

private func commonLength(_ own: [Double], _ theirs: [Double]) -> Double {
  var length = 0.0
  var (first, second) = (0, 0)
  while first + 1 < own.count, second + 1 < theirs.count {
    length += max(0, min(own[first + 1], theirs[second + 1]) - max(own[first], theirs[second]))
    if own[first + 1] < theirs[second + 1] { first += 2 } else { second += 2 }
  }
  return length
}
