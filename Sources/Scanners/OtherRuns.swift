import Beacons

/// The runs that use a gateway's name beside the one that counts. A new run is usually a restart and counts at once. If the former
/// one keeps speaking, there are two gateways; then the first one counts, and the others only after it has fallen silent.
struct OtherRuns: Sendable {
  private enum Kind: UInt8 {
    /// It counted before the present one.
    case former
    /// It cannot have followed the present one: late batches of an earlier run, or a second gateway.
    case stranger
    /// It began while another one was alive.
    case twin
  }

  private struct Run {
    var boot: String
    var kind: Kind
    /// Since when it speaks without a long pause, as a run that does not count; nil: it has not spoken since.
    var speaksSince: MonotonicTime?
    var heard: MonotonicTime
  }

  /// A former run that speaks for so long lives. Late batches of a run that ended come all at once.
  static let proof = TimeSpan.seconds(5)
  /// A pause after which it begins to speak anew.
  private static let pause = TimeSpan.seconds(30)
  /// A run that has not been heard for so long is forgotten.
  private static let memory = TimeSpan.seconds(3600)
  private static let limit = 8

  /// In the order in which they came.
  private var runs: [Run] = []

  /// Whether a second gateway uses the name.
  var hasTwin: Bool { runs.contains { $0.kind == .twin } }

  /// Lets a batch of another run take the place of the present one, or refuses it.
  ///
  /// - Parameters:
  ///   - mayFollow: whether the other may have begun after the present one.
  ///   - isSilent: whether nothing has come from the present one for long.
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
    // It never ended, so those that came later were no restarts.
    for later in runs.indices[place...] where runs[later].kind == .former { runs[later].kind = .twin }
    runs.remove(at: place)
    note(Run(boot: present, kind: .twin, heard: time))
  }

  /// Drops what has not been heard for long.
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

extension OtherRuns: StateCoded {
  func write(to writer: inout StateWriter) {
    writer.count(runs.count)
    for run in runs {
      writer.write(run.boot)
      writer.write(run.kind.rawValue)
      writer.write(run.speaksSince)
      writer.write(run.heard)
    }
  }

  init(reading reader: inout StateReader) throws(StateError) {
    let count = try reader.count()
    guard count <= Self.limit else { throw reader.damaged }
    for _ in 0..<count {
      let boot: String = try reader.read()
      guard let kind = Kind(rawValue: try reader.read()) else { throw reader.damaged }
      runs.append(Run(boot: boot, kind: kind, speaksSince: try reader.read(), heard: try reader.read()))
    }
  }
}
