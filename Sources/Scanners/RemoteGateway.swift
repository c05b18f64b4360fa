import Beacons
import Messages

/// Another Beaconkeeper: the run that is followed, the offset of its clock, and counts of what it sent.
struct RemoteGateway: Sendable {
  /// A run that sent nothing for so long gives way to another of the same name.
  private static let patience = TimeSpan.seconds(30)
  static let partitionLimit = 4096
  /// A batch that waited for longer says nothing about the sender's clock.
  private static let longestHeld = TimeSpan.seconds(86_400)
  /// An observation older than this when it was sent is no news.
  static let oldest = TimeSpan.seconds(60)

  private(set) var boot: String
  private var others = OtherRuns()
  private(set) var clock = GatewayClock()
  /// When the last message arrived.
  private var arrived: MonotonicTime?
  /// The last number of each partition.
  private var sequences: [Int: UInt64] = [:]
  private var heard: MonotonicTime
  private(set) var batches: UInt64 = 0
  private(set) var observations: UInt64 = 0
  /// Batches that did not arrive.
  private(set) var lost: UInt64 = 0
  private(set) var refused: UInt64 = 0
  private(set) var lastRefusal: ScannerRefusal?

  init(boot: String, at arrival: MonotonicTime) {
    self.boot = boot
    heard = arrival
  }

  /// Whether a batch counts; returns our clock minus the sender's.
  mutating func take(
    _ batch: ObservationBatch, partition: Int, arrival: MonotonicTime, slack: TimeSpan = .zero
  ) throws(ScannerRefusal) -> TimeSpan {
    do throws(ScannerRefusal) {
      try follow(batch.boot, at: arrival)
      // First of all: what was decided already is not refused for another cause when it comes again.
      guard sequences[partition].map({ batch.sequence > $0 }) ?? true else { throw .repeated }
      guard let held = batch.held.map(TimeSpan.milliseconds), held <= Self.longestHeld else { throw .age }
      let sent = MonotonicTime.zero + .milliseconds(batch.sent)
      // Time passes in steps, if there is slack. The first message after a step tells most about the sender's clock.
      let isNew = arrived != arrival
      arrived = arrival
      let offset = try clock.take(sent: sent, arrival: arrival - held, slack: isNew ? .zero : slack)
      if let last = sequences[partition] { lost &+= batch.sequence - last - 1 }
      if sequences.count < Self.partitionLimit || sequences[partition] != nil {
        sequences[partition] = batch.sequence
      }
      heard = arrival
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

  private mutating func follow(_ other: String, at arrival: MonotonicTime) throws(ScannerRefusal) {
    others.forget(at: arrival)
    if other == boot { return }
    try others.replace(boot, by: other, isSilent: arrival - heard > Self.patience, at: arrival)
    boot = other
    clock = GatewayClock()
    sequences.removeAll()
  }

  /// For `health`.
  func figures(named name: String) -> HealthMessage.Gateway {
    HealthMessage.Gateway(
      name: name, boot: boot, offset: clock.offset, batches: batches, observations: observations, lost: lost,
      refused: refused, hasTwin: others.hasTwin, lastRefusal: lastRefusal?.rawValue)
  }
}

extension RemoteGateway: StateCoded {
  func write(to writer: inout StateWriter) {
    writer.write(boot)
    writer.write(others)
    writer.write(clock)
    writer.write(arrived)
    writer.write(sequences)
    writer.write(heard)
    for count in [batches, observations, lost, refused] { writer.write(count) }
    writer.write(lastRefusal?.rawValue)
  }

  init(reading reader: inout StateReader) throws(StateError) {
    boot = try reader.read()
    others = try reader.read()
    clock = try reader.read()
    arrived = try reader.read()
    sequences = try reader.read()
    heard = try reader.read()
    batches = try reader.tally()
    observations = try reader.tally()
    lost = try reader.read()
    refused = try reader.tally()
    let refusal: String? = try reader.read()
    lastRefusal = refusal.flatMap { ScannerRefusal(rawValue: $0) }
    guard sequences.count <= Self.partitionLimit,
      lastRefusal?.rawValue == refusal
    else { throw reader.damaged }
  }
}
