import Beacons

/// The best values that a zone's receivers have for the beacon now: the smallest distance and the strongest
/// signal. They may come from different receivers.
struct Nearest {
  var logDistance = Float.infinity
  /// How far `logDistance` must be beyond a threshold to decide.
  var margin: Float = 0
  var level = -Float.infinity
  var nearestLink: Int32 = -1
  var strongestLink: Int32 = -1

  /// Considers one receiver's values, if it has a level.
  mutating func consider(logDistance: Float, margin: Float, level: Float, at index: Int32) {
    if logDistance < self.logDistance {
      self.logDistance = logDistance
      self.margin = margin
      nearestLink = index
    }
    if level > self.level {
      self.level = level
      strongestLink = index
    }
  }

  var isKnown: Bool { nearestLink >= 0 }

  init() {}

  /// The best values of a presence's receivers that hear its beacon.
  ///
  /// - Parameters:
  ///   - member: the first member of the presence.
  ///   - lost: how long a receiver's value counts, if that is not learnt.
  @inline(__always) init(
    of member: Int32, lost: TimeSpan?, at time: MonotonicTime, members: Span<Member>, links: Span<LinkSlot>
  ) {
    var member = member
    var count: Float = 0
    while member >= 0 {
      let link = members[Int(member)].link
      member = members[Int(member)].nextOfPresence
      guard links[Int(link)].link.isCurrent else { continue }
      if let lost, links[Int(link)].link.lastHeard + lost < time { continue }
      consider(link, in: links)
      count += 1
    }
    // Each further receiver that hears the beacon leaves less to chance; where they were asked together, that is counted.
    if count > 1, isKnown, !links[Int(nearestLink)].link.isLocated { margin /= count }
  }

  /// Considers the values of a link. It reads single fields, so that no link is copied.
  @inline(__always) mutating func consider(_ index: Int32, in links: Span<LinkSlot>) {
    let slot = Int(index)
    guard links[slot].link.filter.hasLevel else { return }
    consider(
      logDistance: links[slot].link.logDistance, margin: links[slot].link.margin,
      level: links[slot].link.filter.level, at: index)
  }
}
