import Beacons
import Glibc

/// What each receiver last heard of each beacon, for as long as it usually takes until it hears it again.
///
/// Receivers speak at different moments, and some seldom: ESPresense tells of a beacon that lies still every five seconds, other
/// scanners of each advertisement. If only what was said in a window counted, whoever speaks most often would outvote the
/// others: in a simulated house of such boards, rooms that are just names were right 55 % of the time, and are 69 % with this.
struct HeldLevels: Sendable {
  private struct Word: Sendable {
    /// The low bits of its window's number.
    var window: Int32 = 0
    /// Smoothed, tenths of a dBm.
    var level: Int16 = 0
    /// Windows from one word to the next, as it usually is; 0: it said nothing yet.
    var gap: UInt8 = 0
    /// Advertisements in the newest word.
    var samples: UInt8 = 0
  }

  private let hearers: Int
  /// By track, then hearer.
  private var words: [Word] = []

  /// Octets of a track.
  var size: Int { hearers * MemoryLayout<Word>.stride }

  /// Who says nothing for longer than this many windows does not hear the beacon. Some seven seconds: ESPresense's five, and
  /// what may be lost.
  private static let longest: Int32 = 24
  /// Tenths of a dBm, as advertisements have them.
  private static let levels: ClosedRange<Int16> = -1280...1270
  /// The gap of who speaks first, windows.
  private static let first: UInt8 = 4
  /// Seconds over which levels are smoothed.
  private static let memory: Float = 1

  init(hearers: Int) { self.hearers = hearers }

  mutating func reserve(_ tracks: Int) { words.reserveCapacity(tracks * hearers) }

  mutating func append() { words += repeatElement(Word(), count: hearers) }

  /// Nothing is known of a track any more.
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

  /// What a hearer said of a track, if that still holds.
  func hearing(of track: Int, at hearer: Int, in window: Int64) -> RoomHearing? {
    let word = words[track * hearers + hearer]
    let age = Int32(truncatingIfNeeded: window) &- word.window
    guard word.gap > 0, age >= 0, age <= Int32(word.gap) + Int32(word.gap) / 2 + 1 else { return nil }
    return RoomHearing(hearer: hearer, level: Float(word.level) / 10, samples: Int(word.samples))
  }
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
