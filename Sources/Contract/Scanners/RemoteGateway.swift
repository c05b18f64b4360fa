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
