import Beacons

/// The best that the receivers of a zone make of a beacon now: the smallest distance and the strongest
/// signal, which need not come from the same one.
struct Nearest {
  var logDistance = Float.infinity
  var level = -Float.infinity
  var nearestLink: Int32 = -1
  var strongestLink: Int32 = -1

  /// Takes in what one receiver makes of the beacon, if that has a level.
  mutating func consider(logDistance: Float, level: Float, at index: Int32) {
    if logDistance < self.logDistance {
      self.logDistance = logDistance
      nearestLink = index
    }
    if level > self.level {
      self.level = level
      strongestLink = index
    }
  }

  var isKnown: Bool { nearestLink >= 0 }

  init() {}

  /// What the receivers of a presence that hear its beacon make of it.
  ///
  /// - Parameters:
  ///   - member: the first of the presence.
  ///   - lost: how long a receiver's word counts, where that is not learnt.
  @inline(__always) init(
    of member: Int32, lost: TimeSpan?, at time: MonotonicTime, members: Span<Member>, links: Span<LinkSlot>
  ) {
    var member = member
    while member >= 0 {
      let link = members[Int(member)].link
      member = members[Int(member)].nextOfPresence
      guard links[Int(link)].link.isCurrent else { continue }
      if let lost, links[Int(link)].link.lastHeard + lost < time { continue }
      consider(link, in: links)
    }
  }

  /// What the only receiver of a presence makes of its beacon, which it hears.
  @inline(__always) init(only link: Link, at index: Int32) {
    if link.filter.hasLevel { consider(logDistance: link.logDistance, level: link.filter.level, at: index) }
  }

  /// Takes in what a link makes of the beacon. Fields are read one by one, so that no link is copied.
  @inline(__always) mutating func consider(_ index: Int32, in links: Span<LinkSlot>) {
    let slot = Int(index)
    guard links[slot].link.filter.hasLevel else { return }
    consider(
      logDistance: links[slot].link.logDistance, level: links[slot].link.filter.level, at: index)
  }
}
