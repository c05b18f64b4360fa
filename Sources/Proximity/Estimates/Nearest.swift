import Beacons

/// The smallest distance and the strongest signal of a beacon now, over all receivers of a zone. They may come from different
/// receivers.
struct Nearest {
  var logDistance = Float.infinity
  /// How far `logDistance` must be beyond a threshold to count as beyond it.
  var margin: Float = 0
  var level = -Float.infinity
  /// Indices of links in the beacon's record; −1: none.
  var nearestLink = -1
  var strongestLink = -1

  init() {}

  /// Finds the best values over the selected links that currently hear the beacon.
  ///
  /// - Parameters:
  ///   - mask: a bit for each link that counts.
  ///   - lost: maximum age of a receiver's value; nil: learnt from the beacon's interval.
  @inline(__always) init(of links: Span<Link>, _ mask: UInt64, lost: TimeSpan?, at time: MonotonicTime) {
    var count: Float = 0
    for link in links.indices.reversed() where mask & (1 << UInt64(link)) != 0 {
      guard links[link].isCurrent else { continue }
      if let lost, links[link].lastHeard + lost < time { continue }
      count += 1
      guard links[link].filter.hasLevel else { continue }
      consider(
        logDistance: links[link].logDistance, margin: links[link].margin, level: links[link].filter.level,
        at: link)
    }
    // Each further receiver makes the distance more certain. A joint position already accounts for that.
    if count > 1, isKnown, !links[nearestLink].isLocated { margin /= count }
  }

  var isKnown: Bool { nearestLink >= 0 }

  /// Compares one receiver's values with the best so far.
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
