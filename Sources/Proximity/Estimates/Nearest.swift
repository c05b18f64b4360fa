import Beacons

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

  init() {}

  /// The best values of those of a beacon's links whose receivers hear it.
  ///
  /// - Parameters:
  ///   - mask: a bit for each link that counts.
  ///   - lost: how long a receiver's value counts, if that is not learnt.
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
    // Each further receiver that hears the beacon leaves less to chance; where they were asked together, that is counted.
    if count > 1, isKnown, !links[nearestLink].isLocated { margin /= count }
  }

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
