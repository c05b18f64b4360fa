import Beacons

/// What was heard and not judged yet. Time is cut into windows; those of one window are judged together once it is over, and
/// once those that come late had time to arrive. So the order in which they arrive decides nothing.
struct RoomWindows: Sendable {
  struct Entry: Sendable {
    var window: Int64
    var beacon: Int32
    var hearer: UInt8
    var level: Int8
    /// Wherever the order decides: by beacon, then hearer.
    var key: UInt64 { UInt64(UInt32(bitPattern: beacon)) << 8 | UInt64(hearer) }
  }

  /// A beacon may have moved a step meanwhile, and no receiver's advertisements come evenly within less.
  static let length = TimeSpan.milliseconds(300)
  /// Advertisements that wait at most; further ones are dropped and counted.
  static let limit = 1 << 20

  let lateness: TimeSpan
  private var entries: [Entry] = []
  /// The earliest that holds something.
  private(set) var first: Int64?
  /// Windows before this one are judged.
  private var next = Int64.min
  /// Came too late, or were too many.
  private(set) var dropped: UInt64 = 0

  init(lateness: TimeSpan) { self.lateness = lateness }

  static func window(of time: MonotonicTime) -> Int64 {
    let (quotient, remainder) = time.nanoseconds.quotientAndRemainder(dividingBy: length.nanoseconds)
    return remainder < 0 ? quotient - 1 : quotient
  }

  static func end(of window: Int64) -> MonotonicTime {
    MonotonicTime(nanoseconds: (window + 1).multipliedReportingOverflow(by: length.nanoseconds).partialValue)
  }

  /// When the earliest window can be judged; nil: nothing waits.
  var due: MonotonicTime? { first.map { Self.end(of: $0) + lateness } }

  /// What comes later than `lateness` counts while no window after it was judged, for so long. Older ones would let beacons go
  /// and come in the past, one window after the other.
  private static let grace = TimeSpan.seconds(2)

  mutating func add(_ beacon: Int32, hearer: Int, level: Int8, at time: MonotonicTime, now: MonotonicTime) {
    let window = Self.window(of: time)
    let isLate = Self.end(of: window) + lateness + Self.grace <= now
    guard window >= next, !isLate, entries.count < Self.limit else {
      dropped += 1
      return
    }
    entries.append(
      Entry(window: window, beacon: beacon, hearer: UInt8(truncatingIfNeeded: hearer), level: level))
    first = min(first ?? window, window)
  }

  /// Nothing of these beacons is judged.
  mutating func drop(_ beacons: Set<Int32>) {
    entries.removeAll { beacons.contains($0.beacon) }
    first = entries.lazy.map(\.window).min()
  }

  /// Hands over the earliest window, in order.
  mutating func take(into taken: inout [Entry]) -> Int64? {
    taken.removeAll(keepingCapacity: true)
    guard let window = first else { return nil }
    next = window + 1
    var kept = 0
    first = nil
    for index in entries.indices {
      let entry = entries[index]
      if entry.window == window {
        taken.append(entry)
      } else {
        entries[kept] = entry
        kept += 1
        first = min(first ?? entry.window, entry.window)
      }
    }
    entries.removeLast(entries.count - kept)
    taken.sort { $0.key < $1.key }
    return window
  }
}

extension RoomWindows {
  /// Whether any time lies in it.
  static func isPossible(_ window: Int64) -> Bool { abs(window / 2) <= Int64.max / length.nanoseconds }

  mutating func fields(_ coder: inout StateCoder, tracks: Int, hearers: Int) throws(StateError) {
    try coder("entries", &entries, atMost: Self.limit)
    try coder("next", &next)
    try coder(tally: "dropped", &dropped)
    try coder.check(
      entries.allSatisfy { $0.beacon >= 0 && Int($0.beacon) < tracks && Int($0.hearer) < hearers })
    if coder.isReading { first = entries.lazy.map(\.window).min() }
  }
}

extension RoomWindows.Entry: StateElement {
  init() { self.init(window: 0, beacon: 0, hearer: 0, level: 0) }

  mutating func fields(_ coder: inout StateCoder) throws(StateError) {
    try coder("window", &window)
    try coder("beacon", &beacon)
    try coder("hearer", &hearer)
    try coder("level", &level)
    try coder.check(RoomWindows.isPossible(window))
  }
}
