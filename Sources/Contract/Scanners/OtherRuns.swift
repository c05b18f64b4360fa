import Beacons
import Core

/// Other runs under a gateway's name besides the one that counts. A new run is usually a restart and counts at once. If the
/// former run keeps sending, there are two gateways. Then the first one counts, and the others only after it has fallen silent.
struct OtherRuns: Sendable {
  private enum Kind: UInt8, StateCoded {
    /// The run that counted before the present one.
    case former
    /// A run that cannot have started after the present one: its batches come late, or from a second gateway.
    case stranger
    /// A run that began while another one was active: a second gateway.
    case twin
  }

  private struct Run: StateElement {
    var boot = ""
    var kind = Kind.former
    /// Since when it has been sending without a long pause although it does not count; nil: it has sent nothing since.
    var speaksSince: MonotonicTime?
    var heard = MonotonicTime.zero

    mutating func fields(_ coder: inout StateCoder) throws(StateError) {
      try coder("boot", &boot)
      try coder("kind", &kind)
      try coder("speaks_since", &speaksSince)
      try coder("heard", &heard)
    }
  }

  /// A former run that sends for this long is active. Late batches of a run that ended come all at once.
  static let proof = TimeSpan.seconds(5)
  /// After a pause of this length it counts as starting again.
  private static let pause = TimeSpan.seconds(30)
  /// A run that has been silent for this long is forgotten.
  private static let memory = TimeSpan.seconds(3600)
  private static let limit = 8

  /// In the order in which they came.
  private var runs: [Run] = []

  /// Whether a second gateway uses the name.
  var hasTwin: Bool { runs.contains { $0.kind == .twin } }

  /// Decides about a batch of another run: it replaces the present run, or is refused.
  ///
  /// - Parameters:
  ///   - mayFollow: whether the other run may have begun after the present one.
  ///   - isSilent: whether nothing has come from the present run for long.
  mutating func replace(
    _ present: String, by other: String, mayFollow: Bool, isSilent: Bool, at time: MonotonicTime
  ) throws(ScannerRefusal) {
    guard let place = runs.firstIndex(where: { $0.boot == other }) else {
      if isSilent || mayFollow && !hasTwin { return note(Run(boot: present, kind: .former, heard: time)) }
      note(Run(boot: other, kind: hasTwin ? .twin : .stranger, speaksSince: time, heard: time))
      throw hasTwin ? .twin : .former
    }
    let hasPaused = time - runs[place].heard > Self.pause
    runs[place].heard = time
    if isSilent, runs[place].kind != .former {
      runs.remove(at: place)
      return note(Run(boot: present, kind: .former, heard: time))
    }
    if runs[place].kind == .twin { throw .twin }
    guard let since = runs[place].speaksSince, !hasPaused else {
      runs[place].speaksSince = time
      throw .former
    }
    guard time - since >= Self.proof else { throw .former }
    if runs[place].kind == .stranger {
      runs[place].kind = .twin
      throw .twin
    }
    // This run never ended, so the later ones were not its restarts.
    for later in runs.indices[place...] where runs[later].kind == .former { runs[later].kind = .twin }
    runs.remove(at: place)
    note(Run(boot: present, kind: .twin, heard: time))
  }

  /// Forgets runs that have been silent for long.
  mutating func forget(at time: MonotonicTime) { runs.removeAll { time - $0.heard > Self.memory } }

  private mutating func note(_ run: Run) {
    if runs.count == Self.limit,
      let longestAgo = runs.indices.min(by: { runs[$0].heard < runs[$1].heard })
    {
      runs.remove(at: longestAgo)
    }
    runs.append(run)
  }
}

extension OtherRuns: StateElement {
  mutating func fields(_ coder: inout StateCoder) throws(StateError) {
    try coder("runs", &runs, atMost: Self.limit)
  }
}
