import Beacons

/// The signal of each beacon in the last overviews, for a sparkline.
struct SignalTrails: Sendable {
  /// How many overviews are kept, one a second.
  static let length = 30
  /// Overviews that come faster count as one.
  private static let step = TimeSpan.milliseconds(900)
  /// The usual range of signals, in dBm.
  private static let range = -100.0 ... -45.0
  private static let bars = Array("▁▂▃▄▅▆▇█")

  /// By beacon; nil: no signal.
  private var trails: [String: [Double?]] = [:]
  private var lastSeen: [String: WallTime] = [:]
  private var latest: WallTime?

  mutating func add(_ picture: TopPicture) {
    let isNew = latest.flatMap { latest in picture.time.map { $0 - latest >= Self.step } } ?? true
    if isNew { latest = picture.time }
    var next: [String: [Double?]] = [:]
    for beacon in picture.beacons {
      var trail = trails[beacon.id] ?? []
      let isHeard = beacon.lastSeen != lastSeen[beacon.id] || beacon.lastSeen == nil
      if isNew || trail.isEmpty {
        trail.append(isHeard ? beacon.rssi : nil)
      } else if isHeard {
        trail[trail.count - 1] = beacon.rssi
      }
      lastSeen[beacon.id] = beacon.lastSeen
      next[beacon.id] = trail.suffix(Self.length)
    }
    // Beacons that are no longer in the overview are removed.
    trails = next
    lastSeen = lastSeen.filter { next[$0.key] != nil }
  }

  /// Puts earlier signals before the stored ones.
  mutating func precede(_ beacon: String, with levels: [Double?]) {
    guard let trail = trails[beacon] else { return }
    trails[beacon] = (levels + trail).suffix(Self.length)
  }

  /// The latest is on the right.
  func sparkline(of beacon: String) -> String {
    let trail = trails[beacon] ?? []
    let bars = trail.map { level -> Character in
      guard let level else { return " " }
      let (low, high) = (Self.range.lowerBound, Self.range.upperBound)
      let share = (min(max(level, low), high) - low) / (high - low)
      return Self.bars[Int((share * Double(Self.bars.count - 1)).rounded())]
    }
    return String(repeating: " ", count: Self.length - bars.count) + String(bars)
  }
}
