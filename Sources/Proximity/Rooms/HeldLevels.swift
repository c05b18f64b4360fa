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
    var hearer: UInt16
    /// Usual number of windows between reports.
    var gap = HeldLevels.first
    /// Advertisements in the newest report.
    var samples: UInt8 = 0
    /// The low bits of its window's number.
    var window: Int32 = 0
    /// Smoothed, tenths of a dBm.
    var level: Int16 = 0

    /// Whether the level still counts: the next report is not overdue.
    func isValid(in now: Int64) -> Bool {
      let age = age(in: now)
      return age >= 0 && age <= Int32(gap) + Int32(gap) / 2 + 1
    }

    func age(in now: Int64) -> Int32 { Int32(truncatingIfNeeded: now) &- window }

    var hearing: RoomHearing {
      RoomHearing(hearer: Int(hearer), level: Float(level) / 10, samples: Int(samples))
    }
  }

  private let hearers: Int
  /// By track: the last level at each receiver that heard the beacon, in the order of the receivers.
  private var words: [[Word]] = []

  /// Memory for one track, octets. On a large site few of the receivers hear a beacon.
  var size: Int { min(hearers, Self.usualHearers) * MemoryLayout<Word>.stride }

  private static let usualHearers = 16
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

  mutating func reserve(_ tracks: Int) { words.reserveCapacity(tracks) }

  mutating func append() { words.append([]) }

  /// Resets a track.
  mutating func reset(_ track: Int) { words[track].removeAll(keepingCapacity: true) }

  mutating func note(_ hearing: RoomHearing, of track: Int, in window: Int64) {
    let place = words[track].firstIndex { $0.hearer >= hearing.hearer } ?? words[track].count
    var word = Word(hearer: UInt16(hearing.hearer))
    word.window = Int32(truncatingIfNeeded: window)
    word.samples = UInt8(min(hearing.samples, 255))
    guard place < words[track].count, words[track][place].hearer == word.hearer else {
      word.level = Int16((hearing.level * 10).rounded())
      return words[track].insert(word, at: place)
    }
    let old = words[track][place]
    let since = old.age(in: window)
    var level = hearing.level
    if (1...Self.longest).contains(since) {
      let kept = exp(-Float(since) * Float(RoomWindows.length.seconds) / Self.memory)
      level += kept * (Float(old.level) / 10 - level)
      word.gap = max(UInt8(since), old.gap - (old.gap + 7) / 8)
    }
    word.level = Int16((level * 10).rounded())
    words[track][place] = word
  }

  /// Adds the last levels of a track at receivers whose next report is not overdue.
  ///
  /// - Parameter isPast: leaves out the levels of this window.
  func add(
    _ track: Int, in window: Int64, isPast: Bool, except blind: HearerSet, to hearings: inout [RoomHearing]
  ) {
    for word in words[track] where word.isValid(in: window) && !blind.contains(Int(word.hearer)) {
      if isPast, word.age(in: window) == 0 { continue }
      var hearing = word.hearing
      hearing.isHeld = true
      hearings.append(hearing)
    }
  }

  /// Adds the last levels of a track at receivers that have heard no beacon since. Their silence does not
  /// show that the beacon left.
  ///
  /// - Parameter last: the last window before this one in which a receiver heard any beacon, if its levels still count.
  func addDoubtful(
    _ track: Int, in window: Int64, to hearings: inout [RoomHearing], since last: (Int) -> Int64?
  ) {
    for word in words[track] where !word.isValid(in: window) {
      guard let last = last(Int(word.hearer)), word.isValid(in: last) else { continue }
      var hearing = word.hearing
      hearing.isDoubtful = true
      hearings.append(hearing)
    }
  }

  mutating func forget(_ track: Int, at hearer: Int) { words[track].removeAll { $0.hearer == hearer } }

  /// Forgets levels that can no longer count.
  ///
  /// - Parameter last: the last window in which a receiver heard any beacon, if its levels may still count.
  mutating func forgetOld(_ track: Int, in window: Int64, last: (Int) -> Int64?) {
    func isOld(_ word: Word) -> Bool {
      guard word.age(in: window) > 2 * Self.longest else { return false }
      return last(Int(word.hearer)).map { word.age(in: $0) > 2 * Self.longest } ?? true
    }
    if words[track].contains(where: isOld) { words[track].removeAll(where: isOld) }
  }
}

extension HeldLevels {
  func write(_ track: Int, to coder: inout StateCoder) {
    coder.count(words[track].count)
    for word in words[track] {
      coder.write(word.hearer)
      coder.write(word.gap)
      coder.write(word.samples)
      coder.write(word.window)
      coder.write(word.level)
    }
  }

  /// Appends a track.
  mutating func append(from coder: inout StateCoder) throws(StateError) {
    var read: [Word] = []
    for _ in 0..<(try coder.count()) {
      let word = Word(
        hearer: try coder.read(), gap: try coder.read(), samples: try coder.read(), window: try coder.read(),
        level: try coder.read())
      guard Int(word.hearer) < hearers, read.last.map({ $0.hearer < word.hearer }) ?? true,
        (1...UInt8(Self.longest)).contains(word.gap), Self.levels.contains(word.level)
      else { throw coder.damaged }
      read.append(word)
    }
    words.append(read)
  }
}
