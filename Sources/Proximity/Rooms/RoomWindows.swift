import Beacons
import Core

/// Levels that were not judged yet. Time is divided into windows. A window is judged as a whole after its end and a time for late
/// arrivals, so the order of arrival does not matter.
struct RoomWindows: Sendable {
  struct Entry: Sendable {
    var window: Int64
    var beacon: Int32
    var hearer: UInt16
    var level: Int8
    /// Sort key: by beacon, then hearer.
    var key: UInt64 { UInt64(UInt32(bitPattern: beacon)) << 16 | UInt64(hearer) }
  }

  /// A beacon moves about a step in this time. In shorter windows, advertisements are too irregular.
  static let length = TimeSpan.milliseconds(300)
  /// Maximum number of waiting advertisements; further ones are dropped and counted.
  static let limit = 1 << 20

  let lateness: TimeSpan
  private var entries: [Entry] = []
  /// The earliest window with entries.
  private(set) var first: Int64?
  /// Windows before this one are judged.
  private var next = Int64.min
  /// Advertisements that came too late or were too many.
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

  /// An entry later than `lateness` still counts for this long if no later window was judged. Accepting older ones would cause
  /// transitions in the past.
  private static let grace = TimeSpan.seconds(2)

  mutating func add(_ beacon: Int32, hearer: Int, level: Int8, at time: MonotonicTime, now: MonotonicTime) {
    let window = Self.window(of: time)
    let isLate = Self.end(of: window) + lateness + Self.grace <= now
    guard window >= next, !isLate, entries.count < Self.limit else {
      dropped += 1
      return
    }
    entries.append(
      Entry(window: window, beacon: beacon, hearer: UInt16(truncatingIfNeeded: hearer), level: level))
    first = min(first ?? window, window)
  }

  /// Removes all entries of these beacons.
  mutating func drop(_ beacons: Set<Int32>) {
    entries.removeAll { beacons.contains($0.beacon) }
    first = entries.lazy.map(\.window).min()
  }

  /// Takes the entries of the earliest window, sorted.
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
  /// Whether the window is within the range of times.
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
