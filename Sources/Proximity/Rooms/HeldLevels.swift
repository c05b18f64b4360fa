import Beacons
import Core
import Glibc

/// The last level of each beacon at each receiver. It is kept until the receiver's next report is overdue.
///
/// Receivers report at different times, some of them rarely. ESPresense reports a beacon at rest every five seconds, other scanners
/// report each advertisement. If only the reports of one window counted, the most frequent reporter would outweigh the others. In a
/// simulated house of such boards, rooms without outlines were right 55 % of the time, and 69 % with held levels.
struct HeldLevels: Sendable {
  private struct Word: Sendable {
    /// The low bits of its window's number.
    var window: Int32 = 0
    /// Smoothed, tenths of a dBm.
    var level: Int16 = 0
    /// Usual number of windows between reports; 0: no report yet.
    var gap: UInt8 = 0
    /// Advertisements in the newest report.
    var samples: UInt8 = 0

    /// Whether the next report is not overdue.
    func isValid(in now: Int64) -> Bool {
      let age = Int32(truncatingIfNeeded: now) &- window
      return gap > 0 && age >= 0 && age <= Int32(gap) + Int32(gap) / 2 + 1
    }
  }

  private let hearers: Int
  /// By track, then hearer.
  private var words: [Word] = []

  /// Memory for one track, octets.
  var size: Int { hearers * MemoryLayout<Word>.stride }

  /// A receiver without a report for this many windows (7 s) no longer hears the beacon. That is the five seconds of ESPresense and
  /// some loss.
  private static let longest: Int32 = 24
  /// Valid levels, tenths of a dBm.
  private static let levels: ClosedRange<Int16> = -1280...1270
  /// Initial gap of a receiver, windows.
  private static let first: UInt8 = 4
  /// Seconds over which levels are smoothed.
  private static let memory: Float = 1

  init(hearers: Int) { self.hearers = hearers }

  mutating func reserve(_ tracks: Int) { words.reserveCapacity(tracks * hearers) }

  mutating func append() { words += repeatElement(Word(), count: hearers) }

  /// Resets a track.
  mutating func reset(_ track: Int) {
    for hearer in 0..<hearers { words[track * hearers + hearer] = Word() }
  }

  mutating func note(_ hearing: RoomHearing, of track: Int, in window: Int64) {
    let index = track * hearers + hearing.hearer
    let old = words[index]
    let since = Int32(truncatingIfNeeded: window) &- old.window
    var word = Word(
      window: Int32(truncatingIfNeeded: window), gap: Self.first, samples: UInt8(min(hearing.samples, 255)))
    var level = hearing.level
    if old.gap > 0, (1...Self.longest).contains(since) {
      let kept = exp(-Float(since) * Float(RoomWindows.length.seconds) / Self.memory)
      level += kept * (Float(old.level) / 10 - level)
      word.gap = max(UInt8(since), old.gap - (old.gap + 7) / 8)
    }
    word.level = Int16((level * 10).rounded())
    words[index] = word
  }

  /// The last level of a track at a receiver; nil: none, or too old.
  func hearing(of track: Int, at hearer: Int, in window: Int64) -> RoomHearing? {
    let word = words[track * hearers + hearer]
    guard word.isValid(in: window) else { return nil }
    return RoomHearing(
      hearer: hearer, level: Float(word.level) / 10, samples: Int(word.samples), isHeld: true)
  }

  /// The last level of a track at a receiver that has been silent since, so that nothing shows that the beacon left; nil: none.
  ///
  /// - Parameter last: the last window in which the receiver heard any beacon.
  func doubtfulHearing(of track: Int, at hearer: Int, in window: Int64, since last: Int64) -> RoomHearing? {
    let word = words[track * hearers + hearer]
    guard word.isValid(in: last), !word.isValid(in: window) else { return nil }
    return RoomHearing(
      hearer: hearer, level: Float(word.level) / 10, samples: Int(word.samples), isDoubtful: true)
  }

  mutating func forget(_ track: Int, at hearer: Int) { words[track * hearers + hearer] = Word() }
}

extension HeldLevels {
  func write(_ track: Int, to coder: inout StateCoder) {
    for word in words[(track * hearers)..<((track + 1) * hearers)] {
      coder.write(word.gap)
      guard word.gap > 0 else { continue }
      coder.write(word.window)
      coder.write(word.level)
      coder.write(word.samples)
    }
  }

  /// Appends a track.
  mutating func append(from coder: inout StateCoder) throws(StateError) {
    for _ in 0..<hearers {
      var word = Word(gap: try coder.read())
      if word.gap > 0 {
        word.window = try coder.read()
        word.level = try coder.read()
        word.samples = try coder.read()
      }
      guard word.gap <= Self.longest, Self.levels.contains(word.level) else { throw coder.damaged }
      words.append(word)
    }
  }
}
