import Beacons
import Core

/// Another Beaconkeeper: the run that is followed, the offset of its clock, and counts of what it sent.
struct RemoteGateway: Sendable {
  /// If a run has sent nothing for this long, another of the same name replaces it.
  private static let patience = TimeSpan.seconds(30)
  static let partitionLimit = 4096
  /// A batch that waited for longer proves nothing about the sender's clock.
  private static let longestHeld = TimeSpan.seconds(86_400)
  /// An observation that was older than this when it was sent is refused.
  static let oldest = TimeSpan.seconds(60)

  /// The largest error of another machine's clock.
  private static let margin = TimeSpan.seconds(10)

  private(set) var boot: String
  /// When its first batch arrived.
  private var since: MonotonicTime
  /// When the run's last batch was sent, by its own clock.
  private var sent = MonotonicTime.zero
  private var others = OtherRuns()
  private(set) var clock = GatewayClock()
  /// When the last message arrived.
  private var arrived: MonotonicTime?
  /// The last number of each partition.
  private var sequences: [Int: UInt64] = [:]
  private(set) var heard: MonotonicTime
  private(set) var batches: UInt64 = 0
  private(set) var observations: UInt64 = 0
  /// Batches that did not arrive.
  private(set) var lost: UInt64 = 0
  private(set) var refused: UInt64 = 0
  private(set) var lastRefusal: ScannerRefusal?

  init(boot: String, at arrival: MonotonicTime) {
    self.boot = boot
    since = arrival
    heard = arrival
  }

  /// Decides whether a batch counts; returns our clock minus the sender's.
  mutating func take(
    _ batch: ObservationBatch, partition: Int, arrival: MonotonicTime, slack: TimeSpan = .zero
  ) throws(ScannerRefusal) -> TimeSpan {
    do throws(ScannerRefusal) {
      try follow(batch, at: arrival)
      // This check comes first, so that a repeated batch is never refused for another cause.
      guard sequences[partition].map({ batch.sequence > $0 }) ?? true else { throw .repeated }
      guard let held = batch.held.map(TimeSpan.milliseconds), held <= Self.longestHeld else { throw .age }
      let sent = MonotonicTime.zero + .milliseconds(batch.sent)
      // With slack, time passes in steps. The first message after a step shows most about the sender's clock.
      let isNew = arrived != arrival
      arrived = arrival
      let offset = try clock.take(sent: sent, arrival: arrival - held, slack: isNew ? .zero : slack)
      if let last = sequences[partition] { lost &+= batch.sequence - last - 1 }
      if sequences.count < Self.partitionLimit || sequences[partition] != nil {
        sequences[partition] = batch.sequence
      }
      heard = arrival
      self.sent = max(self.sent, sent)
      batches += 1
      observations += UInt64(batch.heard.count)
      return offset
    } catch {
      refused += 1
      lastRefusal = error
      throw error
    }
  }

  mutating func forgetClock(since time: MonotonicTime) { clock.forget(since: time) }

  mutating func refuse(_ cause: ScannerRefusal) {
    refused += 1
    lastRefusal = cause
  }

  private mutating func follow(_ batch: ObservationBatch, at arrival: MonotonicTime) throws(ScannerRefusal) {
    others.forget(at: arrival)
    if batch.boot == boot { return }
    try others.replace(
      boot, by: batch.boot, mayFollow: mayFollow(batch, at: arrival),
      isSilent: arrival - heard > Self.patience, at: arrival)
    (boot, since, sent) = (batch.boot, arrival, .zero)
    clock = GatewayClock()
    sequences.removeAll()
  }

  /// Whether another run may have begun after this one: its batch was sent later than this run's last one, or by a clock that was
  /// restarted with the machine since then, or little is known of this run.
  private func mayFollow(_ batch: ObservationBatch, at arrival: MonotonicTime) -> Bool {
    // Made before the machine started.
    if batch.held == nil { return false }
    guard heard - since >= OtherRuns.proof, let offset = clock.offset else { return true }
    let other = TimeSpan.milliseconds(batch.sent)
    let now = arrival - offset
    return sent < .zero + other && .zero + other <= now + Self.margin || other <= now - sent + Self.margin
  }

  /// For `health`.
  func figures(named name: String) -> HealthMessage.Gateway {
    HealthMessage.Gateway(
      name: name, boot: boot, offset: clock.offset, batches: batches, observations: observations, lost: lost,
      refused: refused, hasTwin: others.hasTwin, lastRefusal: lastRefusal?.rawValue)
  }
}

extension RemoteGateway: StateElement {
  init() { self.init(boot: "", at: .zero) }

  mutating func fields(_ coder: inout StateCoder) throws(StateError) {
    try coder("boot", &boot)
    try coder("since", &since)
    try coder("sent", &sent)
    try coder("others", &others)
    try coder("clock", &clock)
    try coder("arrived", &arrived)
    try coder("sequences", &sequences)
    try coder("heard", &heard)
    try coder(tally: "batches", &batches)
    try coder(tally: "observations", &observations)
    try coder("lost", &lost)
    try coder(tally: "refused", &refused)
    try coder("last_refusal", &lastRefusal)
    try coder.check(sequences.count <= Self.partitionLimit)
  }
}

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
