import Beacons
import Core

/// The offset between another gateway's monotonic clock and ours: the smallest arrival − sent over the last minute, which is
/// the offset plus the shortest delay in the network. The minimum is kept for each of a few parts of that minute, so it follows
/// the drift of both clocks and needs little memory.
struct GatewayClock: Equatable, Sendable {
  /// If a message seems to have taken longer than this, or to be faster than the fastest by more than this, the clock has jumped.
  static let tolerance = TimeSpan.seconds(60)
  /// A message that seems faster than all before by more than this is believed only if the next one agrees.
  private static let leap = TimeSpan.seconds(2)
  private static let part = TimeSpan.seconds(10)
  private static let parts = 6

  /// By part of the window, the newest last.
  private var least: [Part] = []

  private struct Part: Equatable, StateElement {
    var start = MonotonicTime.zero
    var offset = TimeSpan.zero

    mutating func fields(_ coder: inout StateCoder) throws(StateError) {
      try coder("start", &start)
      try coder("offset", &offset)
    }
  }

  /// When the last message was accepted.
  private var taken: MonotonicTime?
  /// Since when all have been refused.
  private var refusedSince: MonotonicTime?

  /// Arrival − sent of the last message, if it was not believed.
  private var doubted: TimeSpan?

  /// Our clock minus theirs; nil before the first message.
  var offset: TimeSpan? { least.map(\.offset).min() }

  static func == (a: Self, b: Self) -> Bool {
    a.taken == b.taken && a.doubted == b.doubted
      && a.least == b.least
  }

  /// Processes a message's times; returns our clock minus theirs. After a jump of the clock, messages are
  /// refused for a minute, and then believed. If a message seems too fast, the previous offset is used.
  ///
  /// - Parameter slack: by how much the message may have come later than `arrival`. Unless it is 0, the
  ///   message shows nothing new about the other clock.
  mutating func take(
    sent: MonotonicTime, arrival: MonotonicTime, slack: TimeSpan = .zero
  ) throws(ScannerRefusal) -> TimeSpan {
    let apparent = arrival - sent
    if let offset {
      let delay = apparent - offset
      if slack > .zero {
        guard delay <= Self.tolerance, delay >= .zero - slack else { throw .clock }
        return offset
      }
      if delay > Self.tolerance || delay < .zero - Self.tolerance {
        let since = refusedSince ?? arrival
        refusedSince = since
        guard arrival - since > Self.tolerance else { throw .clock }
        least.removeAll()
      } else if delay < .zero - Self.leap, !isConfirmed(apparent) {
        // A single wrong send time would make all messages of the next minute look late.
        doubted = apparent
        return offset
      }
    }
    doubted = nil
    // After so long without a message the clocks have drifted apart.
    if let taken, arrival - taken > Self.tolerance { least.removeAll() }
    (taken, refusedSince) = (arrival, nil)
    if let last = least.last, arrival - last.start < Self.part {
      least[least.count - 1].offset = min(last.offset, apparent)
    } else {
      if least.count == Self.parts { least.removeFirst() }
      least.append(Part(start: arrival, offset: apparent))
    }
    return offset ?? apparent
  }

  private func isConfirmed(_ apparent: TimeSpan) -> Bool {
    guard let doubted else { return false }
    return apparent - doubted <= Self.leap && doubted - apparent <= Self.leap
  }

  /// Arrival times since then were wrong: forgets the offset if it rests on them alone.
  mutating func forget(since time: MonotonicTime) {
    if let first = least.first, first.start >= time { least.removeAll() }
  }
}

extension GatewayClock: StateElement {
  mutating func fields(_ coder: inout StateCoder) throws(StateError) {
    try coder("least", &least, atMost: Self.parts)
    try coder("taken", &taken)
    try coder("refused_since", &refusedSince)
    try coder("doubted", &doubted)
  }
}
