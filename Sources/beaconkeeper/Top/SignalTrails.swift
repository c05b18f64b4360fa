import Core

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

/// The history of a beacon's signal at the gateway, for `SignalTrails`.
enum SignalHistory {
  /// More than half a minute of the busiest beacon.
  private static let valueLimit = 100_000

  /// The path of a beacon's last seconds, below the gateway's address.
  static func path(of beacon: String) -> String {
    // `.` and `..` would be resolved as folders, so they are encoded twice.
    let isFolder = beacon == "." || beacon == ".."
    let name = beacon.utf8.map { byte in
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"):
        return String(Unicode.Scalar(byte))
      default: return (isFolder ? "%25" : "%") + hexadecimal(UInt128(byte), octets: 1).uppercased()
      }
    }.joined()
    return "api/v1/beacons/\(name)/history?minutes=0.5"
  }

  /// The strongest signal of each second until the end of the history, in dBm; nil: no signal. [] if the answer is invalid.
  static func levels(_ body: [UInt8]) -> [Double?] {
    guard let tree = try? JSONTree(body, limit: valueLimit), let heard = tree["sightings"],
      case .number(let end)? = tree["to"], case .list(let times)? = heard["t"],
      case .list(let signals)? = heard["rssi"]
    else { return [] }
    var levels = [Double?](repeating: nil, count: SignalTrails.length)
    for case (.number(let time), .number(let signal)) in zip(times, signals) {
      let age = (end - time) / 1000
      guard age >= 0, age < Double(levels.count) else { continue }
      let place = levels.count - 1 - Int(age)
      levels[place] = max(levels[place] ?? signal, signal)
    }
    return levels
  }
}
