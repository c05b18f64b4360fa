import Beacons

/// Where one beacon stands in one zone, and since when.
struct Presence: Hashable, Sendable, Codable {
  var zone: ZoneIndex
  var isInside = false
  /// Whether near may fire.
  var isArmed = true
  /// When it entered.
  var since = WallTime(nanoseconds: 0)
  /// From when a threshold has been met without a break.
  var nearSince: MonotonicTime?
  var enterSince: MonotonicTime?
  var exitSince: MonotonicTime?
  /// From when the zone's silence counts: the last sighting, or when the zone regained its sight after it.
  var silentSince: MonotonicTime
  /// When silence ends the presence; nil: not while a receiver hears it.
  var lostDeadline: MonotonicTime?

  init(zone: ZoneIndex, time: MonotonicTime) {
    self.zone = zone
    silentSince = time
  }

  /// Takes in where the beacon stands against the thresholds from `time` on.
  @inline(__always) mutating func stand(_ standing: Standing, at time: MonotonicTime) {
    nearSince = standing.contains(.near) ? nearSince ?? time : nil
    enterSince = standing.contains(.entered) ? enterSince ?? time : nil
    // Thresholds of unlike units may contradict each other; then the nearer one holds.
    let isAway = standing.contains(.away) && standing.isDisjoint(with: [.near, .entered])
    exitSince = isAway ? exitSince ?? time : nil
    if standing.contains(.rearmed), !standing.contains(.near) { isArmed = true }
  }

  /// The events due at `time`, in order. `isBlind`: the zone sees nothing, so nobody leaves it.
  @inline(__always) func due(at time: MonotonicTime, dwells: Dwells, isBlind: Bool) -> Due {
    if !isBlind, isInside {
      if let lostDeadline, lostDeadline <= time { return .lost }
      if dwells.exit.isServed(since: exitSince, at: time) { return .exit }
    }
    if isArmed, let dwell = dwells.near, dwell.isServed(since: nearSince, at: time) {
      return isInside ? .near : .enterAndNear
    }
    if !isInside, dwells.enter.isServed(since: enterSince, at: time) { return .enter }
    return .nothing
  }

  enum Due {
    case nothing, enter, near, enterAndNear, exit, lost
  }

  /// When `due` next has something to say, if nothing is heard until then.
  @inline(__always) func deadline(dwells: Dwells, isBlind: Bool) -> MonotonicTime? {
    var earliest: MonotonicTime?
    func consider(_ time: MonotonicTime?) {
      guard let time else { return }
      earliest = earliest.map { min($0, time) } ?? time
    }
    if isInside, !isBlind {
      consider(lostDeadline)
      consider(exitSince.map { $0 + dwells.exit })
    }
    if isArmed, let dwell = dwells.near { consider(nearSince.map { $0 + dwell }) }
    if !isInside { consider(enterSince.map { $0 + dwells.enter }) }
    return earliest
  }

  /// Breaks every dwell: what was met can't be seen any more.
  mutating func interrupt() {
    nearSince = nil
    enterSince = nil
    exitSince = nil
  }

  mutating func leave() {
    isInside = false
    isArmed = true
    lostDeadline = nil
    exitSince = nil
  }

  mutating func shift(by span: TimeSpan) {
    nearSince = nearSince.map { $0 + span }
    enterSince = enterSince.map { $0 + span }
    exitSince = exitSince.map { $0 + span }
    lostDeadline = lostDeadline.map { $0 + span }
    silentSince = silentSince + span
  }
}

extension TimeSpan {
  fileprivate func isServed(since start: MonotonicTime?, at time: MonotonicTime) -> Bool {
    guard let start else { return false }
    return start + self <= time
  }
}
